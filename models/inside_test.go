package models

// UnsealedSQL is how the sealer finds what it has not sealed.
var UnsealedSQL = unsealed

// WatchedSQL is how alerts find what they have not seen.
var WatchedSQL = watched

// FollowedSQL is how a stream of the trail goes on.
var FollowedSQL = followed

// LockImport and its like are the locks that say something of their own.
var (
	LockImport  = lockImport
	LockExports = lockExports
	LockLogin   = lockLogin
	LockCancel  = lockCancel
)

// Waiting is the call that takes the lock, with what it says by $1.
func (l Lock) Waiting() (call string, of []any) { return l.waiting(), l.of }

// RuledClaims counts the rows of the table of evidence.
func RuledClaims() int { return len(rulings) }

// SaleColumns are the columns of sales that the code knows.
var SaleColumns = readColumns().names("")
