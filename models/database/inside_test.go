package database

// LockImport and its like are the locks that say something of their own.
var (
	LockImport  = ImportLock
	LockExports = ExportsLock
	LockLogin   = LoginLock
	LockCancel  = CancelLock
)

// Waiting is the call that takes the lock, with what it says by $1.
func (l Lock) Waiting() (call string, of []any) { return l.WaitingCall(), l.Of }
