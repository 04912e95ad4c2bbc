package models

// Starve leaves searches of the trail no time at all, so that each looks as far
// as its first step.
func (s *Cancellations) Starve() { s.hurry = searchBudget }
