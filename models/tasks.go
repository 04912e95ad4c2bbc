package models

import (
	"context"
	"database/sql"
	"time"
)

// TaskKind names a piece of background work about one case.
type TaskKind string

// The tasks. Each may run twice, late, or in two processes at once: what it
// finds in the database decides whether anything is left to do.
const (
	TaskDispatch   TaskKind = "dispatch"   // send a requested case
	TaskExpire     TaskKind = "expire"     // close a case that was not sent in time
	TaskRecover    TaskKind = "recover"    // an attempt whose process died becomes unknown
	TaskResultWait TaskKind = "resultWait" // an accepted case whose result does not come becomes unknown
	TaskInquire    TaskKind = "inquire"    // ask the terminal for the state of the sale
	TaskImport     TaskKind = "import"     // look at a file, or import it; CaseID is the import's
	TaskVerify     TaskKind = "verify"     // verify the whole trail; CaseID is the verification's
)

// Task is a piece of background work.
type Task struct {
	Kind    TaskKind
	CaseID  int64
	Attempt int           // which attempt it is about, which automatic inquiry, or which task of the sweep; 0 for none
	By      string        // who asked for an inquiry
	After   time.Duration // from now; zero: at once
	Once    bool          // not if an equal task with Once is still waiting
}

// Queue takes tasks inside the transaction of the change that needs them, so
// that there is never the one without the other.
type Queue interface {
	Enqueue(ctx context.Context, tx *sql.Tx, task Task) error
}
