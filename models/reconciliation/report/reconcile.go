package report

// MaxRows limits the lines of a report.
const MaxRows = 500_000
