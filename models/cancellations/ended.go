package cancellations

import "veinte/models"

// tellEnd has whoever asked for the cancellation told that a doubt about it ended, or
// that it ended otherwise than they know. Programs have webhooks and the stream.
func (l *Held) tellEnd(actor models.Actor, from models.State) error {
	asked := l.c.RequestedBy != nil && l.c.RequesterRole != "" && l.c.RequesterRole != models.Integration
	if l.s.config.OnEnded == nil || from != models.Unknown && from.Open() || !asked ||
		actor.UserID == *l.c.RequestedBy && !actor.Program() { // they ended it themselves
		return nil
	}
	return l.s.config.OnEnded(l.tx, &l.c)
}
