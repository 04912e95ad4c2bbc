package oversight_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/intake"
	"veinte/models/modelstest"
	"veinte/models/oversight"
)

func TestLateCancellations(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	ana, beto := modelstest.FindingOfPerson(o, "Ana"), modelstest.FindingOfPerson(o, "Beto")
	// In the weeks before, one in sixteen is in the last quarter of an hour.
	modelstest.Past(t, o, modelstest.Spell{Who: beto, Sales: 50, Asked: 15}.Weeks()...)
	modelstest.Past(t, o, modelstest.Spell{Who: beto, Sales: 1, Asked: 1, At: "19:50:00"}.Weeks()...)
	modelstest.Past(t, o,
		modelstest.Spell{Who: beto, Sales: 50, Asked: 15}.Week(0), modelstest.Spell{Who: beto, Sales: 1, Asked: 1, At: "19:50:00"}.Week(0),
		modelstest.Spell{Who: ana, Sales: 4, Asked: 4}.Week(0), modelstest.Spell{Who: ana, Sales: 6, Asked: 6, At: "19:45:00"}.Week(0),
		modelstest.Spell{Who: ana, Sales: 1, Asked: 1, At: "19:44:59"}.Week(0),
		// the instant is too late: not before it
		modelstest.Spell{Who: ana, Sales: 1, Asked: 1, At: "20:00:00"}.Week(0),
		// withdrawn: nothing was canceled
		modelstest.Spell{Who: ana, Sales: 9, Asked: 9, At: "19:50:00", State: models.Withdrawn}.Week(0),
	)
	f := lastWeek
	f.Kind = oversight.FindLate
	found := findings(t, o, o.Supervisor, f)
	if want := []string{"late:" + modelstest.Sub(ana) + ":6!", "late:" + modelstest.Sub(beto) + ":1"}; !slices.Equal(summed(found), want) {
		t.Fatalf("late = %v, want %v", summed(found), want)
	}
	a := found.List[0]
	if a.Late.Late != 6 || a.Late.All != 12 || a.Late.UsuallyLate != 8 || a.Late.UsualAll != 128 ||
		a.Late.Times < 7.9 || a.Late.Times > 8.1 || a.Amount != 6*20000 {
		t.Errorf("Ana = %+v, want 6 of 12 beside 8 of 128: 8 times", a.Late)
	}
	f.Minutes = 5
	if found := findings(t, o, o.Supervisor, f); len(found.List) != 0 {
		t.Errorf("in the last five minutes = %v, want none", summed(found))
	}
	f.Minutes = 30
	if found := findings(t, o, o.Supervisor, f); len(found.List[0].Cancellations) != 7 {
		t.Errorf("in the last half hour = %v, want Ana with 7", summed(found))
	}
	// Without weeks before, nothing is compared.
	f.From, f.To = "2026-09-19", "2026-09-25"
	if found := findings(t, o, o.Supervisor, f); len(found.List) != 1 || found.List[0].Outlier || !found.List[0].Few {
		t.Errorf("with nothing before = %+v, want one that is not judged", found.List)
	}
}

