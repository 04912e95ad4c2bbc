package cancellations_test

import (
	"fmt"
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/bulk"
	"veinte/models/modelstest"
	"veinte/models/wiring"
)

func TestSeveralAreAskedForOneByOne(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	here, there := []*models.Sale{o.Sale(100), o.Sale(200), o.Sale(300)}, o.SaleAt(o.NewTerminal(o.Store), 400)
	r := bulkOf(o, append(here, there)...)
	if n, err := o.Bulk.Request(t.Context(), o.Supervisor, r); n != 4 || err != nil {
		t.Fatalf("RequestSeveral() = %d, %v, want 4, nil", n, err)
	}
	if got, want := came(t, o.Bulk, o.Supervisor, r), "requested 0, requested 1, requested 2, requested 0"; got != want {
		t.Errorf("what came of it = %s, want %s", got, want)
	}
	// Each in its own transaction with its entry, and linked in the trail.
	if got := modelstest.Count(t, o.Owner, `SELECT count(DISTINCT txid) FROM audit_entries WHERE action = 'cancellation.requested'
		AND after->>'together' = $1 AND (after->>'togetherOf')::int = 4 AND actor_id = $2`, r.Click, o.Supervisor.UserID); got != 4 {
		t.Errorf("%d transactions with an entry of the press, want 4", got)
	}
	sent := modelstest.Tasks(o.Queue.Take(t), models.TaskDispatch, 0)
	for _, s := range here {
		o.Dispatch(o.SaleDetail(s.ID).Latest().ID)
	}
	if got := len(o.API.Orders()); got != 1 {
		t.Errorf("%d of a terminal's three left at once, want 1 (%d tasks)", got, len(sent))
	}
	o.CheckInvariants(t)
}

func TestTheSamePressOfSeveralAsksOnce(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sales := []*models.Sale{o.Sale(100), o.Sale(200), o.SaleAt(o.NewTerminal(o.Store), 300)}
	r := bulkOf(o, sales...)
	processes := []*wiring.Services{o.Services, o.SecondServer()}
	modelstest.AtOnce(8, func(i int) {
		if _, err := processes[i%2].Bulk.Request(t.Context(), o.Supervisor, r); err != nil {
			t.Errorf("RequestSeveral() with the same click = %v", err)
		}
	})
	if got := modelstest.Count(t, o.Owner, `SELECT count(*) FROM cancellations`); got != 3 {
		t.Errorf("%d cases, want 3", got)
	}
	if got := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'cancellation.refused'`); got != 0 {
		t.Errorf("%d refusals of the same press, want none", got)
	}
	another := r
	another.Click += "-otra"
	if _, err := o.Bulk.Request(t.Context(), o.Supervisor, another); err != nil {
		t.Fatalf("RequestSeveral() = %v", err)
	}
	if got, want := came(t, o.Bulk, o.Supervisor, another), "error.caseOpen, error.caseOpen, error.caseOpen"; got != want {
		t.Errorf("another press = %s, want %s", got, want)
	}
	o.CheckInvariants(t)
}

func TestOneThatIsRefusedKeepsNoneOfTheOthers(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	other := modelstest.Store(t, o.DB, o.Clock.Now(), "AJENA")
	scoped := modelstest.Person(models.Supervisor, o.Store)
	free := o.Sale(100)
	confirmed, _ := o.StateOf(models.Confirmed)
	o.Clock.Advance(modelstest.Waits.Quiet)
	open, _ := o.StateOf(models.Requested)
	changed, theirs, last := o.Sale(300), o.SaleAt(o.NewTerminal(other), 400), o.Sale(500)
	r := bulkOf(o, free, confirmed, open, changed, theirs, last)
	// It has begun: before that an amount that changed holds all of them back.
	begun := bulkOf(o, free)
	begun.Click = r.Click
	if n, err := o.Bulk.Request(t.Context(), scoped, begun); n != 1 || err != nil {
		t.Fatalf("RequestSeveral() = %d, %v, want 1, nil", n, err)
	}
	r.Sales[3].Amount = 299 // as it was when it was chosen
	r.Sales = append(r.Sales, bulk.Sale{SaleID: 1 << 40, Amount: 1})
	if n, err := o.Bulk.Request(t.Context(), scoped, r); n != 7 || err != nil {
		t.Fatalf("RequestSeveral() = %d, %v, want 7, nil", n, err)
	}
	want := "requested 1, error.saleState, error.caseOpen, error.amountChanged, error.notFound, requested 2, error.notFound"
	if got := came(t, o.Bulk, scoped, r); got != want {
		t.Errorf("what came of it = %s\nwant %s", got, want)
	}
	for outcome, n := range map[string]int{"failure": 3, "denied": 2} {
		if got := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'cancellation.refused' AND outcome = $1
			AND after->>'together' = $2 AND (outcome = 'failure'
				OR sale_id IS NULL AND order_id = '' AND store_id IS NULL)`, outcome, r.Click); got != n {
			t.Errorf("%d entries of a %s, want %d", got, outcome, n)
		}
	}
	rows, err := o.Bulk.Outcomes(t.Context(), scoped, r.Click, chosenIDs(r))
	if err != nil || rows[4].Sale != nil || rows[4].Terminal.ID != 0 || rows[4].Store.ID != 0 {
		t.Errorf("another store's sale = %+v, %v, want nothing of it", rows[4], err)
	}
	o.CheckInvariants(t)
}

