package jobs

import (
	"context"
	"time"

	"github.com/riverqueue/river"
)

// How often the periodic jobs run.
const (
	sweepEvery         = 10 * time.Second // every open cancellation is checked
	deliverySweepEvery = time.Minute      // deliveries that are too old are given up
	monthsEvery        = 24 * time.Hour   // the trail's partitions of the next months are created
	alertsEvery        = 3 * time.Second  // alerts are checked, and mails that are due are sent
	closeEvery         = 10 * time.Second // days whose cut-off has passed are closed
	compareEvery       = 10 * time.Minute // it is looked whether the tables were compared tonight
)

// closeTime is how long closing days may take; another periodic job has JobTimeout.
const closeTime = 10 * time.Minute

type (
	sweepArgs         struct{}
	deliverySweepArgs struct{}
	monthsArgs        struct{}
	alertArgs         struct{}
	closeArgs         struct{}
	mailArgs          struct{}
	compareArgs       struct{}
)

// Kind names the job in River's tables.
func (sweepArgs) Kind() string         { return "sweep" }
func (deliverySweepArgs) Kind() string { return "deliverySweep" }
func (monthsArgs) Kind() string        { return "months" }
func (alertArgs) Kind() string         { return "alerts" }
func (closeArgs) Kind() string         { return "closeDays" }
func (mailArgs) Kind() string          { return "mail" }
func (compareArgs) Kind() string       { return "compare" }

// repeat adds a job that runs when the workers start, and then at a fixed interval.
// A limit of 0 is JobTimeout.
func repeat[T river.JobArgs](c *river.Config, every time.Duration, queue string, limit time.Duration, do func(context.Context) error) {
	river.AddWorker(c.Workers, &periodicWorker[T]{do: do, limit: limit})
	c.PeriodicJobs = append(c.PeriodicJobs, river.NewPeriodicJob(
		river.PeriodicInterval(every), func() (river.JobArgs, *river.InsertOpts) {
			return *new(T), &river.InsertOpts{Queue: queue, MaxAttempts: 1}
		}, &river.PeriodicJobOpts{RunOnStart: true}))
}

// periodicWorker performs a periodic job, which has no arguments.
type periodicWorker[T river.JobArgs] struct {
	river.WorkerDefaults[T]
	do    func(context.Context) error
	limit time.Duration
}

func (w *periodicWorker[T]) Work(ctx context.Context, _ *river.Job[T]) error { return w.do(ctx) }

func (w *periodicWorker[T]) Timeout(*river.Job[T]) time.Duration { return w.limit }
