package jobs

import (
	"context"
	"errors"
	"time"

	"github.com/riverqueue/river"

	"veinte/models/alerts"
)

// Alerts checks for alerts, and provides the mails about them.
type Alerts interface {
	Watch(ctx context.Context) error
	ClaimMails(ctx context.Context, most int) ([]alerts.Mail, error)
	ReportMail(ctx context.Context, m *alerts.Mail, answer alerts.MailAnswer) error
}

// MailSender tries to send a mail once.
type MailSender interface {
	Send(ctx context.Context, m *alerts.Mail) alerts.MailAnswer
}

const (
	// alertsEvery is how often alerts are checked.
	alertsEvery = 3 * time.Second
	// closeEvery is how often days whose cut-off has passed are closed.
	closeEvery = 10 * time.Second
	// mailsAtOnce is how many mails one job sends, one after the other. It is
	// small so that the job stays within its time with a server that hangs.
	mailsAtOnce = 4
	mailQueue   = "mail"
	closeQueue  = "closing"
	// closeTime is how long closing days may take.
	closeTime = 10 * time.Minute
)

// periodic returns a job that is queued at a fixed interval.
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

// Work checks for alerts once.
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

// Timeout allows more time, to close a large day.
func (w *closeWorker) Timeout(*river.Job[closeArgs]) time.Duration { return closeTime }

type mailArgs struct{}

// Kind names the job in River's tables.
func (mailArgs) Kind() string { return "mail" }

type mailWorker struct {
	river.WorkerDefaults[mailArgs]
	alerts Alerts
	sender MailSender // nil: no mail server is configured
}

// Work sends the mails that are due. The outcome of a sent mail is stored even when
// the process is being stopped.
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
