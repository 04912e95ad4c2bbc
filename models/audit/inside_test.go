package audit

// Starve is a test hook that sets the search budget to zero, so that each search
// stops after its first step.
func (s *Service) Starve() { s.testBudget = searchBudget }
