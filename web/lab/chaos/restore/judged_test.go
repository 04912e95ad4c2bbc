package restore

import (
	"strings"
	"testing"

	"veinte/web/lab"
)

// TestTheJudgeFindsEachMistake: made-up books, each with one mistake.
func TestTheJudgeFindsEachMistake(t *testing.T) {
	t.Parallel()
	one, two := lab.SaleKey{Serial: "1490000000", OrderID: "a"}, lab.SaleKey{Serial: "1490000000", OrderID: "b"}
	sound := func() *books {
		return &books{
			delivered: map[lab.SaleKey]int{one: 1}, canceled: map[lab.SaleKey]bool{one: true, two: false},
			cases: []lab.Cancellation{
				{ID: 1, Serial: one.Serial, OrderID: one.OrderID, State: "confirmed"},
				{ID: 2, Serial: two.Serial, OrderID: two.OrderID, State: "notCanceled"},
			},
			doubts: map[int64]bool{1: true, 2: true}, pressed: []lab.SaleKey{two},
		}
	}
	for _, tt := range []struct {
		fact    string
		mistake func(*books)
		says    string
	}{
		{"nothing wrong", func(*books) {}, ""},
		{"sent twice", func(b *books) { b.delivered[one] = 2 }, "sent 2 times"},
		{"confirmed and not canceled", func(b *books) { b.canceled[one] = false }, "did not cancel"},
		{"canceled and called charged", func(b *books) { b.canceled[two] = true }, "canceled order b"},
		{"a doubt that never ends", func(b *books) { b.cases[1].State = "unknown" }, "still unknown"},
		{"not sent from the copy", func(b *books) { b.cases[1].State = "requested" }, "still requested"},
		{"called unsent", func(b *books) { b.cases[1].State = "expired" }, "is called expired"},
		{"a lost press", func(b *books) { b.pressed = append(b.pressed, lab.SaleKey{Serial: "1", OrderID: "c"}) }, "no case of it"},
	} {
		b := sound()
		tt.mistake(b)
		f := judge(b)
		if got := strings.Join(f.violations, "; "); (got == "") != (tt.says == "") || !strings.Contains(got, tt.says) {
			t.Errorf("%s: the judge says %q, want %q", tt.fact, got, tt.says)
		}
	}
}