func TestTheSameCardAgainAndAgain(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	there := o.Branch(t)
	ana, beto := modelstest.FindingOfPerson(o, "Ana"), modelstest.FindingOfPerson(o, "Beto")
	at := func(ago int, at, last4, brand string) modelstest.Spell {
		day := modelstest.At(t, "2026-11-20T12:00:00-06:00").AddDate(0, 0, -ago).Format(time.DateOnly)
		return modelstest.Spell{Day: day, At: at, Who: ana, Sales: 1, Asked: 1, Last4: last4, Brand: brand}
	}
	elsewhere := at(2, "13:00:00", "4242", "VISA")
	elsewhere.Store, elsewhere.Terminal, elsewhere.Who = there.Store, there.Terminal, beto
	dropped := at(0, "11:00:00", "1111", "VISA")
	dropped.State = models.Withdrawn
	modelstest.Past(t, o,
		at(0, "12:00:00", "4242", "VISA"), elsewhere, at(4, "12:00:00", "4242", ""), // one of unknown brand
		at(0, "12:00:00", "5555", "VISA"), at(1, "12:00:00", "5555", "AMEX"), at(2, "12:00:00", "5555", "AMEX"), // two brands
		at(0, "12:00:00", "1111", "VISA"), at(1, "12:00:00", "1111", "VISA"), dropped,
		at(0, "12:00:00", "9999", "VISA"), at(9, "12:00:00", "9999", "VISA"), at(18, "12:00:00", "9999", "VISA"), // far apart
		at(0, "12:00:00", "", ""), at(1, "12:00:00", "", ""), at(2, "12:00:00", "", ""), // no digits known
	)
	found := findings(t, o, o.Supervisor, oversight.Filter{Kind: oversight.FindCard})
	if want := []string{"card:4242 VISA:3!"}; !slices.Equal(summed(found), want) {
		t.Fatalf("cards = %v, want %v", summed(found), want)
	}
	if c := found.List[0].Chance; c <= 0 || c > 0.01 {
		t.Errorf("by chance = %g, want very few", c)
	}
	f := oversight.Filter{Kind: oversight.FindCard, Times: 2}
	twice := []string{"card:1111 VISA:2!", "card:4242 VISA:3!", "card:5555 AMEX:2!"}
	if got := summed(findings(t, o, o.Supervisor, f)); !slices.Equal(got, twice) {
		t.Errorf("twice = %v, want %v", got, twice)
	}
	f.Days = 1
	if got := summed(findings(t, o, o.Supervisor, f)); len(got) != 0 {
		t.Errorf("twice within a day = %v, want none", got)
	}
	// A user of one store sees only its cancellations.
	here := modelstest.Person(models.Supervisor, o.Store)
	if got := summed(findings(t, o, here, oversight.Filter{Kind: oversight.FindCard})); len(got) != 0 {
		t.Errorf("in one store = %v, want none: the third is another's", got)
	}
}

// One sale with repeated requests is one sale.
func TestACardIsCountedBySales(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale := o.Sale(5000) // 4242
	for range 4 {
		c := o.Request(sale)
		o.API.Then(modelstest.NoTerminal)
		o.Dispatch(c.ID)
	}
	if got := summed(findings(t, o, o.Supervisor, oversight.Filter{Kind: oversight.FindCard, Times: 2})); len(got) != 0 {
		t.Errorf("one sale, four cases = %v, want none", got)
	}
}

// Among thousands of cancellations, three with the same digits are chance.
func TestChanceIsNoFinding(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	ana := modelstest.FindingOfPerson(o, "Ana")
	modelstest.Exec(t, o.Owner, `INSERT INTO sales (store_id, terminal_id, serial_number, merchant_id, order_id, amount, currency,
			sold_at, received_at, business_day, cutoff_at, last4, card_brand, auth_code, folio, state)
		SELECT $1, $2, $3, 'M', 'C-' || n, 100, 'MXN',
			d, d, d::date, d::date + interval '26 hours', lpad((n * 7 % 10000)::text, 4, '0'), '', '', '', 'confirmed'
		FROM generate_series(1, 12000) n, LATERAL (SELECT timestamptz '2026-11-20T18:00:00Z' - n % 28 * interval '1 day' AS d) x`,
		o.Store.ID, o.Terminal.ID, string(o.Terminal.SerialNumber))
	modelstest.Exec(t, o.Owner, `INSERT INTO cancellations (sale_id, store_id, terminal_id, state, omit_receipt, reason, note, origin,
			requested_by, requester, click, requested_at, cutoff_at, changed_at)
		SELECT id, store_id, terminal_id, 'confirmed', false, 'other', '', 'person',
			$1, 'Ana', order_id, sold_at, cutoff_at, sold_at FROM sales`, ana.UserID)
	modelstest.Past(t, o, modelstest.Spell{Who: ana, Sales: 3, Asked: 3, Last4: "0007"}.Week(0))
	found := findings(t, o, o.Supervisor, oversight.Filter{Kind: oversight.FindCard})
	if len(found.List) != 0 || found.Repeats <= 3 {
		t.Errorf("three of 12,000 = %v, from %d times on; want none, and more than 3", summed(found), found.Repeats)
	}
	modelstest.Past(t, o, modelstest.Spell{Who: ana, Sales: 9, Asked: 9, Last4: "0007"}.Week(0))
	if found := findings(t, o, o.Supervisor, oversight.Filter{Kind: oversight.FindCard}); len(found.List) != 1 {
		t.Errorf("twelve of 12,000 within a week = %v, want it", summed(found))
	}
}

