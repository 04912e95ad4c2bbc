package database

// Waiting is the call that takes the lock, with the arguments of its key.
func (l Lock) Waiting() (call string, of []any) { return l.WaitingCall(), l.Of }
