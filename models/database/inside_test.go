package database

// Waiting is the call that takes the lock, with what it says by $1.
func (l Lock) Waiting() (call string, of []any) { return l.WaitingCall(), l.Of }
