package report

// StatusWord is a value of a status column.
type StatusWord struct {
	Word    string
	Lines   int
	Meaning Meaning // "" when the mapping does not have it
}
