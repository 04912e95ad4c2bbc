// Package jobs carries out the background work of cancellations with River: it
// enqueues tasks inside the transaction that needs them, and works them off on
// any number of processes. Each worker calls one method of models; it knows no
// rule, no HTTP and no HTML.
package jobs

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"veinte/models"
	"veinte/models/database"
)

// The queues. Sending waits for the network, so it has many places and its own
// queue: a service that hangs holds up no timer. Imports are large; one process
// does one at a time. So is the trail, when it is verified.
const (
	sendQueue   = "send"
	timerQueue  = "timers"
	importQueue = "imports"
	verifyQueue = "verifications"
)

// sendPlaces is how many requests one process has under way at most: more than
// terminals of a large merchant. As each has one push at a time, all that hang
// together leave places for the others. One that waits for an answer holds a
// connection to the service and nothing of the database.
const sendPlaces = 2000

// sweepEvery is how often every open case is looked after once.
const sweepEvery = 10 * time.Second

// deliverySweepEvery is how often is looked for deliveries that are too old.
const deliverySweepEvery = time.Minute

// monthsEvery is how often the months of the trail are made ahead.
const monthsEvery = 24 * time.Hour

// Queue enqueues tasks. It implements models.Queue.
type Queue struct{ client *river.Client[*sql.Tx] }

var _ models.Queue = (*Queue)(nil)

// NewQueue makes a queue that can only be filled. Tasks enter it through the
// database/sql driver, because that is what gorm's transactions are.
func NewQueue(db *database.DB, log *slog.Logger) (*Queue, error) {
	client, err := river.NewClient(riverdatabasesql.New(db.SQL()), &river.Config{
		Logger: log, SkipUnknownJobCheck: true,
		// How often an insert may wake the workers: a click must not wait for
		// the next poll.
		FetchCooldown: fetchCooldown,
	})
	if err != nil {
		return nil, fmt.Errorf("make queue: %w", err)
	}
	return &Queue{client: client}, nil
}

// fetchCooldown is the least time between two looks into the queue.
const fetchCooldown = 2 * time.Millisecond

// Enqueue adds the task to the transaction.
func (q *Queue) Enqueue(ctx context.Context, tx *sql.Tx, t models.Task) error {
	opts := &river.InsertOpts{Queue: timerQueue, MaxAttempts: 25}
	if t.Kind == models.TaskDispatch || t.Kind == models.TaskInquire {
		opts.Queue = sendQueue
	}
	if t.Kind == models.TaskImport {
		opts.Queue = importQueue
	}
	if t.Kind == models.TaskVerify {
		opts.Queue = verifyQueue
	}
	if t.After > 0 {
		opts.ScheduledAt = time.Now().Add(t.After)
	}
	if t.Once {
		opts.UniqueOpts = river.UniqueOpts{ByArgs: true, ByState: []rivertype.JobState{
			rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRunning,
			rivertype.JobStateScheduled, rivertype.JobStateRetryable,
		}}
	}
	_, err := q.client.InsertTx(ctx, tx, taskArgs{Task: t.Kind, CaseID: t.CaseID, Attempt: t.Attempt}, opts)
	return err
}

// taskArgs is a task as River stores it. It holds ids only: what is true is
// read from the database when the task is worked off.
type taskArgs struct {
	Task    models.TaskKind `json:"task"`
	CaseID  int64           `json:"caseId"`
	Attempt int             `json:"attempt,omitempty"`
}

// Kind names the job in River's tables.
func (taskArgs) Kind() string { return "cancellation" }

// Cancellations is the life of a cancellation, as far as it waits for workers.
type Cancellations interface {
	Dispatch(ctx context.Context, caseID int64) (wait time.Duration, err error)
	Expire(ctx context.Context, caseID int64) (wait time.Duration, err error)
	Recover(ctx context.Context, caseID int64, attempt int) (wait time.Duration, err error)
	EndResultWait(ctx context.Context, caseID int64, attempt int) (wait time.Duration, err error)
	Inquire(ctx context.Context, caseID int64, try int) (wait time.Duration, err error)
}

// Work is what the workers call, each of its service.
type Work struct {
	Cancellations Cancellations
	RunImport     func(ctx context.Context, id int64) error
	Verify        func(ctx context.Context, id int64) error
	Sweep         func(context.Context) error
	CloseDays     func(context.Context) error
	CreateMonths  func(context.Context) error
}

// Workers work tasks off until they are stopped.
type Workers struct{ client *river.Client[pgx.Tx] }

// NewWorkers makes the workers. They listen on a connection of their own. mail may
// be nil: then letters wait.
func NewWorkers(db *database.DB, w Work, d Deliveries, a Alerts, mail MailSender, log *slog.Logger) (*Workers, error) {
	registry := river.NewWorkers()
	river.AddWorker(registry, &taskWorker{work: w})
	river.AddWorker(registry, &sweepWorker{sweep: w.Sweep})
	river.AddWorker(registry, &deliverySweepWorker{deliveries: d})
	river.AddWorker(registry, &alertWorker{alerts: a})
	river.AddWorker(registry, &closeWorker{closeDays: w.CloseDays})
	river.AddWorker(registry, &mailWorker{alerts: a, sender: mail})
	river.AddWorker(registry, &monthsWorker{create: w.CreateMonths})
	client, err := river.NewClient(riverpgxv5.New(db.Pool()), &river.Config{
		Logger:  log,
		Workers: registry,
		Queues: map[string]river.QueueConfig{
			sendQueue:   {MaxWorkers: sendPlaces},
			timerQueue:  {MaxWorkers: 20},
			importQueue: {MaxWorkers: 1},
			mailQueue:   {MaxWorkers: 1},
			closeQueue:  {MaxWorkers: 1},
			verifyQueue: {MaxWorkers: 1},
		},
		FetchCooldown:     fetchCooldown,
		FetchPollInterval: 500 * time.Millisecond,
		// Long enough for an answer; a process that died is noticed soon after.
		JobTimeout:                  2 * time.Minute,
		RescueStuckJobsAfter:        3 * time.Minute,
		CompletedJobRetentionPeriod: time.Hour,
		// Rebuilding indexes is the owner's right, not the application's.
		ReindexerSchedule: river.NeverSchedule(),
		PeriodicJobs: []*river.PeriodicJob{
			every(sweepEvery, sweepArgs{}), every(deliverySweepEvery, deliverySweepArgs{}), every(monthsEvery, monthsArgs{}),
			every(alertsEvery, alertArgs{}), periodic(closeEvery, closeQueue, closeArgs{}), periodic(alertsEvery, mailQueue, mailArgs{}),
		},
	})
	if err != nil {
		return nil, fmt.Errorf("make workers: %w", err)
	}
	return &Workers{client: client}, nil
}

// every is a job that is done when the workers start, and then again and again.
func every(interval time.Duration, args river.JobArgs) *river.PeriodicJob {
	return periodic(interval, timerQueue, args)
}

// Start begins to work.
func (w *Workers) Start(ctx context.Context) error {
	if err := w.client.Start(ctx); err != nil {
		return fmt.Errorf("start workers: %w", err)
	}
	return nil
}

// Stop takes no new task and waits for those under way until ctx ends; then
// their calls are broken off, which leaves what was sent unknown.
func (w *Workers) Stop(ctx context.Context) error {
	if err := w.client.Stop(ctx); err == nil {
		return nil
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := w.client.StopAndCancel(last); err != nil {
		return fmt.Errorf("stop workers: %w", err)
	}
	return nil
}
