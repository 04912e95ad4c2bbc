package modelstest

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/audit/verify"
	"veinte/models/oversight"
)

func FindingOfPerson(o *Office, name string) models.Actor {
	return Named(Person(models.Manager, o.Store), name)
}

func Sub(who models.Actor) string { return fmt.Sprint("u", who.UserID) }

// Quickly makes a finding of n cancellations within a minute, and returns the filter
// that finds it.
func Quickly(t testing.TB, o *Office, who models.Actor, n int) oversight.Filter {
	t.Helper()
	Past(t, o, Spell{Who: who, Sales: n, Asked: n, After: 30e9}.Week(0))
	return oversight.Filter{Kind: oversight.FindQuick, Subject: Sub(who)}
}

func FindFindings(t testing.TB, o *Office, who models.Actor, f oversight.Filter) *oversight.Finding {
	t.Helper()
	got, _, err := o.Oversight.Finding(t.Context(), who, f)
	if err != nil {
		t.Fatalf("Finding(%+v) = %v", f, err)
	}
	return got
}

// AsShown is the input for reviewing the finding as a page shows it now.
func AsShown(f oversight.Filter, of *oversight.Finding, note string) oversight.MarkInput {
	return oversight.MarkInput{Filter: f, Seen: of.Checksum(), Last: of.Last(), Note: note}
}

// Spell is the activity of one person on one day at one terminal.
type Spell struct {
	Day      string // 2026-11-20
	At       string // when it was asked; "" for 15:00:00
	Store    *models.Store
	Terminal *models.Terminal
	Who      models.Actor
	Sales    int
	Asked    int // of them
	State    models.State
	Amount   models.Money
	Last4    string
	Brand    string
	Reason   string
	After    time.Duration // of the sale; 0: ten minutes
}

var spellNumber atomic.Int64

// Past writes the rows of spells as real activity would have left them, without the
// trail.
func Past(t testing.TB, o *Office, spells ...Spell) {
	t.Helper()
	for _, s := range spells {
		if s.At == "" {
			s.At = "15:00:00"
		}
		if s.Store == nil {
			s.Store = o.Store
		}
		if s.Terminal == nil {
			s.Terminal = o.Terminal
		}
		if s.State == "" {
			s.State = models.Confirmed
		}
		if s.Amount == 0 {
			s.Amount = 20000
		}
		if s.Reason == "" {
			s.Reason = "chargedTwice"
		}
		if s.After == 0 {
			s.After = 10 * time.Minute
		}
		asked := At(t, s.Day+"T"+s.At+"-06:00")
		prefix := fmt.Sprintf("H-%d", spellNumber.Add(1))
		Exec(t, o.Owner, `INSERT INTO sales (store_id, terminal_id, serial_number, merchant_id, order_id, amount, currency, sold_at, received_at,
				business_day, cutoff_at, last4, card_brand, auth_code, folio, state)
			SELECT $1, $2, $3, 'M' || $3, $4 || '-' || n, $5, 'MXN', $6, $6, $7, $8, $9, $10, '', '',
				CASE WHEN n <= $11::int AND $12 = 'confirmed' THEN 'confirmed' ELSE 'cancelable' END FROM generate_series(1, $13::int) n`,
			s.Store.ID, s.Terminal.ID, string(s.Terminal.SerialNumber), prefix, int64(s.Amount), asked.Add(-s.After), s.Day,
			At(t, s.Day+"T20:00:00-06:00"), s.Last4, s.Brand, s.Asked, string(s.State), s.Sales)
		var by *int64
		origin := "terminal"
		if s.Who.UserID != 0 {
			by, origin = &s.Who.UserID, "person"
		}
		Exec(t, o.Owner, `INSERT INTO cancellations (sale_id, store_id, terminal_id, state, omit_receipt, reason, note, origin,
				requested_by, requester,
				requester_role, click, requested_at, cutoff_at, changed_at)
			SELECT id, store_id, terminal_id, $1, false, $2, '', $3, $4, $5, $6, order_id, $7, cutoff_at, $7
			FROM sales WHERE order_id LIKE $8 || '-%' ORDER BY id LIMIT $9`,
			string(s.State), s.Reason, origin, by, s.Who.Name, string(s.Who.Role), asked, prefix, s.Asked)
	}
}

// Week repeats a spell on the day that many weeks before the office's Friday.
func (s Spell) Week(ago int) Spell {
	day, _ := time.Parse(time.DateOnly, "2026-11-20")
	s.Day = day.AddDate(0, 0, -7*ago).Format(time.DateOnly)
	return s
}

// Weeks repeats a spell in each of eight weeks before the last one.
func (s Spell) Weeks() []Spell {
	var all []Spell
	for ago := range 8 {
		all = append(all, s.Week(ago+1))
	}
	return all
}

func Named(who models.Actor, name string) models.Actor {
	who.Name = name
	return who
}

// Members adds the database rows that stored data of the actors refers to.
func Members(t *testing.T, o *Office, actors ...models.Actor) {
	t.Helper()
	for _, a := range actors {
		o.enrol(a)
	}
}

func FindingsOf(v *verify.Verdict) string {
	var b strings.Builder
	for _, f := range v.Findings {
		fmt.Fprintf(&b, "%s entry %d leaf %d: %s\n", f.Code, f.EntryID, f.N, f.Detail)
	}
	return b.String()
}
