package export

import (
	"errors"
	"time"

	"veinte/models"
	"veinte/models/audit/sealing"
)

// Export is one export of the trail or of sales. It is streamed row by row to the user
// who asked for it, and no copy is stored: a server of several processes shares no
// disk, and a copy would be one more thing to guard. Only this row is stored.
type Export struct {
	ID        int64
	Subject   Subject
	Format    Format
	State     State
	ActorID   int64
	ActorName string
	Query     string // the filters as the address has them
	Filters   []byte `gorm:"type:jsonb"` // as recorded in the trail
	Expected  int64  // rows, as estimated beforehand
	Entries   int64  // rows sent so far; a second behind while it runs
	Bytes     int64
	StartedAt time.Time
	SeenAt    time.Time // when its process last reported
	StopBy    string    // who asked for it to stop; "" when nobody did
	EndedAt   *time.Time
	Unsealed  int64 `gorm:"-"` // entries that a file of sealed ones had to leave out
	file      *file
	sealed    *sealing.Checkpoint // under which a file of the trail was made; nil when nothing was sealed
}

// TableName is the table of exports.
func (Export) TableName() string { return "audit_exports" }

// Subject is what an export is of.
type Subject string

// The subjects of exports.
const (
	Trail Subject = "trail"
	Sales Subject = "sales"
)

// action is what the trail calls such an export, and counted the name of its rows there.
func (s Subject) action() models.Action {
	if s == Sales {
		return models.ActionSalesExported
	}
	return models.ActionAuditExported
}

func (s Subject) counted() string {
	if s == Sales {
		return "sales"
	}
	return "entries"
}

// Format is what a file of the trail is written as.
type Format string

// The formats, each an ending of /audit.
const (
	CSV   Format = "csv"   // for spreadsheets and scripts
	JSONL Format = "jsonl" // what can be verified offline, see models/audit/trailfile
	XLSX  Format = "xlsx"  // for Excel, with real dates and numbers
)

// Formats lists the formats in the order in which they are offered.
var Formats = []Format{CSV, XLSX, JSONL}

// State is how far an export is.
type State string

// The states of an export. Only the first is not its end.
const (
	Running   State = "running"
	Done      State = "done"      // all of it was handed over
	Stopped   State = "stopped"   // by a person
	Abandoned State = "abandoned" // the user disconnected, or the server stopped
	Failed    State = "failed"    // the database did not give the rest
)

// exportRunningSQL is the state as SQL writes it.
const exportRunningSQL = "'" + string(Running) + "'"

// outcome is the outcome recorded in the trail. Of an abandoned export it is unknown
// how much arrived.
func (s State) outcome() models.Outcome {
	switch s {
	case Done:
		return models.OutcomeSuccess
	case Abandoned:
		return models.OutcomeUnknown
	}
	return models.OutcomeFailure
}

// Share is how much of the estimate was sent, in percent. It stays below 100 while
// the export runs, because the estimate may be too low.
func (x *Export) Share() int {
	switch {
	case x.State == Done:
		return 100
	case x.Expected <= 0:
		return 0
	}
	return int(min(99, x.Entries*100/x.Expected))
}

// Rate is how many entries were sent per second, on average.
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
	// ErrTooManyExports is for a user who runs too many exports at once, or when the
	// server runs as many as it can.
	ErrTooManyExports = &models.Error{Kind: models.KindTooMany, Code: "error.tooManyExports"}
	// ErrExportEnded is for stopping what has ended meanwhile.
	ErrExportEnded = &models.Error{Kind: models.KindConflict, Code: "error.exportEnded"}
)

// Why an export ends before its last row.
var (
	errExportStopped = errors.New("somebody stopped it")
	errExportLost    = errors.New("it was taken for abandoned")
	// ErrReaderGone is wrapped by the error of a Writer whose client has
	// disconnected.
	ErrReaderGone = errors.New("the reader is gone")
	// ErrStopping is the cause with which a server that stops ends an export.
	ErrStopping = errors.New("the server stops")
	// ErrAccessEnded is the cause with which an export ends whose person may not have the
	// rest: they were disabled, signed out or given other rights.
	ErrAccessEnded = errors.New("the access of its person has ended")
)

// endOf is the state in which an export ends with an error.
func endOf(err error) State {
	switch {
	case err == nil:
		return Done
	case errors.Is(err, errExportStopped):
		return Stopped
	case errors.Is(err, ErrReaderGone), errors.Is(err, ErrStopping), errors.Is(err, ErrAccessEnded), errors.Is(err, errExportLost):
		return Abandoned
	}
	return Failed
}