func TestWhatSeveralNeed(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale := o.Sale(100)
	tests := []struct {
		fact   string
		change func(*bulk.Request)
		want   *models.Error
	}{
		{"a sale", func(r *bulk.Request) { r.Sales = nil }, models.Invalid("sale", "several.none")},
		{"no more than fifty", func(r *bulk.Request) {
			for i := range int64(bulk.Max) {
				r.Sales = append(r.Sales, bulk.Sale{SaleID: 1000 + i})
			}
		}, models.Invalid("sale", "several.tooMany")},
		{
			"each sale once", func(r *bulk.Request) { r.Sales = append(r.Sales, r.Sales[0]) },
			models.Invalid("sale", "error.badRequest"),
		},
		{"a reason", func(r *bulk.Request) { r.Reason = "" }, models.Invalid("reason", "reason.required")},
		{"a reason of the list", func(r *bulk.Request) { r.Reason = "because" }, models.Invalid("reason", "reason.unknown")},
		{
			"a note with another reason", func(r *bulk.Request) { r.Reason, r.Note = "other", " " },
			models.Invalid("note", "note.required"),
		},
		{
			"no card number in the note", func(r *bulk.Request) { r.Note = "4242 4242 4242 4242" },
			models.Invalid("note", "field.cardNumber"),
		},
		{"a click", func(r *bulk.Request) { r.Click = "" }, models.Invalid("click", "error.badRequest")},
		{
			"a click that leaves room", func(r *bulk.Request) { r.Click = strings.Repeat("c", 64) },
			models.Invalid("click", "error.badRequest"),
		},
	}
	for _, tt := range tests {
		r := bulkOf(o, sale)
		tt.change(&r)
		if n, err := o.Bulk.Request(t.Context(), o.Supervisor, r); n != 0 || !modelstest.IsError(err, tt.want) {
			t.Errorf("RequestSeveral() without %s = %d, %v, want %v", tt.fact, n, err, tt.want)
		}
	}
	for _, role := range []models.Role{models.Manager, models.Administrator, models.Auditor} {
		if _, err := o.Bulk.Request(t.Context(), modelstest.Person(role), bulkOf(o, sale)); !modelstest.IsError(err,
			models.ErrForbidden) {
			t.Errorf("RequestSeveral() by a %s = %v, want %v", role, err, models.ErrForbidden)
		}
	}
	if got := modelstest.Count(t, o.Owner, `SELECT count(*) FROM cancellations`); got != 0 {
		t.Errorf("%d cases, want none", got)
	}
}

