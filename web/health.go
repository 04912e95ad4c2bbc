package web

import (
	"context"
	"slices"

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
