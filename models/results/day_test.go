package results_test

import (
	"fmt"
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/sales"
)

// posts has a terminal post a sale at a time of the day, and returns the sale.
func posts(t *testing.T, o *modelstest.Office, serial models.SerialNumber, at, order string) *models.Sale {
	t.Helper()
	o.Clock.Set(modelstest.At(t, "2026-11-20T"+at+"-06:00"))
	p := o.SalePost(serial, 125000)
	p.OrderID = order
	if r := o.Post(p); r.Status != models.ResultApplied {
		t.Fatalf("the post of %s at %s is %s (%s), want a sale", order, at, r.Status, r.Note)
	}
	return o.FindSale(order)
}

// longHere has the office's terminal stand there since last month.
func longHere(t *testing.T, o *modelstest.Office) {
	t.Helper()
	modelstest.Exec(t, o.Owner, `UPDATE assignments SET valid_from = valid_from - interval '30 days' WHERE terminal_id = $1`, o.Terminal.ID)
}

// TestADayThatNobodyCanProve: a terminal posts late what it kept, and where the order
// number holds no time nobody knows since when.
func TestADayThatNobodyCanProve(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	type post struct{ at, order string }
	for _, tt := range []struct {
		fact     string
		before   []post
		last     post
		unproven bool
	}{
		{"the first that is heard of a terminal", nil, post{"12:00:00", ""}, true},
		{"an hour after the one before", []post{{"11:00:00", ""}}, post{"12:00:00", ""}, true},
		{"less than an hour after it", []post{{"11:00:01", ""}}, post{"12:00:00", ""}, false},
		{"the second of those that were kept", []post{{"11:59:50", ""}}, post{"12:00:00", ""}, true},
		{"the last of those that were kept", []post{{"11:50:01", ""}, {"11:55:00", ""}}, post{"12:00:00", ""}, true},
		{"when they are through", []post{{"11:50:00", ""}, {"11:55:00", ""}}, post{"12:00:00", ""}, false},
		{"a steady terminal", []post{{"10:30:00", ""}, {"11:20:00", ""}, {"11:55:00", ""}}, post{"12:00:00", ""}, false},
		{"before six", []post{{"04:40:00", ""}, {"05:30:00", ""}}, post{"05:59:59", ""}, true},
		{"from six on", []post{{"04:40:00", ""}, {"05:30:00", ""}}, post{"06:00:00", ""}, false},
		{"a time in the order number, after a silence", nil, post{"12:00:00", "261120115930-%s"}, false},
		{"a time in the order number, before six", nil, post{"05:00:00", "261120045930-%s"}, false},
		{"yesterday's time in the order number", nil, post{"12:00:00", "261119195930-%s"}, false},
		{"the time and another terminal", nil, post{"12:00:00", "261120115930-1490000001"}, true},
		{"a time too old to be used, of a steady terminal", []post{{"11:30:00", ""}}, post{"12:00:00", "261110115930-%s"}, true},
		{"a time that has not come, of a steady terminal", []post{{"11:30:00", ""}}, post{"12:00:00", "261120190000-%s"}, true},
		{"digits that are no time, of a steady terminal", []post{{"11:30:00", ""}}, post{"12:00:00", "269920190000-%s"}, false},
	} {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			o := office.Branch(t)
			longHere(t, o)
			var got *models.Sale
			for i, p := range append(tt.before, tt.last) {
				order := fmt.Sprintf("%s-%d", o.Store.Code, i)
				if p.order != "" {
					order = fmt.Sprintf(p.order+"-%[2]s", o.Terminal.SerialNumber, o.Store.Code)
				}
				got = posts(t, o, o.Terminal.SerialNumber, p.at, order)
			}
			if got.DayNotProven() != tt.unproven || got.TicketDate != nil {
				t.Errorf("the day of the sale is not proven: %v (ticket: %v), want %v", got.DayNotProven(), got.TicketDate, tt.unproven)
			}
		})
	}
	office.CheckInvariants(t)
}

