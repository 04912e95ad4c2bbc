package models

// What tests of the package's outside look at inside.
var (
	UnsealedSQL = unsealed
	WatchedSQL  = watched
	FollowedSQL = followed
)

// RuledClaims counts the rows of the table of evidence.
func RuledClaims() int { return len(rulings) }
