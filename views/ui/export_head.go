package ui

// ForFile is the filter as files have it, for people and for programs.
func (f *FilterFact) ForFile() string {
	if f.Code == "" {
		return f.Value
	}
	return f.Value + " (" + f.Code + ")"
}
