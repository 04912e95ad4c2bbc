package report

// MaxRows is how many lines a report may have.
const MaxRows = 500_000
