package jobs

import (
	"context"
	"fmt"
	"time"

	"github.com/riverqueue/river"

	"veinte/models"
	"veinte/models/database"
)

// taskWorker performs one task of one cancellation.
type taskWorker struct {
	river.WorkerDefaults[taskArgs]
	work Work
}

// Work calls the method of the task. When that returns a positive wait, the task is
// queued again for then.
func (w *taskWorker) Work(ctx context.Context, job *river.Job[taskArgs]) error {
	a := job.Args
	var wait time.Duration
	var err error
	switch a.Task {
	case models.TaskDispatch:
		wait, err = w.work.Cancellations.Dispatch(ctx, a.SubjectID)
	case models.TaskExpire:
		wait, err = w.work.Cancellations.Expire(ctx, a.SubjectID)
	case models.TaskRecover:
		wait, err = w.work.Cancellations.Recover(ctx, a.SubjectID, a.Attempt)
	case models.TaskResultWait:
		wait, err = w.work.Cancellations.EndResultWait(ctx, a.SubjectID, a.Attempt)
	case models.TaskInquire:
		wait, err = w.work.Cancellations.Inquire(ctx, a.SubjectID, a.Attempt)
	case models.TaskInquireSale:
		wait, err = w.work.Cancellations.InquireSale(ctx, a.SubjectID, a.Attempt)
	case models.TaskImport:
		err = w.work.RunImport(database.ForHeavy(ctx), a.SubjectID)
	case models.TaskVerify:
		err = w.work.Verify(database.ForHeavy(ctx), a.SubjectID)
	default:
		return river.JobCancel(fmt.Errorf("unknown task %q", a.Task))
	}
	if err != nil {
		return err
	}
	if wait > 0 {
		return river.JobSnooze(wait)
	}
	return nil
}

// importTime is how long an import may take; another task has JobTimeout.
const importTime = 10 * time.Minute

// verifyTime is how long verifying the trail may take. It reports its progress, and
// a million entries take seconds.
const verifyTime = 6 * time.Hour

// Timeout allows more time for an import and for a verification.
func (w *taskWorker) Timeout(job *river.Job[taskArgs]) time.Duration {
	switch job.Args.Task {
	case models.TaskImport:
		return importTime
	case models.TaskVerify:
		return verifyTime
	}
	return 0
}

// NextRetry returns a short wait for the first retries: a task that failed because
// of the database should run as soon as that is back.
func (w *taskWorker) NextRetry(job *river.Job[taskArgs]) time.Time {
	return time.Now().Add(min(time.Duration(job.Attempt)*time.Second, 15*time.Second))
}
