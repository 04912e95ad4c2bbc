package sealing

// UnsealedSQL is the query for the entries that are not sealed.
var UnsealedSQL = unsealed

// OnLook has f called before the directory of checkpoints is read.
func (s *Service) OnLook(f func()) { s.looking = f }