// TestSilenceIsOfOneTerminal: what others post, or somebody at another address, is not
// heard of this terminal; and what our server did not hear, it heard of none.
func TestSilenceIsOfOneTerminal(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	other := o.NewTerminal(o.Store)
	posts(t, o, other.SerialNumber, "11:30:00", "A-1")
	p := o.SalePost(o.Terminal.SerialNumber, 100)
	p.AddressSerial = string(other.SerialNumber) // at the other's own address
	o.Post(p)
	if s := posts(t, o, o.Terminal.SerialNumber, "12:00:00", "B-1"); !s.DayNotProven() {
		t.Error("another terminal's posts are taken for this one's")
	}
	steady := posts(t, o, other.SerialNumber, "12:20:00", "A-2")
	if steady.DayNotProven() {
		t.Error("a terminal that was heard 50 minutes before is taken for silent")
	}
	// The server is down for an hour.
	for i, serial := range []models.SerialNumber{o.Terminal.SerialNumber, other.SerialNumber} {
		if s := posts(t, o, serial, "13:20:00", fmt.Sprintf("C-%d", i)); !s.DayNotProven() {
			t.Errorf("the first post of terminal %s after the outage proves its day", serial)
		}
	}
	o.CheckInvariants(t)
}

// TestOtherDoorsSayTheDay: a program or a file that tells the sale knows when it was
// made.
func TestOtherDoorsSayTheDay(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	for _, tt := range []struct {
		fact, soldAt, said, want string
		lists                    models.SaleState
	}{
		{"today", "2026-11-20T11:10:00-06:00", "known", "2026-11-20", models.SaleCancelable},
		{"yesterday", "2026-11-19T18:10:00-06:00", "known", "2026-11-19", models.SaleTooLate},
		{"long ago: another sale of that number", "2026-11-12T18:10:00-06:00", "conflict soldAt:sale.differs", "", models.SaleCancelable},
	} {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			o := office.Branch(t)
			longHere(t, o)
			s := posts(t, o, o.Terminal.SerialNumber, "12:00:00", "D-"+o.Store.Code)
			told := modelstest.GivenSale(o, s.OrderID)
			told.SoldAt, told.MerchantID, told.AuthCode, told.Folio = tt.soldAt, s.MerchantID, "", ""
			actor := modelstest.RequestKey(o.Store)
			if got := modelstest.Said(modelstest.Record(t, o, actor, modelstest.ByAPI, told)[0]); got != tt.said {
				t.Errorf("told as of %s: %q, want %q", tt.soldAt, got, tt.said)
			}
			s = o.FindSale(s.OrderID)
			if got := s.TicketDate; tt.want == "" && got != nil || tt.want != "" && (got == nil || string(*got) != tt.want) {
				t.Errorf("the ticket's date is %v, want %q", got, tt.want)
			}
			if now := o.Clock.Now(); s.Shown(o.Rules.Window(), now) != tt.lists {
				t.Errorf("the sale is %s, want %s", s.Shown(o.Rules.Window(), now), tt.lists)
			}
			page, err := o.Sales.DaySales(t.Context(), o.Manager, sales.Filter{Day: "2026-11-20", State: tt.lists})
			if err != nil || len(page.Sales) != 1 {
				t.Errorf("DaySales(%s) = %+v, %v, want the sale", tt.lists, page, err)
			}
			entries := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'sale.completed'
				AND sale_id = $1 AND after->>'ticketDate' = $2`, s.ID, tt.want)
			if want := map[bool]int{true: 1}[tt.want != ""]; entries != want {
				t.Errorf("entries with the date = %d, want %d", entries, want)
			}
			// Once somebody said it, it stays: another day contradicts.
			if tt.want != "" {
				told.SoldAt = "2026-11-18T10:00:00-06:00"
				if got := modelstest.Said(modelstest.Record(t, o, actor, modelstest.ByAPI, told)[0]); got != "conflict soldAt:sale.differs" {
					t.Errorf("told as of another day: %q, want a conflict", got)
				}
			}
		})
	}
	office.CheckInvariants(t)
}

// TestALateSaleOfBeforeMidnight: the day of the order number counts.
func TestALateSaleOfBeforeMidnight(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	longHere(t, o)
	s := posts(t, o, o.Terminal.SerialNumber, "00:30:00", "261119235900-"+string(o.Terminal.SerialNumber))
	if s.DayNotProven() || s.BusinessDay != "2026-11-19" || o.Rules.Window().Open(s, o.Clock.Now()) {
		t.Errorf("the sale = %+v, want it proven of the 19th, and closed", s)
	}
}
