package ui

// Fact is something said in two cells: what, and which.
type Fact struct{ Label, Value string }

// FilterFact is a filter in words, and the code by which programs know it where
// that is another.
type FilterFact struct{ Label, Value, Code string }
