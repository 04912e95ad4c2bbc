package models

// What tests of the package's outside look at inside.
var (
	UnsealedSQL = unsealed
	WatchedSQL  = watched
	FollowedSQL = followed
)

// The locks that say something of their own.
var (
	LockImport  = lockImport
	LockExports = lockExports
	LockLogin   = lockLogin
	LockCancel  = lockCancel
)

// Waiting is the call that takes the lock, with what it says by $1.
func (l Lock) Waiting() (call string, of []any) { return l.waiting(), l.of }

// SaleColumns are the columns of sales that the code knows.
var SaleColumns = readColumns().names("")
