package cancellations

// RuledClaims counts the rows of the table of evidence.
func RuledClaims() int { return len(rulings) }
