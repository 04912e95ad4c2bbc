package jobs

import (
	"context"
	"errors"
	"time"

	"github.com/riverqueue/river"

	"veinte/models/alerts"
)

// Alerts is what looks for alerts, and has the letters about them.
type Alerts interface {
	Watch(ctx context.Context) error
	ClaimMails(ctx context.Context, most int) ([]alerts.Mail, error)
	ReportMail(ctx context.Context, m *alerts.Mail, answer alerts.MailAnswer) error
}

// MailSender tries a letter once.
type MailSender interface {
	Send(ctx context.Context, m *alerts.Mail) alerts.MailAnswer
}

const (
	// alertsEvery is how soon an alert is raised.
	alertsEvery = 3 * time.Second
	// closeEvery is how soon after its cut-off a day is closed.
	closeEvery = 10 * time.Second
	// mailsAtOnce is how many letters one job sends, one after the other: with a
	// server that hangs they stay within the job's time.
	mailsAtOnce = 4
	mailQueue   = "mail"
	closeQueue  = "closing"
	// closeTime is how long the closing of days may take.
	closeTime = 10 * time.Minute
)

// periodic makes a job that is put in line again and again.
func periodic(every time.Duration, queue string, args river.JobArgs) *river.PeriodicJob {
	return river.NewPeriodicJob(river.PeriodicInterval(every), func() (river.JobArgs, *river.InsertOpts) {
		return args, &river.InsertOpts{Queue: queue, MaxAttempts: 1}
	}, &river.PeriodicJobOpts{RunOnStart: true})
}

type alertArgs struct{}

// Kind names the job in River's tables.
func (alertArgs) Kind() string { return "alerts" }

type alertWorker struct {
	river.WorkerDefaults[alertArgs]
	alerts Alerts
}

// Work looks once.
func (w *alertWorker) Work(ctx context.Context, _ *river.Job[alertArgs]) error {
	return w.alerts.Watch(ctx)
}

type closeArgs struct{}

// Kind names the job in River's tables.
func (closeArgs) Kind() string { return "closeDays" }

type closeWorker struct {
	river.WorkerDefaults[closeArgs]
	closeDays func(context.Context) error
}

// Work closes the days whose cut-off has passed.
func (w *closeWorker) Work(ctx context.Context, _ *river.Job[closeArgs]) error {
	return w.closeDays(ctx)
}

// Timeout gives the closing of a large day its time.
func (w *closeWorker) Timeout(*river.Job[closeArgs]) time.Duration { return closeTime }

type mailArgs struct{}

// Kind names the job in River's tables.
func (mailArgs) Kind() string { return "mail" }

type mailWorker struct {
	river.WorkerDefaults[mailArgs]
	alerts Alerts
	sender MailSender // nil: no mail server is set
}

// Work sends the letters that are due. What came of one that was sent is written
// also when the process is told to stop.
func (w *mailWorker) Work(ctx context.Context, _ *river.Job[mailArgs]) error {
	if w.sender == nil {
		return nil
	}
	mails, err := w.alerts.ClaimMails(ctx, mailsAtOnce)
	if err != nil {
		return err
	}
	var failures []error
	for i := range mails {
		answer := w.sender.Send(ctx, &mails[i])
		failures = append(failures, w.alerts.ReportMail(context.WithoutCancel(ctx), &mails[i], answer))
	}
	return errors.Join(failures...)
}
