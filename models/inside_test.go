package models

// What tests of the package's outside look at inside.
var (
	UnsealedSQL = unsealed
	WatchedSQL  = watched
	FollowedSQL = followed
)
