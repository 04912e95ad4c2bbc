package terminals_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/terminals"
)

// history reads a terminal as its page does.
func history(tb testing.TB, o *modelstest.Office) (*models.TerminalPlace, []models.AssignmentLine) {
	tb.Helper()
	place, lines, err := o.Terminals.History(tb.Context(), o.Admin, o.Terminal.ID)
	if err != nil {
		tb.Fatalf("TerminalHistory() = %v", err)
	}
	return place, lines
}

func TestAPlannedMoveHappensByItself(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	there := modelstest.Store(t, o.DB, o.Clock.Now(), "THERE")
	planned := o.Clock.Now().Add(time.Hour)
	if err := modelstest.MoveTo(t, o, 1, there, modelstest.Field(o, planned)); err != nil {
		t.Fatalf("MoveTerminal() in an hour = %v", err)
	}
	place, lines := history(t, o)
	if place.StoreID != o.Store.ID || place.Plan == nil || place.Plan.StoreID != there.ID || !place.Plan.ValidFrom.Equal(planned) {
		t.Errorf("before its instant the terminal stands in %d with plan %+v, want in %d, planned for %d at %s",
			place.StoreID, place.Plan, o.Store.ID, there.ID, planned)
	}
	modelstest.Equal(t, "tenses", tenses(lines, o.Clock.Now()), []models.Tense{models.TensePlanned, models.TensePresent})

	o.Clock.Set(planned.Add(-time.Microsecond))
	before := o.Sale(100)
	o.Clock.Set(planned)
	at := o.Sale(200)
	o.Clock.Set(planned.Add(time.Microsecond))
	after := o.Sale(300)
	got, want := []int64{before.StoreID, at.StoreID, after.StoreID}, []int64{o.Store.ID, there.ID, there.ID}
	modelstest.Equal(t, "stores of the sales around the instant", got, want)

	place, lines = history(t, o)
	if place.StoreID != there.ID || place.Plan != nil {
		t.Errorf("after its instant the terminal stands in %d with plan %+v, want in %d without", place.StoreID, place.Plan, there.ID)
	}
	modelstest.Equal(t, "tenses", tenses(lines, o.Clock.Now()), []models.Tense{models.TensePresent, models.TensePast})
	list, err := o.Terminals.Terminals(t.Context(), o.Admin, terminals.Filter{StoreID: there.ID})
	if err != nil || list.Count != 1 {
		t.Errorf("Terminals(there) = %+v, %v, want one", list, err)
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'terminal.movePlanned'`); n != 1 {
		t.Errorf("%d entries of the plan, want 1", n)
	}
	o.CheckInvariants(t)
}

func tenses(lines []models.AssignmentLine, now time.Time) []models.Tense {
	all := make([]models.Tense, len(lines))
	for i := range lines {
		all[i] = lines[i].Tense(now)
	}
	return all
}

func TestAPlanIsWithdrawn(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	there := modelstest.Store(t, o.DB, o.Clock.Now(), "THERE")
	noPlan := &models.Error{Kind: models.KindConflict, Code: "move.noPlan"}
	withdraw := func(version int) error {
		return o.Terminals.WithdrawPlan(t.Context(), o.Admin, o.Terminal.ID, version)
	}
	if err := withdraw(1); !modelstest.IsError(err, noPlan) {
		t.Errorf("WithdrawPlan() of none = %v, want %v", err, noPlan)
	}
	planned := o.Clock.Now().Add(time.Hour)
	if err := modelstest.MoveTo(t, o, 1, there, modelstest.Field(o, planned)); err != nil {
		t.Fatalf("MoveTerminal() = %v", err)
	}
	if err := withdraw(1); !errors.Is(err, models.ErrStale) {
		t.Errorf("WithdrawPlan() from an old page = %v, want %v", err, models.ErrStale)
	}
	if err := withdraw(2); err != nil {
		t.Fatalf("WithdrawPlan() = %v", err)
	}
	place, lines := history(t, o)
	if place.Plan != nil || len(lines) != 1 || lines[0].ValidTo != nil {
		t.Errorf("after it was withdrawn: plan %+v, %d lines, the first until %v; want none, one, without an end",
			place.Plan, len(lines), lines[0].ValidTo)
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries
		WHERE action = 'terminal.moveWithdrawn' AND before->>'store' = $1`, there.Name); n != 1 {
		t.Errorf("%d entries of the withdrawal, want 1", n)
	}
	o.Clock.Set(planned.Add(time.Minute))
	if got := o.Sale(100).StoreID; got != o.Store.ID {
		t.Errorf("a sale after the withdrawn instant stands in %d, want %d", got, o.Store.ID)
	}

	planned = o.Clock.Now().Add(time.Hour)
	if err := modelstest.MoveTo(t, o, 3, there, modelstest.Field(o, planned)); err != nil {
		t.Fatalf("MoveTerminal() once more = %v", err)
	}
	o.Clock.Set(planned) // the page was rendered before
	if err := withdraw(4); !modelstest.IsError(err, noPlan) {
		t.Errorf("WithdrawPlan() after it happened = %v, want %v", err, noPlan)
	}
	if place, _ := history(t, o); place.StoreID != there.ID {
		t.Errorf("the terminal stands in %d, want %d", place.StoreID, there.ID)
	}
}

