package evidence

// RuledClaims counts the rows of the table of evidence.
func RuledClaims() int { return len(rulings) }

// RuledStates counts the states that it rules, a sale without a cancellation too.
func RuledStates() int { return len(every) }
