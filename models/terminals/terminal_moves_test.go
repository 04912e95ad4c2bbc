package terminals_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/terminals"
	"veinte/models/wiring"
)

func chosen(list ...*models.Terminal) []terminals.ChosenTerminal {
	var all []terminals.ChosenTerminal
	for _, t := range list {
		all = append(all, terminals.ChosenTerminal{ID: t.ID, Version: 1})
	}
	return all
}

func TestManyTerminalsMoveAtOnce(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	there := modelstest.Store(t, o.DB, o.Clock.Now(), "THERE")
	list := []*models.Terminal{o.Terminal, o.NewTerminal(o.Store), o.NewTerminal(o.Store)}
	o.Clock.Advance(time.Minute)
	outcomes, err := o.Terminals.MoveTerminals(t.Context(), o.Admin, terminals.MovesInput{Terminals: chosen(list...), StoreID: there.ID})
	if err != nil || len(outcomes) != 3 {
		t.Fatalf("MoveTerminals() = %+v, %v, want three outcomes", outcomes, err)
	}
	for _, terminal := range list {
		place, _, err := o.Terminals.History(t.Context(), o.Admin, terminal.ID)
		if err != nil || place.StoreID != there.ID || place.MerchantID != "M"+string(terminal.SerialNumber) {
			t.Errorf("terminal %d = %+v, %v, want in %d with the merchant id it had", terminal.ID, place, err, there.ID)
		}
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'terminal.moved'`); n != 3 {
		t.Errorf("%d entries, want one for each", n)
	}
}

func TestManyTerminalsMoveOrNone(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	now := o.Clock.Now()
	there := modelstest.Store(t, o.DB, now, "THERE")
	good, retired, stale := o.Terminal, o.NewTerminal(o.Store), o.NewTerminal(o.Store)
	nowhere, sold, planned := o.NewTerminal(o.Store), o.NewTerminal(o.Store), o.NewTerminal(o.Store)
	modelstest.Exec(t, o.Owner, `UPDATE terminals SET retired_at = $1 WHERE id = $2`, now, retired.ID)
	modelstest.Exec(t, o.Owner, `UPDATE terminals SET version = 2 WHERE id = $1`, stale.ID)
	modelstest.Exec(t, o.Owner, `DELETE FROM assignments WHERE terminal_id = $1`, nowhere.ID)
	o.Clock.Advance(time.Minute)
	o.SaleAt(sold, 100)
	o.Clock.Advance(time.Minute)
	err := o.Terminals.MoveTerminal(t.Context(), o.Admin, planned.ID, 1, terminals.MoveInput{
		StoreID: there.ID, MerchantID: "M", From: modelstest.Field(o, now.Add(time.Hour)),
	})
	if err != nil {
		t.Fatalf("MoveTerminal() = %v", err)
	}
	all := append(chosen(good, retired, stale, nowhere, sold), terminals.ChosenTerminal{ID: 999, Version: 1})
	outcomes, err := o.Terminals.MoveTerminals(t.Context(), o.Admin, terminals.MovesInput{
		Terminals: all, StoreID: there.ID, From: modelstest.Field(o, now),
	})
	if !modelstest.IsError(err, &models.Error{Kind: models.KindConflict, Code: "moves.refused"}) {
		t.Fatalf("MoveTerminals() = %v, want moves.refused", err)
	}
	var codes []string
	for _, outcome := range outcomes {
		var refused *models.Error
		code := ""
		if errors.As(outcome.Err, &refused) {
			code = refused.Code
		}
		codes = append(codes, code)
	}
	modelstest.Equal(t, "reasons", codes, []string{
		"", "terminal.retired", "error.stale", "moves.noMerchant", "move.salesElsewhere", "error.notFound",
	})
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM assignments WHERE store_id = $1 AND planned_at IS NULL`, there.ID); n != 0 {
		t.Errorf("%d terminals moved although one could not", n)
	}
	_, err = o.Terminals.MoveTerminals(t.Context(), o.Admin, terminals.MovesInput{
		Terminals: append(chosen(good, good), terminals.ChosenTerminal{ID: planned.ID, Version: 2}),
		StoreID:   there.ID,
		From:      modelstest.Field(o, now.Add(2*time.Hour)),
	})
	if !modelstest.IsError(err, &models.Error{Kind: models.KindConflict, Code: "moves.refused"}) {
		t.Errorf("MoveTerminals() of one that has a plan = %v, want moves.refused", err)
	}
}

func TestMovesThatAreNone(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	one := chosen(o.Terminal)
	many := make([]terminals.ChosenTerminal, terminals.MaxMoves+1)
	for i := range many {
		many[i].ID = int64(i + 1)
	}
	for _, tt := range []struct {
		fact string
		in   terminals.MovesInput
		want *models.Error
	}{
		{"of nothing", terminals.MovesInput{StoreID: o.Store.ID}, models.Invalid("terminals", "moves.none")},
		{"of too many", terminals.MovesInput{Terminals: many, StoreID: o.Store.ID}, models.Invalid("terminals", "moves.tooMany")},
		{"nowhere", terminals.MovesInput{Terminals: one}, models.Invalid("store", "store.required")},
		{"to no store", terminals.MovesInput{Terminals: one, StoreID: 999}, models.Invalid("store", "store.unknown")},
		{"at no time", terminals.MovesInput{Terminals: one, StoreID: o.Store.ID, From: "mañana"}, models.Invalid("from", "instant.invalid")},
		{
			"long ago",
			terminals.MovesInput{Terminals: one, StoreID: o.Store.ID, From: "1999-12-31"},
			models.Invalid("from", "instant.implausible"),
		},
		{
			"in a far future",
			terminals.MovesInput{Terminals: one, StoreID: o.Store.ID, From: "2226-11-20T12:00"},
			models.Invalid("from", "instant.implausible"),
		},
	} {
		_, err := o.Terminals.MoveTerminals(t.Context(), o.Admin, tt.in)
		var got *models.Error
		if !errors.As(err, &got) || *got != *tt.want {
			t.Errorf("a move %s = %v, want %v", tt.fact, err, tt.want)
		}
	}
}

// TestTwoAdministratorsMoveManyAtOnce in different orders.
func TestTwoAdministratorsMoveManyAtOnce(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	stores := []*models.Store{modelstest.Store(t, o.DB, o.Clock.Now(), "A"), modelstest.Store(t, o.DB, o.Clock.Now(), "B")}
	there := []terminals.ChosenTerminal{}
	for range 12 {
		there = append(there, chosen(o.NewTerminal(o.Store))...)
	}
	back := slices.Clone(there)
	slices.Reverse(back)
	o.Clock.Advance(time.Minute)
	offices := []*wiring.Services{o.Services, o.SecondServer()}
	errs := make([]error, 2)
	modelstest.AtOnce(2, func(i int) {
		in := terminals.MovesInput{Terminals: [][]terminals.ChosenTerminal{there, back}[i], StoreID: stores[i].ID}
		_, errs[i] = offices[i].Terminals.MoveTerminals(t.Context(), o.Admin, in)
	})
	if (errs[0] == nil) == (errs[1] == nil) {
		t.Errorf("MoveTerminals() twice at once = %v and %v, want one to win", errs[0], errs[1])
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(DISTINCT store_id) FROM assignments
		WHERE valid_to IS NULL AND store_id <> $1`, o.Store.ID); n != 1 {
		t.Errorf("the terminals stand in %d stores, want one", n)
	}
}
