package models

import (
	"errors"
	"time"
)

// Export is one export of the trail. It goes row by row to whoever asked and is
// kept nowhere: a server of several processes has no disk in common, and a copy
// of the trail that lies about is one more to guard. What is kept is this.
type Export struct {
	ID        int64
	Format    ExportFormat
	State     ExportState
	ActorID   int64
	ActorName string
	Query     string // the filters as the address has them
	Filters   []byte `gorm:"type:jsonb"` // as the trail tells them
	Expected  int64  // entries, as estimated beforehand
	Entries   int64  // that have left so far; a second behind while it runs
	Bytes     int64
	StartedAt time.Time
	SeenAt    time.Time // when its process last said that it is at it
	StopBy    string    // who asked for it to stop; "" when nobody did
	EndedAt   *time.Time
	Unsealed  int64 `gorm:"-"` // entries that a file of sealed ones had to leave out
}

// TableName is where exports are kept.
func (Export) TableName() string { return "audit_exports" }

// ExportFormat is what a file of the trail is written as.
type ExportFormat string

// The formats, each an ending of /audit.
const (
	ExportCSV   ExportFormat = "csv"   // for spreadsheets and scripts
	ExportJSONL ExportFormat = "jsonl" // what can be verified offline, see models/trail
	ExportXLSX  ExportFormat = "xlsx"  // for Excel, with real dates and numbers
)

// ExportFormats lists the formats in the order in which they are offered.
var ExportFormats = []ExportFormat{ExportCSV, ExportXLSX, ExportJSONL}

// ExportState is how far an export is.
type ExportState string

// The states of an export. Only the first is not its end.
const (
	ExportRunning   ExportState = "running"
	ExportDone      ExportState = "done"      // all of it was handed over
	ExportStopped   ExportState = "stopped"   // by a person
	ExportAbandoned ExportState = "abandoned" // the reader went away, or the server did
	ExportFailed    ExportState = "failed"    // the database did not give the rest
)

// exportRunningSQL is the state as SQL writes it.
const exportRunningSQL = "'" + string(ExportRunning) + "'"

// outcome is how the trail calls the end. Of what was abandoned nobody can tell
// how much arrived.
func (s ExportState) outcome() Outcome {
	switch s {
	case ExportDone:
		return OutcomeSuccess
	case ExportAbandoned:
		return OutcomeUnknown
	}
	return OutcomeFailure
}

// Share is how much of the estimate has left, in percent; never all of it while
// the export runs, because an estimate is none.
func (x *Export) Share() int {
	switch {
	case x.State == ExportDone:
		return 100
	case x.Expected <= 0:
		return 0
	}
	return int(min(99, x.Entries*100/x.Expected))
}

// Rate is how many entries left in a second, on the average.
func (x *Export) Rate() float64 {
	until := x.SeenAt
	if x.EndedAt != nil {
		until = *x.EndedAt
	}
	if took := until.Sub(x.StartedAt).Seconds(); took >= 1 {
		return float64(x.Entries) / took
	}
	return 0
}

// Refusals about exports.
var (
	// ErrTooManyExports is for somebody who lets too many run at once, or when
	// the server has as many as it can.
	ErrTooManyExports = &Error{Kind: KindTooMany, Code: "error.tooManyExports"}
	// ErrExportEnded is for stopping what has ended meanwhile.
	ErrExportEnded = &Error{Kind: KindConflict, Code: "error.exportEnded"}
)

// Why an export ends before its last row.
var (
	errExportStopped = errors.New("somebody stopped it")
	errExportLost    = errors.New("it was taken for abandoned")
	// ErrReaderGone is wrapped by what an ExportWriter returns when nobody reads
	// any more.
	ErrReaderGone = errors.New("the reader is gone")
	// ErrStopping is the cause with which a server that stops ends an export.
	ErrStopping = errors.New("the server stops")
)

// endOf is the state in which an export ends with an error.
func endOf(err error) ExportState {
	switch {
	case err == nil:
		return ExportDone
	case errors.Is(err, errExportStopped):
		return ExportStopped
	case errors.Is(err, ErrReaderGone), errors.Is(err, ErrStopping), errors.Is(err, errExportLost):
		return ExportAbandoned
	}
	return ExportFailed
}