func TestWhatIsPlannedOrHasBeenIsInTheWay(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	there, third := modelstest.Store(t, o.DB, o.Clock.Now(), "THERE"), modelstest.Store(t, o.DB, o.Clock.Now(), "THIRD")
	planned := o.Clock.Now().Add(time.Hour)
	if err := modelstest.MoveTo(t, o, 1, there, modelstest.Field(o, planned)); err != nil {
		t.Fatalf("MoveTerminal() = %v", err)
	}
	var refusal *terminals.MoveRefusal
	for fact, at := range map[string]time.Time{
		"before the plan": planned.Add(-time.Minute),
		"with it":         planned,
		"after it":        planned.Add(time.Minute),
	} {
		err := modelstest.MoveTo(t, o, 2, third, modelstest.Field(o, at))
		if !errors.As(err, &refusal) || refusal.Err.Code != "move.planned" || !refusal.Since.Equal(planned) || refusal.Store != there.Name {
			t.Errorf("a second plan %s = %v, want move.planned for %s in %s", fact, err, planned, there.Name)
		}
	}
	// An immediate move does not remove the planned one.
	if err := modelstest.MoveTo(t, o, 2, third, ""); err != nil {
		t.Fatalf("MoveTerminal() now = %v", err)
	}
	place, lines := history(t, o)
	if place.StoreID != o.Store.ID && place.StoreID != third.ID || place.Plan == nil || len(lines) != 3 || !lines[1].ValidTo.Equal(planned) {
		t.Errorf("after a move now: %+v with %+v, want the plan kept", place, lines)
	}
	o.Clock.Advance(time.Minute)
	err := modelstest.MoveTo(t, o, 3, there, modelstest.Field(o, o.Clock.Now().Add(-2*time.Minute)))
	if !errors.As(err, &refusal) || refusal.Err.Code != "move.overlap" || refusal.Store != third.Name {
		t.Errorf("a move to before the present place = %v, want move.overlap with %s", err, third.Name)
	}
}

