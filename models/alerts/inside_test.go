package alerts

// WatchedSQL is the query by which alerts find new entries.
var WatchedSQL = watched

// Hurry is a test hook that takes all the time of a transaction away, so that each judges
// one entry.
func (a *Service) Hurry() { a.budget = 0 }
