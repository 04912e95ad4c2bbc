// Package pointintime tries the sample of pgBackRest: PostgreSQL archives as the sample
// says, people press, and the database is recovered to a moment between two clicks. The
// command that looks at it must say what is held back, nothing may be sent twice, and what
// came after that moment must be found again.
package pointintime