func TestEachOfSeveralIsJudgedByItsOwnInstant(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	tests := []struct {
		happens func(*modelstest.Office)
		want    string
	}{
		{func(o *modelstest.Office) { o.Clock.Set(modelstest.At(t, "2026-11-20T20:00:00-06:00")) }, "requested 0, error.tooLate, error.tooLate"},
		{func(o *modelstest.Office) {
			if err := o.Cancellations.Pause(t.Context(), o.Admin, "mantenimiento"); err != nil {
				t.Errorf("Pause() = %v", err)
			}
		}, "requested 0, error.paused, error.paused"},
	}
	for _, tt := range tests {
		o := office.Branch(t)
		o.Clock.Set(modelstest.At(t, "2026-11-20T19:59:54-06:00"))
		r := bulkOf(o, o.Sale(100), o.Sale(200), o.SaleAt(o.NewTerminal(o.Store), 300))
		if n, err := inTheMiddle(t, o, o.Bulk, r, func() { tt.happens(o) }); n != 3 || err != nil {
			t.Fatalf("RequestSeveral() = %d, %v, want 3, nil", n, err)
		}
		if got := came(t, o.Bulk, o.Supervisor, r); got != tt.want {
			t.Errorf("what came of it = %s, want %s", got, tt.want)
		}
	}
	o := office.Branch(t) // the pause applies to the whole database
	if got := len(o.API.Orders()); got != 0 {
		t.Errorf("%d orders left, want none", got)
	}
	o.CheckInvariants(t)
}

// What was acknowledged before the database was lost is committed; the rest was
// never requested, and the same click requests it later.
func TestADatabaseLostInTheMiddleOfSeveral(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	tests := []struct {
		where   cut
		reached int
		want    string
	}{
		{beforeIt, 1, "requested 0, -, -"},
		{forGood, 1, "requested 0, requested 1, -"}, // carried out, but the response was lost
	}
	for _, tt := range tests {
		o := office.Branch(t)
		cases, cutter := behindCutter(t, o)
		r := bulkOf(o, o.Sale(100), o.Sale(200), o.SaleAt(o.NewTerminal(o.Store), 300))
		reached, err := inTheMiddle(t, o, cases.Bulk, r, func() { cutter.at(tt.where) })
		if reached != tt.reached || err == nil {
			t.Errorf("cut %d: RequestSeveral() = %d, %v, want %d and an error", tt.where, reached, err, tt.reached)
		}
		if got := came(t, o.Bulk, o.Supervisor, r); got != tt.want {
			t.Errorf("cut %d: what came of it = %s, want %s", tt.where, got, tt.want)
		}
		if n, err := o.Bulk.Request(t.Context(), o.Supervisor, r); n != 3 || err != nil {
			t.Errorf("cut %d: the same press again = %d, %v, want 3, nil", tt.where, n, err)
		}
		if got, want := came(t, o.Bulk, o.Supervisor, r), "requested 0, requested 1, requested 0"; got != want {
			t.Errorf("cut %d: after the same press again = %s, want %s", tt.where, got, want)
		}
		if got := modelstest.Count(t, o.Owner, `SELECT count(*) FROM cancellations c JOIN sales s ON s.id = c.sale_id WHERE s.store_id = $1`,
			o.Store.ID); got != 3 {
			t.Errorf("cut %d: %d cases, want 3", tt.where, got)
		}
		o.CheckInvariants(t)
	}
}

func TestWhatIsChosenIsJudged(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	second := o.NewTerminal(o.Store)
	confirmed, _ := o.StateOf(models.Confirmed)
	late, early := o.SaleAt(second, 200), o.Sale(100)
	other := o.SaleAt(o.NewTerminal(modelstest.Store(t, o.DB, o.Clock.Now(), "AJENA")), 400)
	rows, err := o.Bulk.Chosen(t.Context(), modelstest.Person(models.Supervisor, o.Store),
		[]int64{other.ID, late.ID, early.ID, confirmed.ID})
	if err != nil {
		t.Fatalf("Chosen() = %v", err)
	}
	var got []string
	for _, r := range rows {
		got = append(got, fmt.Sprintf("%d %s", r.SaleID, r.Refusal))
	}
	want := fmt.Sprintf("%d error.saleState, %d , %d , %d error.notFound", confirmed.ID, early.ID, late.ID, other.ID)
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("Chosen() = %s, want %s", s, want)
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'cancellation.refused'`); n != 0 {
		t.Errorf("%d refusals by looking, want none", n)
	}
}
