package views

import (
	"context"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/views/locale"
	placesview "veinte/views/places"
	salesview "veinte/views/sales"
	"veinte/views/ui"
)

func TestMoveFormChoosesNoStoreForAnybody(t *testing.T) {
	t.Parallel()
	place := models.TerminalPlace{Terminal: shop.Terminals()[1], StoreID: 1}
	for _, tt := range []struct {
		name string
		move placesview.MoveForm
		want int64
	}{
		{"where it stands is no choice", placesview.MoveForm{StoreID: 1}, 0},
		{"another store is one", placesview.MoveForm{StoreID: 2}, 2},
		{"what was refused stays as entered", placesview.MoveForm{StoreID: 1, Errors: ui.Errors{"store": "terminal.sameStore"}}, 1},
	} {
		v := &placesview.TerminalMoveView{Form: tt.move}
		v.Page, v.Terminal, v.Stores = page(t, models.Administrator, "/terminals/1", "12:00:00"), place, shop.Stores()
		if got := v.ChosenStore(); got != tt.want {
			t.Errorf("%s: chosenStore = %d, want %d", tt.name, got, tt.want)
		}
	}
}

// A storeId of an odd shape is shown to be compared.
func TestOddMerchantIDsAreShown(t *testing.T) {
	t.Parallel()
	for merchant, want := range map[string]bool{"7401922": false, "": false, "A,B": true, strings.Repeat("7", 250): true} {
		v := &placesview.TerminalView{}
		v.Page, v.Stores = page(t, models.Administrator, "/terminals/1", "12:00:00"), shop.Stores()
		v.Terminal = models.TerminalPlace{Terminal: shop.Terminals()[1], StoreID: 1, MerchantID: merchant}
		text := draw(t, "es-MX", placesview.Terminal(v))
		if strings.Contains(text, `data-testid="odd-merchant"`) != want {
			t.Errorf("the page of a terminal with storeId %q warns: %t, want %t", merchant, !want, want)
		}
	}
}

func TestBeginning(t *testing.T) {
	t.Parallel()
	ctx, zone := locale.With(context.Background(), "es-MX"), window(t).Calendar.Zone()
	midnight := time.Date(2026, 11, 20, 6, 0, 0, 0, time.UTC) // in Mexico City
	for _, tt := range []struct {
		at   time.Time
		want string
	}{
		{midnight, "20 nov 2026"},
		{midnight.Add(time.Minute), "20 nov 2026, 00:01"},
		{midnight.Add(-6 * time.Hour), "19 nov 2026, 18:00"},
	} {
		if got := ui.SinceText(ctx, tt.at, zone); got != tt.want {
			t.Errorf("beginning(%s) = %q, want %q", tt.at, got, tt.want)
		}
	}
}

// On a phone the labels are all that says what a value is.
func TestCellsOfShortTablesAreLabelled(t *testing.T) {
	t.Parallel()
	pages := samplePages(t)
	for _, name := range []string{
		"terminals", "terminal", "moves-new", "moves", "health", "stores", "users", "endpoints", "delivery-waiting",
	} {
		got := draw(t, "es-MX", pages[name])
		cells, roles, labels := strings.Count(got, "<td"), strings.Count(got, `<td role="cell"`), strings.Count(got, "data-label=")
		if cells == 0 || cells != roles || cells != labels {
			t.Errorf("%s: %d cells, %d with a role, %d with a label", name, cells, roles, labels)
		}
	}
}

func TestNoteIsOptionalUnlessTheReasonNeedsIt(t *testing.T) {
	t.Parallel()
	optional := locale.In("es-MX", "form.optional")
	for _, tt := range []struct {
		name string
		form salesview.CancelForm
		want bool
	}{
		{"at first", salesview.CancelForm{}, true},
		{"another field refused", salesview.CancelForm{Errors: ui.Errors{"reason": "reason.required"}}, true},
		{"too long a note", salesview.CancelForm{Reason: "chargedTwice", Errors: ui.Errors{"note": "field.tooLong"}}, true},
		{"the note is lacking", salesview.CancelForm{Reason: "other", Errors: ui.Errors{"note": "note.required"}}, false},
	} {
		v := shop.Sheet("19:52:03")
		v.Form = tt.form
		if got := strings.Contains(draw(t, "es-MX", salesview.Sheet(v)), optional); got != tt.want {
			t.Errorf("%s: the note is optional: %t, want %t", tt.name, got, tt.want)
		}
	}
}
