package alerts_test

import (
	"errors"
	"testing"

	"veinte/models"
	"veinte/models/alerts"
	"veinte/models/modelstest"
)

// checkpointMails are the recipients of letters that are due, with the day of each.
func checkpointMails(t *testing.T, o *modelstest.Office, a *alerts.Service) map[string]string {
	t.Helper()
	got := map[string]string{}
	mails, err := a.ClaimMails(t.Context(), 20)
	if err != nil {
		t.Fatal(err)
	}
	for i := range mails {
		m := &mails[i]
		if m.CheckpointDay == nil || m.Checkpoint == nil {
			continue
		}
		got[m.Recipient] += string(*m.CheckpointDay) + " "
		latest, err := o.Attest.LatestCheckpoint(t.Context())
		if err != nil || m.Checkpoint.Note != latest.Note {
			t.Errorf("the letter brings\n%s\nwant the last checkpoint, %v", m.Checkpoint.Note, err)
		}
		if err := a.ReportMail(t.Context(), m, alerts.MailAnswer{At: o.Clock.Now(), Detail: alerts.MailAccepted}); err != nil {
			t.Fatal(err)
		}
	}
	return got
}

// TestTheCheckpointOfADayIsMailed an hour after the cut-off, once, to who wants and may have
// it; at once to who begins to want it.
func TestTheCheckpointOfADayIsMailed(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	o.SealTrail(int64(modelstest.Count(t, o.Owner, `SELECT max(id) FROM audit_entries`)))
	a := modelstest.AlertsOf(t, o)
	person := func(email string, role models.Role, stores ...*models.Store) models.Actor {
		u := modelstest.User(t, o.DB, o.Clock.Now(), email, role, stores...)
		return models.Actor{UserID: u.ID, Name: u.Name, Role: role, AllStores: true}
	}
	elena, sofia := person("elena@tiendas.example", models.Auditor), person("sofia@tiendas.example", models.Supervisor)
	gone, demoted := person("gone@tiendas.example", models.Auditor), person("demoted@tiendas.example", models.Supervisor)
	ana := person("ana@tiendas.example", models.Manager, o.Store)
	set := func(actor models.Actor, on bool) {
		t.Helper()
		if err := a.SetCheckpointMail(t.Context(), actor, on); err != nil {
			t.Fatal(err)
		}
	}
	wants := func(when string, want map[string]string) {
		t.Helper()
		modelstest.PageLook(t, a)
		modelstest.Wants(t, "letters "+when, checkpointMails(t, o, a), want)
	}

	if err := a.SetCheckpointMail(t.Context(), ana, true); !errors.Is(err, models.ErrForbidden) {
		t.Errorf("SetCheckpointMail() by a manager = %v", err)
	}
	for _, actor := range []models.Actor{elena, gone, demoted} {
		set(actor, true)
		set(actor, true) // a second click
	}
	yesterday := "2026-11-19 "
	wants("at once", map[string]string{elenaMail: yesterday, "gone@tiendas.example": yesterday, "demoted@tiendas.example": yesterday})
	modelstest.Wants(t, "entries", modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'user.checkpointMail'`), 3)

	modelstest.Exec(t, o.Owner, `UPDATE users SET access_until = '2026-11-19' WHERE email = 'gone@tiendas.example'`)
	modelstest.Exec(t, o.Owner, `UPDATE users SET role = 'manager', all_stores = false WHERE email = 'demoted@tiendas.example'`)
	o.Clock.Set(modelstest.At(t, "2026-11-20T20:59:59-06:00"))
	wants("before their time", map[string]string{})
	o.Clock.Set(modelstest.At(t, "2026-11-20T21:00:00-06:00"))
	wants("in their time", map[string]string{elenaMail: "2026-11-20 "})
	wants("again", map[string]string{})
	modelstest.Wants(t, "letters by another process", func() map[string]string {
		other := modelstest.AlertsOf(t, o)
		return checkpointMails(t, o, other)
	}(), map[string]string{})

	set(sofia, true)
	wants("to one more", map[string]string{"sofia@tiendas.example": "2026-11-20 "})
	set(elena, false)
	o.Clock.Set(modelstest.At(t, "2026-11-23T00:10:00-06:00")) // a server that was away
	wants("after two days", map[string]string{"sofia@tiendas.example": "2026-11-22 "})
}

const elenaMail = "elena@tiendas.example"
