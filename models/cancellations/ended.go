package cancellations

import "veinte/models"

// tellEnd has whoever asked for the cancellation told that a doubt about it ended, or
// that it ended otherwise than they know. Programs have webhooks and the stream.
func (l *Held) tellEnd(actor models.Actor, from models.State) error {
	switch {
	case l.s.config.OnEnded == nil || from != models.Unknown && from.Open():
		return nil
	case l.c.RequestedBy == nil || l.c.RequesterRole == "" || l.c.RequesterRole == models.Integration:
		return nil
	case actor.UserID == *l.c.RequestedBy && !actor.Program():
		return nil // they ended it themselves
	}
	return l.s.config.OnEnded(l.tx, &l.c)
}
