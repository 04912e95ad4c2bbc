package alerts_test

import (
	"testing"
	"time"

	"veinte/models"
	"veinte/models/cancellations"
	"veinte/models/modelstest"
	"veinte/models/wiring"
)

// doubtOf has a person's cancellation come to be in doubt, and ended by a supervisor.
func doubtOf(t *testing.T, o *modelstest.Office, u *models.User, meanwhile ...string) *models.Sale {
	t.Helper()
	o.Manager.UserID = u.ID
	sale, c := o.StateOf(models.Unknown)
	for _, change := range meanwhile {
		modelstest.Exec(t, o.Owner, change, u.ID)
	}
	o.Clock.Advance(time.Minute)
	err := o.Cancellations.Resolve(t.Context(), o.Supervisor, c.ID, cancellations.Resolution{Outcome: models.Confirmed, Folio: "C-1"})
	if err != nil {
		t.Fatal(err)
	}
	return sale
}

// TestWhoAskedGetsALetter about how the doubt ended: one, in their language, with
// nothing of the card but its last digits.
func TestWhoAskedGetsALetter(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	u := modelstest.User(t, o.DB, o.Clock.Now(), "elena@tiendas.example", models.Manager, o.Store)
	modelstest.Exec(t, o.Owner, `UPDATE users SET language = 'en' WHERE id = $1`, u.ID)
	sale := doubtOf(t, o, u)
	mails := claim(t, o)
	modelstest.Wants(t, "letters", len(mails), 1)
	m := mails[0]
	if m.Recipient != u.Email || m.Language != "en" || m.AlertID != nil || m.Ended == nil {
		t.Fatalf("letter = %+v, want one to %s in en, about the cancellation", m, u.Email)
	}
	if e := m.Ended; e.SaleID != sale.ID || e.State != models.Confirmed || e.OrderID != sale.OrderID || e.Amount != sale.Amount ||
		e.Last4 != sale.Last4 || e.StoreName != o.Store.Name || !e.EndedAt.Equal(o.Clock.Now()) {
		t.Errorf("the letter says %+v of sale %+v", *e, *sale)
	}
}

// TestNoLetterToWhomItMeansNothing: without a mail server, to who may not sign in any
// more, and to an address that a letter cannot have. The doubt ends all the same.
func TestNoLetterToWhomItMeansNothing(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	for fact, change := range map[string]string{
		"disabled": `UPDATE users SET disabled_at = now() WHERE id = $1`,
		"over":     `UPDATE users SET access_until = '2026-11-19' WHERE id = $1`,
		"odd":      `UPDATE users SET email = 'odd' || chr(7) || '@tiendas.example' WHERE id = $1`,
	} {
		o := office.Branch(t)
		u := modelstest.User(t, o.DB, o.Clock.Now(), fact+"@tiendas.example", models.Manager, o.Store)
		doubtOf(t, o, u, change)
	}
	mute := office.Branch(t, func(c *wiring.Config) { c.CanMail = false })
	doubtOf(t, mute, modelstest.User(t, mute.DB, mute.Clock.Now(), "mute@tiendas.example", models.Manager, mute.Store))
	modelstest.Wants(t, "letters", modelstest.Count(t, office.Owner, `SELECT count(*) FROM mails`), 0)
}

// TestATestLetterIsNoLetterAboutADoubt: one that waits keeps none of the other from
// being queued.
func TestATestLetterIsNoLetterAboutADoubt(t *testing.T) {
	t.Parallel()
	o, admin := letters(t)
	modelstest.Exec(t, o.Owner, `DELETE FROM mails`)
	modelstest.Exec(t, o.Owner, `UPDATE users SET role = 'manager', all_stores = false WHERE id = $1`, admin.UserID)
	modelstest.Exec(t, o.Owner, `INSERT INTO user_stores (user_id, store_id) VALUES ($1, $2)`, admin.UserID, o.Store.ID)
	doubtOf(t, o, &models.User{ID: admin.UserID})
	if err := o.Alerts.SendTestMail(t.Context(), admin, "en"); err != nil {
		t.Fatal(err)
	}
	modelstest.Wants(t, "letters", modelstest.Count(t, o.Owner, `SELECT count(*) FROM mails`), 2)
}