func TestWhoTellsASaleAndCancelsIt(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	other := modelstest.FindingOfPerson(o, "Beto")
	for n := range 4 {
		e := intake.ManualSale{
			TerminalID: o.Terminal.ID,
			SaleInput:  models.SaleInput{OrderID: fmt.Sprintf("MANO-%d", n), Amount: fmt.Sprint(100 + n)},
			Date:       "2026-11-20",
			Time:       fmt.Sprintf("0%d:30", n+5),
		}
		e.Reviewed = []string{"sale.similar", "sale.orderUnlike"}
		got, err := o.Intake.RecordManual(t.Context(), o.Manager, e)
		if err != nil || got.Status != intake.Created {
			t.Fatalf("EnterSale() = %+v, %v", got, err)
		}
		who := o.Manager
		if n == 3 {
			who = other // reported by one, canceled by another: nothing
		}
		if _, err := o.Cancellations.Request(t.Context(), who, o.CancelRequest(o.FindSale(e.OrderID))); err != nil {
			t.Fatal(err)
		}
		want := []string{fmt.Sprintf("own:%s:%d", modelstest.Sub(o.Manager), min(n+1, 3))}
		if n >= 2 {
			want[0] += "!"
		}
		if got := summed(findings(t, o, o.Supervisor, oversight.Filter{Kind: oversight.FindOwn})); !slices.Equal(got, want) {
			t.Errorf("after %d = %v, want %v", n+1, got, want)
		}
	}
}

// A person who uploaded the file of a sale and cancels it is an outlier at once:
// nobody does that to serve a customer.
func TestWhoImportsASaleAndCancelsIt(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	modelstest.Exec(t, o.Owner, `INSERT INTO imports (id, kind, state, file_name, file_size, file_hash, notes, row_count,
			actor, given_by, created_at, changed_at, beat_at)
		OVERRIDING SYSTEM VALUE VALUES (70, 'sales', 'imported', 'a.csv', 1, $1, '{}', 1, $2, 'x', now(), now(), now())`,
		make([]byte, 32), fmt.Sprintf(`{"UserID": %d, "Name": "Ana"}`, o.Manager.UserID))
	modelstest.Past(t, o, modelstest.Spell{Sales: 1, Who: models.Actor{}}.Week(0))
	modelstest.Exec(t, o.Owner, `INSERT INTO sales (store_id, terminal_id, serial_number, merchant_id, order_id, amount, currency,
			sold_at, received_at, business_day, cutoff_at, last4, card_brand, auth_code, folio, source, batch_id)
		SELECT store_id, terminal_id, serial_number, merchant_id, 'I-1', amount, currency,
			$1, $1, '2026-11-20', $2, '', '', '', '', 'import', 70 FROM sales LIMIT 1`,
		o.Clock.Now().Add(-time.Hour), modelstest.At(t, "2026-11-20T20:00:00-06:00"))
	o.Request(o.FindSale("I-1"))
	want := []string{"own:" + modelstest.Sub(o.Manager) + ":1!"}
	if got := summed(findings(t, o, o.Supervisor, oversight.Filter{})); !slices.Equal(got, want) {
		t.Errorf("findings = %v, want %v", got, want)
	}
}

