package web

import (
	"context"
	"slices"

	"veinte/models"
	"veinte/models/operations"
)

// openSecrets warns of files of secrets that everybody on the machine may read. They are
// used all the same: some platforms give secrets no other way.
func (c *checked) openSecrets(names []string) {
	if len(names) == 0 {
		return
	}
	c.found = append(c.found, operations.Problem{
		Code: "secret.readable", What: "Everybody on this machine can read the file of a secret.",
		Do: "chmod 600 it, or 0440 with a group of the server alone; then give out a new secret, and restart.", Names: names,
	})
	for _, name := range names {
		c.log.Warn(name + ": everybody on this machine can read the file; chmod 600 it, and give out a new secret")
	}
}

// health lists what is out: what was found at the start, and what is so now.
func (s *server) health(ctx context.Context) []operations.Problem {
	return slices.Concat(s.found, s.services.Operations.Health(ctx))
}

// happened counts what a transaction has stored, and has one line in the log for each move
// of a cancellation.
func (s *server) happened(event any) {
	s.watch.Event(event)
	if m, ok := event.(models.Moved); ok {
		c := &m.Cancellation
		s.log.Info("cancellation moved", "cancellation", c.ID, "sale", c.SaleID, "from", m.From, "to", c.State, "detail", c.Detail,
			"attempts", c.Attempts, "by", m.By.Role, "request", m.By.RequestID, "sinceClick", c.ChangedAt.Sub(c.RequestedAt))
	}
}
