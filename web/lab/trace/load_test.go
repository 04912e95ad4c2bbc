package trace_test

import (
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/web/lab/trace"
)

func TestMain(m *testing.M) { modelstest.Main(m) }

// lived returns a database with a case in every state, one that was sent three
// times, one that went from not canceled to confirmed, and one canceled by hand.
func lived(t *testing.T) *modelstest.Office {
	t.Helper()
	o := modelstest.NewOffice(t)
	for _, s := range trace.States {
		o.Branch(t).StateOf(models.State(s))
	}
	unsent := o.Branch(t)
	c := unsent.Request(unsent.Sale(5000))
	for range 3 {
		unsent.API.Then(modelstest.NotDialed)
		unsent.Dispatch(c.ID)
	}
	late := o.Branch(t)
	sale, _ := late.StateOf(models.NotCanceled)
	late.Post(modelstest.CancelPost(sale, late.LastOrder().Key.Hash()))
	hand := o.Branch(t)
	hand.CancelByHand(hand.Sale(7000))
	return o
}

func check(t *testing.T, o *modelstest.Office) ([]trace.Move, []trace.Violation) {
	t.Helper()
	moves, rows, err := trace.Load(t.Context(), o.DB.Pool())
	if err != nil {
		t.Fatal(err)
	}
	return moves, trace.Check(moves, rows)
}

func TestTheProductsTrail(t *testing.T) {
	t.Parallel()
	moves, found := check(t, lived(t))
	for _, v := range found {
		t.Error(v)
	}
	// 12 beginnings; the moves of nine states are 0 1 1 1 2 2 2 3 3; then 7, 4 and 0 more.
	if len(moves) != 38 {
		t.Errorf("moves = %d, want 38", len(moves))
	}
	seen := map[string]bool{}
	for _, m := range moves {
		seen[m.To] = true
	}
	if len(seen) != len(trace.States) {
		t.Errorf("states in the trail = %v, want all", seen)
	}
}

// What nobody should be able to do is told all the same.
func TestAForgedDatabase(t *testing.T) {
	t.Parallel()
	tests := []struct{ fact, sql, rule string }{
		{"a state without an entry", `UPDATE cancellations SET state = 'rejected' WHERE state = 'unknown'`, trace.RuleFinal},
		{"a version without an entry", `UPDATE cancellations SET version = version + 1 WHERE state = 'accepted'`, trace.RuleVersion},
		{"an attempt without an entry", `UPDATE cancellations SET attempts = attempts + 1 WHERE state = 'accepted'`, trace.RuleAttempts},
		{
			"an entry that leaves confirmed",
			`INSERT INTO audit_entries (at, actor_name, actor_role, action, outcome, cancellation_id, before, after, canonical)
			SELECT changed_at, 'x', 'system', 'cancellation.moved', 'failure', id, '{"state":"confirmed"}', '{"state":"rejected"}', ''
			FROM cancellations WHERE state = 'confirmed'`, trace.RuleConfirmed,
		},
		{
			"an entry of a case that is not there",
			`INSERT INTO audit_entries (at, actor_name, actor_role, action, outcome, cancellation_id, after, canonical)
			VALUES ('2026-11-20T18:00:00Z', 'x', 'manager', 'cancellation.requested', 'success', 4711, '{"state":"requested"}', '')`,
			trace.RuleKnown,
		},
	}
	for _, tt := range tests {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			o := lived(t)
			if _, err := o.Owner.Exec(tt.sql); err != nil {
				t.Fatal(err)
			}
			_, found := check(t, o)
			for _, v := range found {
				if v.Rule == tt.rule {
					return
				}
			}
			t.Errorf("Check() = %v, want it to break %q", found, tt.rule)
		})
	}
}
