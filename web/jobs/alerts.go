package jobs

import (
	"context"
	"errors"

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

// mailsAtOnce is how many mails one job sends, one after the other. It is small so
// that the job stays within its time with a server that hangs.
const mailsAtOnce = 4

// sendMails sends the mails that are due; with a nil sender they stay queued. The
// outcome of a sent mail is stored even when the process is being stopped.
func sendMails(ctx context.Context, source Alerts, sender MailSender) error {
	if sender == nil {
		return nil
	}
	mails, err := source.ClaimMails(ctx, mailsAtOnce)
	if err != nil {
		return err
	}
	var failures []error
	for i := range mails {
		answer := sender.Send(ctx, &mails[i])
		failures = append(failures, source.ReportMail(context.WithoutCancel(ctx), &mails[i], answer))
	}
	return errors.Join(failures...)
}
