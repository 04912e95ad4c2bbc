package models

import (
	"context"
	"database/sql"
	"time"
)

// TaskKind names a piece of background work about one cancellation.
type TaskKind string

// The tasks. Each may run twice, late, or in two processes at once: it reads the
// database to decide whether anything is left to do.
const (
	TaskDispatch    TaskKind = "dispatch"    // send a requested cancellation
	TaskExpire      TaskKind = "expire"      // close a cancellation that was not sent in time
	TaskRecover     TaskKind = "recover"     // an attempt whose process died becomes unknown
	TaskResultWait  TaskKind = "resultWait"  // an accepted cancellation whose result does not arrive becomes unknown
	TaskInquire     TaskKind = "inquire"     // ask the terminal for the state of the sale
	TaskInquireSale TaskKind = "inquireSale" // ask it because of a post that proves nothing; SubjectID is the sale's
	TaskImport      TaskKind = "import"      // check a file, or import it; CaseID is the import's
	TaskVerify      TaskKind = "verify"      // verify the whole trail; CaseID is the verification's
)

// Task is a piece of background work.
type Task struct {
	Kind      TaskKind
	SubjectID int64
	Attempt   int           // the number of the attempt, the automatic inquiry or the sweep's task; 0 for none
	By        string        // who requested an inquiry
	After     time.Duration // from now; zero: at once
	Once      bool          // not if an equal task with Once is still waiting
}

// Queue takes tasks inside the transaction of the change that needs them, so that
// both are committed or neither.
type Queue interface {
	Enqueue(ctx context.Context, tx *sql.Tx, task Task) error
}
