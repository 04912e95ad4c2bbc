package views

import (
	"fmt"
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/closings"
	"veinte/views/locale"
	oversightview "veinte/views/oversight"
)

// chainClosing is the report of a day of so many stores, each with four terminals. The last
// was left with a doubt.
func chainClosing(stores int) *oversightview.ClosingView {
	sums := closings.Sums{
		{Count: 1200, Amount: 12345600}, {Count: 6, Amount: 200000}, {}, {}, {Count: 2, Amount: 25000}, {Count: 1, Amount: 1},
	}
	v := &oversightview.ClosingView{
		Page: shop.Page(models.Supervisor, "/closings/2026-11-20", "20:41:00"), Report: closings.Report{Whole: true, Sums: sums},
	}
	v.Report.Day, v.Report.CutoffAt, v.Report.ClosedAt = "2026-11-20", shop.At("20:00:00"), shop.At("20:00:03")
	v.Report.Sums[2].Count = 1
	for i := range stores {
		s := closings.StoreSums{ID: int64(i + 1), Code: fmt.Sprintf("S-%d", i+1), Name: fmt.Sprintf("Plaza Universidad %d", i+1), Sums: sums}
		for n := range 4 {
			s.Terminals = append(s.Terminals, closings.ClosingTerminal{
				StoreID: s.ID, SerialNumber: models.SerialNumber(fmt.Sprintf("3%09d", i*4+n)), Sums: sums,
			})
		}
		v.Report.Stores = append(v.Report.Stores, s)
	}
	v.Report.Stores[stores-1].Sums[2].Count = 1
	return v
}

// The report of a chain is folded: a page of stores, those first in which something was
// left open, and the terminals of one below it.
func TestTheClosingOfAChainIsFolded(t *testing.T) {
	t.Parallel()
	count := func(page, id string) int { return strings.Count(page, `data-testid="`+id+`"`) }
	for _, lang := range locale.Languages {
		v := chainClosing(400)
		page := draw(t, lang, oversightview.Closing(v))
		t.Logf("%s: %d bytes", lang, len(page))
		if len(page) > 30_000 {
			t.Errorf("%s: the closing of 400 stores is %d bytes, want at most 30,000", lang, len(page))
		}
		if got := count(page, "closing-store"); got != 25 || count(page, "closing-terminal") != 0 {
			t.Errorf("%s: %d stores and %d terminals are shown, want 25 and none", lang, got, count(page, "closing-terminal"))
		}
		if first := strings.Index(page, `data-code="S-400"`); first < 0 || first > strings.Index(page, `data-code="S-1"`) {
			t.Errorf("%s: the store with a doubt is not the first", lang)
		}
		v = chainClosing(400)
		v.Store = 300
		page = draw(t, lang, oversightview.Closing(v))
		if !strings.Contains(page, `data-code="S-300"`) || count(page, "closing-terminal") != 4 {
			t.Errorf("%s: of the chosen store %d terminals are shown, want 4", lang, count(page, "closing-terminal"))
		}
		if !strings.Contains(page, `href="/closings/2026-11-20?page=13#store-300" aria-expanded="true"`) {
			t.Errorf("%s: the chosen store cannot be folded", lang)
		}
	}
	seen := 0
	for at := 1; at <= 16; at++ {
		v := chainClosing(400)
		v.At = at
		seen += count(draw(t, "es-MX", oversightview.Closing(v)), "closing-store")
	}
	if seen != 400 {
		t.Errorf("sixteen pages have %d stores, want 400", seen)
	}
	few := chainClosing(3)
	few.At = 99
	page := draw(t, "es-MX", oversightview.Closing(few))
	if count(page, "closing-terminal") != 12 || strings.Contains(page, `class="unfold"`) {
		t.Errorf("of three stores %d terminals are shown, want all 12, and nothing to unfold", count(page, "closing-terminal"))
	}
}

// The list says in words what came after each day was closed.
func TestTheListOfClosingsSaysWhatCameAfter(t *testing.T) {
	t.Parallel()
	line := func(since closings.Changes, more bool) string {
		l := closings.Line{Since: since, More: more}
		l.Day, l.CutoffAt, l.ClosedAt = "2026-11-20", shop.At("20:00:00"), shop.At("20:00:03")
		page := draw(t, "es-MX", oversightview.Closings(&oversightview.ClosingsView{
			Page: shop.Page(models.Supervisor, "/closings", "20:41:00"), List: closings.List{Lines: []closings.Line{l}},
		}))
		_, cell, _ := strings.Cut(page, `data-testid="since">`)
		cell, _, _ = strings.Cut(cell, "</td>")
		return strings.NewReplacer("<div>", "", "</div>", "", "<p>", "", "</p>", ". ").Replace(cell)
	}
	for _, tt := range []struct {
		since closings.Changes
		more  bool
		want  string
	}{
		{nil, false, "Nada. "},
		{
			closings.Changes{closings.ChangeOutcome: 1, closings.ChangeResolved: 2},
			false,
			"1 resultado se supo después. 2 por verificar se resolvieron después. ",
		},
		{
			closings.Changes{closings.ChangeArrived: 1, closings.ChangeUndone: 1},
			false,
			"1 venta llegó después. 1 venta se deshizo con su importación. ",
		},
		{closings.Changes{closings.ChangeArrived: 101}, true, "Más de 100 cambios. "},
	} {
		if got := line(tt.since, tt.more); got != tt.want {
			t.Errorf("after %v (more: %t) the list says %q, want %q", tt.since, tt.more, got, tt.want)
		}
	}
}
