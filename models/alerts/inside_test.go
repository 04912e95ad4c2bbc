package alerts

// WatchedSQL is how alerts find what they have not seen.
var WatchedSQL = watched
