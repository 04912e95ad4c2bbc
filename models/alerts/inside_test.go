package alerts

// WatchedSQL is the query by which alerts find new entries.
var WatchedSQL = watched
