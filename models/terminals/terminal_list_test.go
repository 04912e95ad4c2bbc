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

// fill registers many terminals in a store, like an import would.
func fill(tb testing.TB, o *modelstest.Office, n int) {
	tb.Helper()
	modelstest.Exec(tb, o.Owner, `WITH t AS (
			INSERT INTO terminals (serial_number, label, created_at)
			SELECT '88' || lpad(i::text, 8, '0'), 'Caja ' || (i % 4 + 1), $2 FROM generate_series(1, $1) i RETURNING id)
		INSERT INTO assignments (terminal_id, store_id, merchant_id, valid_from) SELECT id, $3, 'M' || id, $2 FROM t`,
		n, o.Clock.Now().Add(-time.Hour), o.Store.ID)
}

func TestTheListOfTerminalsHasPages(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	fill(t, o, 2*models.PageSize+10)
	want := 2*models.PageSize + 11 // including those of the office
	seen, pages := map[int64]bool{}, 0
	f := terminals.Filter{}
	for {
		page, err := o.Terminals.Terminals(t.Context(), o.Admin, f)
		if err != nil || page.Count != int64(want) || len(page.Terminals) > models.PageSize {
			t.Fatalf("Terminals(%+v) = %d of %d, %v, want at most %d of %d", f, len(page.Terminals), page.Count, err, models.PageSize, want)
		}
		for i, p := range page.Terminals {
			if i > 0 && p.Label < page.Terminals[i-1].Label {
				t.Errorf("%q comes after %q", p.Label, page.Terminals[i-1].Label)
			}
			seen[p.ID] = true
		}
		pages++
		if f.Cursor = page.Next; f.Cursor == "" {
			break
		}
	}
	if pages != 3 || len(seen) != want {
		t.Errorf("%d terminals on %d pages, want %d on 3", len(seen), pages, want)
	}
	for query, want := range map[string]int64{
		"CAJA 2":                           28,
		"8800000017":                       1,
		"m" + fmt.Sprint(o.Terminal.ID+54): 1,
		"%":                                0,
		"_":                                0,
		`\`:                                0,
		"\x00":                             0,
	} {
		page, err := o.Terminals.Terminals(t.Context(), o.Admin, terminals.Filter{Query: query, StoreID: o.Store.ID, State: terminals.Active})
		if err != nil || page.Count < want || want < 2 && page.Count != want {
			t.Errorf("Terminals(%q) = %+v, %v, want %d", query, page, err, want)
		}
	}
}

func TestFiltersOfTerminalsThatAreNone(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	for _, tt := range []struct {
		f    terminals.Filter
		want *models.Error
	}{
		{terminals.Filter{State: "lost"}, models.Invalid("state", "filter.invalid")},
		{terminals.Filter{Problem: "boring"}, models.Invalid("problem", "filter.invalid")},
		{terminals.Filter{Problem: terminals.ProblemUnknownSerial}, models.Invalid("problem", "filter.invalid")},
		{terminals.Filter{Days: -1}, models.Invalid("days", "days.invalid")},
		{terminals.Filter{Days: terminals.MaxDays + 1}, models.Invalid("days", "days.invalid")},
		{terminals.Filter{StoreID: 999}, models.Invalid("store", "store.unknown")},
		{terminals.Filter{Cursor: "nonsense"}, models.Invalid("cursor", "cursor.invalid")},
	} {
		_, err := o.Terminals.Terminals(t.Context(), o.Admin, tt.f)
		var got *models.Error
		if !errors.As(err, &got) || *got != *tt.want {
			t.Errorf("Terminals(%+v) = %v, want %v", tt.f, err, tt.want)
		}
	}
}

func TestStoresCountWhatStandsThereNow(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	there := modelstest.Store(t, o.DB, o.Clock.Now(), "THERE")
	fill(t, o, 3)
	retired := o.NewTerminal(o.Store)
	if err := o.Terminals.RetireTerminal(t.Context(), o.Admin, retired.ID, 1); err != nil {
		t.Fatalf("RetireTerminal() = %v", err)
	}
	planned := o.Clock.Now().Add(time.Hour)
	if err := modelstest.MoveTo(t, o, 1, there, modelstest.Field(o, planned)); err != nil {
		t.Fatalf("MoveTerminal() = %v", err)
	}
	counts := func(now time.Time) map[string]int64 {
		o.Clock.Set(now)
		page, err := o.Terminals.Stores(t.Context(), o.Admin, terminals.StoreFilter{})
		if err != nil {
			t.Fatalf("Stores() = %v", err)
		}
		got := map[string]int64{}
		for _, s := range page.Stores {
			got[s.Code] = s.Terminals
		}
		return got
	}
	modelstest.Equal(t, "before the move", counts(o.Clock.Now()), map[string]int64{o.Store.Code: 4, "THERE": 0})
	modelstest.Equal(t, "after it", counts(planned), map[string]int64{o.Store.Code: 3, "THERE": 1})
}