func TestQuickAndLarge(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	ana := modelstest.FindingOfPerson(o, "Ana")
	quick := modelstest.Spell{Who: ana, Sales: 2, Asked: 2, After: 59 * time.Second}.Week(0)
	slow := modelstest.Spell{Who: ana, Sales: 3, Asked: 3, After: time.Minute}.Week(0)
	modelstest.Past(t, o, quick, slow)
	f := oversight.Filter{Kind: oversight.FindQuick}
	if got, want := summed(findings(t, o, o.Supervisor, f)), []string{"quick:" + modelstest.Sub(ana) + ":2"}; !slices.Equal(got, want) {
		t.Errorf("quick = %v, want %v", got, want)
	}
	modelstest.Past(t, o, quick)
	if got, want := summed(findings(t, o, o.Supervisor, f)), []string{"quick:" + modelstest.Sub(ana) + ":4!"}; !slices.Equal(got, want) {
		t.Errorf("quick = %v, want %v", got, want)
	}

	f.Kind = oversight.FindLarge
	huge := modelstest.Spell{Who: ana, Sales: 1, Asked: 1, Amount: 9000000}.Week(0)
	modelstest.Past(t, o, huge)
	if got := summed(findings(t, o, o.Supervisor, f)); len(got) != 0 {
		t.Errorf("large, of a store that nobody knows yet = %v, want none", got)
	}
	modelstest.Past(t, o, modelstest.Spell{Sales: 3000}.Week(1))
	got := findings(t, o, o.Supervisor, f)
	if want := []string{fmt.Sprintf("large:s%d:1!", o.Store.ID)}; !slices.Equal(summed(got), want) ||
		got.List[0].Amount != 9000000 || got.List[0].Usual < 20000 || got.List[0].Usual > 30000 {
		t.Errorf("large = %v, usually %d; want %v, beside some 23,000", summed(got), got.List[0].Usual, want)
	}
}

