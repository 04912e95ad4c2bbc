// Package jobs runs the background work of cancellations with River: it enqueues
// tasks inside the transaction that needs them, and performs them in any number of
// processes. Each worker calls one method of models. The package contains no rules,
// no HTTP and no HTML.
package jobs

import (
	"cmp"
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

// The queues. Sending waits for the network, so it has many workers and its own
// queue: a service that hangs delays no timer. Imports and verifications of the
// trail are large, so a process runs one of each at a time.
const (
	sendQueue   = "send"
	timerQueue  = "timers"
	importQueue = "imports"
	verifyQueue = "verifications"
	mailQueue   = "mail"
	closeQueue  = "closing"
)

// queueOf has the tasks that do not belong to timerQueue.
var queueOf = map[models.TaskKind]string{
	models.TaskDispatch: sendQueue, models.TaskInquire: sendQueue, models.TaskInquireSale: sendQueue,
	models.TaskImport: importQueue, models.TaskVerify: verifyQueue,
}

// maxSends is the maximum number of requests in progress in one process: more than
// the terminals of a large merchant. As each terminal has one push at a time,
// requests that hang leave room for the others. One that waits for a response holds
// a connection to the service and none to the database.
const maxSends = 2000

// Queue enqueues tasks. It implements models.Queue.
type Queue struct{ client *river.Client[*sql.Tx] }

var _ models.Queue = (*Queue)(nil)

// NewQueue returns a queue that can only be filled. Tasks are inserted through the
// database/sql driver, because gorm's transactions use it.
func NewQueue(db *database.DB, log *slog.Logger) (*Queue, error) {
	client, err := river.NewClient(riverdatabasesql.New(db.SQL()), &river.Config{
		Logger: log, SkipUnknownJobCheck: true,
		// How often an insert may notify the workers: a click must not wait
		// for the next poll.
		FetchCooldown: fetchCooldown,
	})
	if err != nil {
		return nil, fmt.Errorf("make queue: %w", err)
	}
	return &Queue{client: client}, nil
}

// fetchCooldown is the minimum time between two polls of the queue.
const fetchCooldown = 2 * time.Millisecond

// Enqueue adds the task to the transaction.
func (q *Queue) Enqueue(ctx context.Context, tx *sql.Tx, t models.Task) error {
	opts := &river.InsertOpts{Queue: cmp.Or(queueOf[t.Kind], timerQueue), MaxAttempts: 25}
	if t.After > 0 {
		opts.ScheduledAt = time.Now().Add(t.After)
	}
	if t.Once {
		opts.UniqueOpts = river.UniqueOpts{ByArgs: true, ByState: []rivertype.JobState{
			rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRunning,
			rivertype.JobStateScheduled, rivertype.JobStateRetryable,
		}}
	}
	_, err := q.client.InsertTx(ctx, tx, taskArgs{Task: t.Kind, SubjectID: t.SubjectID, Attempt: t.Attempt}, opts)
	return err
}

// taskArgs is a task as River stores it. It contains ids only: the current data is
// read from the database when the task is performed.
type taskArgs struct {
	Task      models.TaskKind `json:"task"`
	SubjectID int64           `json:"caseId"`
	Attempt   int             `json:"attempt,omitempty"`
}

// Kind names the job in River's tables.
func (taskArgs) Kind() string { return "cancellation" }

// Cancellations are the methods for a cancellation that workers call.
type Cancellations interface {
	Dispatch(ctx context.Context, id int64) (wait time.Duration, err error)
	Expire(ctx context.Context, id int64) (wait time.Duration, err error)
	Recover(ctx context.Context, id int64, attempt int) (wait time.Duration, err error)
	EndResultWait(ctx context.Context, id int64, attempt int) (wait time.Duration, err error)
	Inquire(ctx context.Context, id int64, try int) (wait time.Duration, err error)
	InquireSale(ctx context.Context, saleID int64, number int) (wait time.Duration, err error)
}

// Work contains the services that the workers call.
type Work struct {
	Cancellations Cancellations
	RunImport     func(ctx context.Context, id int64) error
	Verify        func(ctx context.Context, id int64) error
	Compare       func(context.Context) error
	Sweep         func(context.Context) error
	CloseDays     func(context.Context) error
	MakeMonths    func(context.Context) (int, error)
	// Seen is told how each job ended: done, later or failed; nil: nobody is.
	Seen func(kind, outcome string, took time.Duration)
	// Begin has what a job does be a part of a trace, until it is told how it ended; nil:
	// nothing is traced.
	Begin func(ctx context.Context, kind string) (inside context.Context, end func(outcome string))
}

// Workers perform tasks until they are stopped.
type Workers struct{ client *river.Client[pgx.Tx] }

// NewWorkers returns the workers. They listen on their own connection. mail may be
// nil: then mails stay queued.
func NewWorkers(db *database.DB, w Work, d Deliveries, a Alerts, mail MailSender, log *slog.Logger) (*Workers, error) {
	config := &river.Config{
		Logger:  newQueueLog(log),
		Workers: river.NewWorkers(),
		Queues: map[string]river.QueueConfig{
			sendQueue:   {MaxWorkers: maxSends, FetchPollInterval: 500 * time.Millisecond},
			timerQueue:  {MaxWorkers: 20, FetchPollInterval: time.Second},
			importQueue: {MaxWorkers: 1},
			mailQueue:   {MaxWorkers: 1},
			closeQueue:  {MaxWorkers: 1},
			verifyQueue: {MaxWorkers: 1},
		},
		FetchCooldown: fetchCooldown,
		Middleware:    []rivertype.Middleware{river.WorkerMiddlewareFunc(w.measure)},
		// An insert is told at once. Polling finds what is due again after a short wait,
		// which only sending and timers have.
		FetchPollInterval: 5 * time.Second,
		// Long enough for a response, short enough to notice soon that a
		// process died.
		JobTimeout:                  2 * time.Minute,
		RescueStuckJobsAfter:        3 * time.Minute,
		CompletedJobRetentionPeriod: time.Hour,
		// Only the owner of the tables may rebuild indexes, not the
		// application.
		ReindexerSchedule: river.NeverSchedule(),
	}
	river.AddWorker(config.Workers, &taskWorker{work: w})
	repeat[sweepArgs](config, sweepEvery, timerQueue, 0, w.Sweep)
	repeat[deliverySweepArgs](config, deliverySweepEvery, timerQueue, 0, d.Sweep)
	repeat[monthsArgs](config, monthsEvery, timerQueue, 0, func(ctx context.Context) error { _, err := w.MakeMonths(ctx); return err })
	repeat[alertArgs](config, alertsEvery, timerQueue, 0, a.Watch)
	repeat[closeArgs](config, closeEvery, closeQueue, closeTime, w.CloseDays)
	repeat[compareArgs](config, compareEvery, verifyQueue, verifyTime,
		func(ctx context.Context) error { return w.Compare(database.ForHeavy(ctx)) })
	repeat[mailArgs](config, alertsEvery, mailQueue, 0, func(ctx context.Context) error { return sendMails(ctx, a, mail) })
	client, err := river.NewClient(riverpgxv5.New(db.Pool().Acts()), config)
	if err != nil {
		return nil, fmt.Errorf("make workers: %w", err)
	}
	return &Workers{client: client}, nil
}

func (w *Workers) Start(ctx context.Context) error {
	if err := w.client.Start(ctx); err != nil {
		return fmt.Errorf("start workers: %w", err)
	}
	return nil
}

// Stop takes no new task and waits for those in progress until ctx ends. Then their
// calls are canceled, which leaves the outcome of sent requests unknown.
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
