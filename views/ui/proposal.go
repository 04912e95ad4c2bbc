package ui

// ProposalView is what waits for another administrator, in words.
type ProposalView struct {
	ID, To      string // which it is, and where the answer goes
	Version     int    // of who or what gets the rights, as the reader sees them
	Own         bool   // the reader asked for it
	Has, Gets   string // what they may do now, and if it is confirmed
	By, Expires string
}
