package alerts_test

import (
	"errors"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/alerts"
	"veinte/models/modelstest"
)

// letters queues a test letter for an administrator who can sign in.
func letters(t *testing.T) (*modelstest.Office, models.Actor) {
	t.Helper()
	o := modelstest.NewOffice(t)
	u := modelstest.User(t, o.DB, o.Clock.Now(), "diego@tiendas.example", models.Administrator)
	admin := o.Admin
	admin.UserID = u.ID
	for range 3 { // pressed three times
		if err := o.Alerts.SendTestMail(t.Context(), admin, "es-MX"); err != nil {
			t.Fatal(err)
		}
	}
	return o, admin
}

func claim(t *testing.T, o *modelstest.Office) []alerts.Mail {
	t.Helper()
	mails, err := o.Alerts.ClaimMails(t.Context(), 10)
	if err != nil {
		t.Fatal(err)
	}
	return mails
}

// TestALetterIsSentByOne process at a time; another takes over the letter of a dead
// process, and a late report changes nothing.
func TestALetterIsSentByOne(t *testing.T) {
	t.Parallel()
	o, _ := letters(t)
	first := claim(t, o)
	modelstest.Wants(t, "letters", len(first), 1)
	modelstest.Wants(t, "taken twice", len(claim(t, o)), 0)
	o.Clock.Advance(3 * time.Minute)
	second := claim(t, o)
	modelstest.Wants(t, "taken over", len(second), 1)
	modelstest.Wants(t, "number", second[0].MessageID, first[0].MessageID)
	report := func(m alerts.Mail, d alerts.MailDetail) {
		if err := o.Alerts.ReportMail(t.Context(), &m, alerts.MailAnswer{At: o.Clock.Now(), Detail: d}); err != nil {
			t.Fatal(err)
		}
	}
	report(first[0], alerts.MailTimeout)
	modelstest.Wants(t, "tries by whoever has it no more", modelstest.Count(t, o.Owner, `SELECT count(*) FROM mail_tries`), 0)
	report(second[0], alerts.MailAccepted)
	modelstest.Wants(t, "sent", modelstest.Count(t, o.Owner, `SELECT count(*) FROM mails WHERE state = 'sent' AND tries = 1`), 1)
	o.Clock.Advance(time.Hour)
	modelstest.Wants(t, "sent again", len(claim(t, o)), 0)
}

// TestALetterIsTriedAgain at growing intervals for a day, and not at all after a
// permanent refusal. Abandoning it is recorded in the trail.
func TestALetterIsTriedAgain(t *testing.T) {
	t.Parallel()
	for detail, most := range map[alerts.MailDetail]int{alerts.MailLater: 40, alerts.MailRefused: 1} {
		t.Run(string(detail), func(t *testing.T) {
			t.Parallel()
			o, _ := letters(t)
			tries := 0
			for range 200 {
				for _, m := range claim(t, o) {
					tries++
					answer := alerts.MailAnswer{At: o.Clock.Now(), Detail: detail, Answer: "4.5.1 \x00\xff"}
					if err := o.Alerts.ReportMail(t.Context(), &m, answer); err != nil {
						t.Fatal(err)
					}
				}
				o.Clock.Advance(10 * time.Minute)
			}
			if tries > most || detail == alerts.MailLater && tries < 10 {
				t.Errorf("tried %d times, want at most %d", tries, most)
			}
			modelstest.Wants(t, "given up", modelstest.Count(t, o.Owner, `SELECT count(*) FROM mails WHERE state = 'givenUp'`), 1)
			modelstest.Wants(t, "log", modelstest.Count(t, o.Owner, `SELECT count(*) FROM mail_tries`), tries)
			modelstest.Wants(t, "entries", modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'mail.givenUp'`), 1)
		})
	}
}

// TestNoMailWithoutAServer: without a mail server no letter is queued.
func TestNoMailWithoutAServer(t *testing.T) {
	t.Parallel()
	o, admin := letters(t)
	mute := alerts.New(alerts.Config{DB: o.DB, Clock: o.Clock})
	noMail := &models.Error{Kind: models.KindConflict, Code: "alert.noMail"}
	if err := mute.SendTestMail(t.Context(), admin, ""); !modelstest.IsError(err, noMail) {
		t.Errorf("SendTestMail() = %v", err)
	}
	if mails, err := mute.ClaimMails(t.Context(), 10); len(mails) != 0 || err != nil {
		t.Errorf("ClaimMails() = %v, %v", mails, err)
	}
	if err := o.Alerts.SendTestMail(t.Context(), o.Supervisor, ""); !errors.Is(err, models.ErrForbidden) {
		t.Errorf("SendTestMail() by a supervisor = %v", err)
	}
}