func TestManyRefusals(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	there := o.Branch(t)
	now := o.Clock.Now()
	ana := modelstest.User(t, o.DB, now, "ana@veinte.test", models.Manager, o.Store)
	both := modelstest.User(t, o.DB, now, "both@veinte.test", models.Manager, o.Store, there.Store)
	actor := func(u *models.User) models.Actor {
		return models.Actor{UserID: u.ID, Name: u.Name, Role: u.Role, StoreIDs: u.StoreIDs}
	}
	for range 4 {
		if err := o.Audit.Refused(t.Context(), actor(ana), "GET /users"); err != nil {
			t.Fatal(err)
		}
	}
	// Whoever presses just after a colleague was refused nothing that is not theirs.
	taken := o.Sale(100)
	o.Request(taken)
	for range 3 {
		if _, err := o.Cancellations.Request(t.Context(), actor(ana), o.CancelRequest(taken)); !errors.Is(err, models.ErrCancellationOpen) {
			t.Fatalf("a second request = %v, want ErrCancellationOpen", err)
		}
	}
	// Nor does somebody who mistypes the number of a sale try anything.
	for i := range 6 {
		if err := o.Audit.Refused(t.Context(), actor(ana), fmt.Sprint("GET /sales/", 900000+i)); err != nil {
			t.Fatal(err)
		}
		_ = o.Audit.Refuse(t.Context(), actor(ana), models.ActionCancelRefused,
			audit.RefusalRecord{SaleID: int64(900000 + i), Why: models.ErrNotFound})
	}
	_ = o.Audit.Refused(t.Context(), actor(ana), "GET /sales/99999999999999999999")
	f := oversight.Filter{Kind: oversight.FindRefusals}
	minuteOver := func() {
		if err := o.Audit.FlushRefusals(t.Context(), true); err != nil {
			t.Fatal(err)
		}
	}
	minuteOver()
	if got, want := summed(findings(t, o, o.Supervisor, f)), []string{fmt.Sprintf("refusals:u%d:4", ana.ID)}; !slices.Equal(got, want) {
		t.Errorf("four = %v, want %v", got, want)
	}
	// Whoever types somebody's address and a wrong password need not be that person.
	for range 5 {
		if _, _, err := o.Entrance.Login(t.Context(), models.Actor{Address: "192.0.2.9"}, "ana@veinte.test", "not hers"); err == nil {
			t.Fatal("a wrong password was taken")
		}
		_, _, _ = o.Entrance.Login(t.Context(), models.Actor{Address: "192.0.2.8"}, "nobody@veinte.test", "guess")
	}
	if got, want := summed(findings(t, o, o.Supervisor, f)), []string{fmt.Sprintf("refusals:u%d:4", ana.ID)}; !slices.Equal(got, want) {
		t.Errorf("four and wrong passwords = %v, want %v", got, want)
	}
	if err := o.Audit.Refused(t.Context(), actor(ana), "GET /users"); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		_ = o.Audit.Refused(t.Context(), actor(both), "GET /users")
	}
	minuteOver()
	want := []string{fmt.Sprintf("refusals:u%d:5!", ana.ID), fmt.Sprintf("refusals:u%d:5!", both.ID)}
	if got := summed(findings(t, o, o.Supervisor, f)); !slices.Equal(got, want) {
		t.Errorf("everything = %v, want %v", got, want)
	}
	// Nothing of other stores, not even through people who work here too.
	if got, want := summed(findings(t, o, modelstest.Person(models.Supervisor, o.Store), f)), want[:1]; !slices.Equal(got, want) {
		t.Errorf("in one store = %v, want %v", got, want)
	}
	// A sale that exists, of another store, is no slip.
	for range 2 {
		_ = o.Audit.Refused(t.Context(), actor(ana), fmt.Sprint("GET /sales/", taken.ID))
	}
	minuteOver()
	want = []string{fmt.Sprintf("refusals:u%d:7!", ana.ID), fmt.Sprintf("refusals:u%d:5!", both.ID)}
	if got := summed(findings(t, o, o.Supervisor, f)); !slices.Equal(got, want) {
		t.Errorf("with two denied sales = %v, want %v", got, want)
	}
	// The day ends in Mexico City, not in UTC.
	f.From, f.To = "2026-11-21", "2026-11-21"
	if got := summed(findings(t, o, o.Supervisor, f)); len(got) != 0 {
		t.Errorf("the day after = %v, want none", got)
	}
}

func TestAFarOutPersonIsAFinding(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	ana, beto := modelstest.FindingOfPerson(o, "Ana"), modelstest.FindingOfPerson(o, "Beto")
	modelstest.Past(t, o, modelstest.Spell{Who: ana, Sales: 400, Asked: 4}.Weeks()...)
	modelstest.Past(t, o, modelstest.Spell{Who: ana, Sales: 400, Asked: 15}.Week(0), modelstest.Spell{Who: beto, Sales: 9, Asked: 2}.Week(0))
	f := lastWeek
	if got, want := summed(findings(t, o, o.Supervisor, f)), []string{"person:" + modelstest.Sub(ana) + ":15!"}; !slices.Equal(got, want) {
		t.Errorf("findings = %v, want %v", got, want)
	}
	// A person who is requested by name is shown, outlier or not.
	f.Kind, f.Subject = oversight.FindPerson, modelstest.Sub(beto)
	got, _, err := o.Oversight.Finding(t.Context(), o.Supervisor, f)
	if err != nil || got.Outlier || len(got.Cancellations) != 2 || got.Name != "Beto" {
		t.Errorf("Finding(Beto) = %+v, %v, want two cases that do not stand out", got, err)
	}
	for _, subject := range []string{"", "u9999999", "\x00", "zzz"} {
		f.Subject = subject
		if _, _, err := o.Oversight.Finding(t.Context(), o.Supervisor, f); !modelstest.IsError(err, models.ErrNotFound) {
			t.Errorf("Finding(%q) = %v, want %v", subject, err, models.ErrNotFound)
		}
	}
}