func TestAMoveIntoThePastLeavesSalesWhereTheyWere(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	noon := office.Clock.Now()
	tests := []struct {
		fact  string
		sales []time.Duration // after noon
		from  time.Duration
		want  int64 // conflicting sales
		since time.Duration
	}{
		{"no sale since", []time.Duration{-time.Hour}, 0, 0, 0},
		{"a sale one microsecond before", []time.Duration{-time.Microsecond}, 0, 0, 0},
		{"a sale at the instant", []time.Duration{0}, 0, 1, 0},
		{"a sale one microsecond after", []time.Duration{time.Microsecond}, 0, 1, time.Microsecond},
		{"several, since the first", []time.Duration{-time.Hour, time.Minute, 2 * time.Minute, 3 * time.Minute}, time.Second, 3, time.Minute},
		{"from the beginning of its assignment, and it sold nothing", nil, -12 * time.Hour, 0, 0},
		{"from the beginning of its assignment, and it did", []time.Duration{-time.Hour}, -12 * time.Hour, 1, -time.Hour},
	}
	for _, tt := range tests {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			o := office.Branch(t)
			there := office.Branch(t).Store
			for _, after := range tt.sales {
				o.Clock.Set(noon.Add(after))
				p := o.SalePost(o.Terminal.SerialNumber, 100)
				p.OrderID = fmt.Sprintf("%s-%d", o.Store.Code, after) // holds no time: that of the post counts, to the microsecond
				o.Post(p)
			}
			o.Clock.Set(noon.Add(time.Hour))
			err := modelstest.MoveTo(t, o, 1, there, modelstest.Field(o, noon.Add(tt.from)))
			if tt.want == 0 {
				if err != nil {
					t.Fatalf("MoveTerminal() = %v, want nil", err)
				}
				if place, _ := history(t, o); place.StoreID != there.ID || !place.Since.Equal(noon.Add(tt.from)) {
					t.Errorf("the terminal stands in %d since %s, want %d since %s", place.StoreID, place.Since, there.ID, noon.Add(tt.from))
				}
				return
			}
			var refusal *terminals.MoveRefusal
			if !errors.As(err, &refusal) || refusal.Err.Code != "move.salesElsewhere" ||
				refusal.Sales != tt.want || !refusal.Since.Equal(noon.Add(tt.since)) {
				t.Fatalf("MoveTerminal() = %v, want move.salesElsewhere, %d since %s", err, tt.want, noon.Add(tt.since))
			}
			if place, lines := history(t, o); place.StoreID != o.Store.ID || len(lines) != 1 || place.Version != 1 {
				t.Errorf("after a refused move the terminal stands in %d, version %d, with %d lines; want %d, 1, 1",
					place.StoreID, place.Version, len(lines), o.Store.ID)
			}
		})
	}
}

// TestACorrectedMerchantIDOfThePast: its sales show the right id from the beginning.
func TestACorrectedMerchantIDOfThePast(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	o.Clock.Advance(time.Minute)
	p := o.SalePost(o.Terminal.SerialNumber, 100)
	p.MerchantID = "RIGHT"
	o.Post(p)
	o.Clock.Advance(time.Minute)
	correct := func(version int, merchant string) error {
		return o.Terminals.MoveTerminal(t.Context(), o.Admin, o.Terminal.ID, version, terminals.MoveInput{
			StoreID: o.Store.ID, MerchantID: merchant, From: "2026-11-20",
		})
	}
	if err := correct(1, "RIGHT"); err != nil {
		t.Fatalf("MoveTerminal() to the id that its sales carry = %v", err)
	}
	if place, lines := history(t, o); place.MerchantID != "RIGHT" || len(lines) != 1 {
		t.Errorf("merchant id %s after %d lines, want RIGHT in the one there was", place.MerchantID, len(lines))
	}
	err := correct(2, "WRONG")
	if !modelstest.IsError(err, &models.Error{Kind: models.KindConflict, Code: "move.salesElsewhere"}) {
		t.Errorf("MoveTerminal() to another id = %v, want move.salesElsewhere", err)
	}
}

func TestRetirementWithdrawsThePlan(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	there := modelstest.Store(t, o.DB, o.Clock.Now(), "THERE")
	planned := o.Clock.Now().Add(time.Hour)
	if err := modelstest.MoveTo(t, o, 1, there, modelstest.Field(o, planned)); err != nil {
		t.Fatalf("MoveTerminal() = %v", err)
	}
	if err := o.Terminals.RetireTerminal(t.Context(), o.Admin, o.Terminal.ID, 2); err != nil {
		t.Fatalf("RetireTerminal() = %v", err)
	}
	o.Clock.Set(planned.Add(time.Hour))
	if err := o.Terminals.RestoreTerminal(t.Context(), o.Admin, o.Terminal.ID, 3); err != nil {
		t.Fatalf("RestoreTerminal() = %v", err)
	}
	if place, lines := history(t, o); place.StoreID != o.Store.ID || len(lines) != 1 {
		t.Errorf("after it came back it stands in %d with %d lines, want %d with 1", place.StoreID, len(lines), o.Store.ID)
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'terminal.moveWithdrawn'`); n != 1 {
		t.Errorf("%d entries of the withdrawal, want 1", n)
	}
}
