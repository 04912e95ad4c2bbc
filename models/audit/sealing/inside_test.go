package sealing

import "context"

// UnsealedSQL is the query for the entries that are not sealed.
var UnsealedSQL = unsealed

// OnLook has f called before the directory of checkpoints is read.
func (s *Service) OnLook(f func()) { s.looking = f }

// Quiet is the turn of a sealer at rest.
func (s *Service) Quiet(ctx context.Context) bool { return s.quiet(ctx) }

// LookThrough compares the directory with the database, one by one.
func (s *Service) LookThrough(ctx context.Context, begins bool) error {
	return s.lookThrough(ctx, begins)
}
