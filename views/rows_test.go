package views

import (
	"context"
	"encoding/json"
	"html"
	"io"
	"regexp"
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/rules"
	"veinte/models/sales"
	"veinte/views/locale"
	salesview "veinte/views/sales"
	"veinte/views/samples"
)

const hostile = `<script>alert("x")</script>&'`

func TestRowsEscapeHostileText(t *testing.T) {
	t.Parallel()
	v := shop.Sales("19:20:00")
	v.Stores, v.Terminals = shop.Stores(), map[int64]models.Terminal{1: {Label: hostile}}
	v.Stores[0].Code = hostile
	row := &v.List.Sales[1]
	row.TerminalID, row.OrderID, row.CardBrand, row.Last4, row.Requester = 1, hostile, hostile, hostile, hostile
	row.SerialNumber = hostile
	got := draw(t, "es-MX", salesview.SalesList(v))
	if strings.Contains(got, "<script") {
		t.Errorf("the list holds a script from outside:\n%s", got)
	}
	if want := html.EscapeString(hostile); strings.Count(got, want) < 6 {
		t.Errorf("the list shows hostile text %d times, want at least 6", strings.Count(got, want))
	}
}

func TestEachStateHasItsRow(t *testing.T) {
	t.Parallel()
	for _, state := range models.SaleStates {
		for _, lang := range locale.Languages {
			v, now := shop.Sales("19:20:00"), state
			if state == models.SaleTooLate {
				v.Now, now = at(t, "20:00:00"), models.SaleCancelable
			}
			v.List.Sales = []sales.Row{shop.Row(100, "19:12:00", 125000, now)}
			got := draw(t, lang, salesview.SalesList(v))
			for _, want := range []string{
				`data-testid="sale" data-order-id="261120191200-1234567890" data-state="` + string(state) + `" data-serial="1234567890"`,
				"</svg>" + locale.In(lang, "state."+string(state)) + "</span>", "$1,250.00",
			} {
				if !strings.Contains(got, want) {
					t.Errorf("%s row in %s lacks %q", lang, state, want)
				}
			}
			mayCancel := state == models.SaleCancelable || state == models.SaleRejected
			if has := strings.Contains(got, `data-testid="cancel"`); has != mayCancel {
				t.Errorf("row in %s has a cancel link: %t, want %t", state, has, mayCancel)
			}
			canceling := state.Open() && state != models.SaleUnknown // in doubt nobody is canceling any more
			if has := strings.Contains(got, locale.In(lang, "sales.canceling")); has != canceling {
				t.Errorf("row in %s says who cancels: %t, want %t", state, has, canceling)
			}
			if has := strings.Contains(got, locale.In(lang, "sales.asked")); has != (state == models.SaleUnknown) {
				t.Errorf("row in %s says who asked for it: %t, want it of the doubt alone", state, has)
			}
		}
	}
}

// The chips over a list say what its text or state let through of each terminal,
// one of which nothing matches included.
func TestChipsSayTheSumsOfWhatIsFiltered(t *testing.T) {
	t.Parallel()
	v := shop.Sales("19:20:00")
	v.Filter.Query = "4242"
	samples.Match(v, models.Sum{Count: 3, Amount: 375000})
	got := draw(t, "es-MX", salesview.TerminalChips(v))
	amounts := regexp.MustCompile(`chip-amount">([^<]*)<`).FindAllStringSubmatch(got, -1)
	want := []string{"$3,750.00", "$3,750.00", "$0.00"}
	if len(amounts) != len(want) {
		t.Fatalf("%d chips, want all terminals and %d of the day:\n%s", len(amounts), len(want)-1, got)
	}
	for i := range want {
		if amounts[i][1] != want[i] {
			t.Errorf("chip %d = %s, want %s", i, amounts[i][1], want[i])
		}
	}
}

// What the shortcut says of a sale that cannot be canceled is a sentence for each
// state; to somebody who cancels none it is that.
func TestWhyARowCannotBeCanceled(t *testing.T) {
	t.Parallel()
	v := shop.Sales("19:20:00")
	for _, lang := range locale.Languages {
		var says map[models.SaleState]string
		if err := json.Unmarshal([]byte(v.NotCancelable(locale.With(context.Background(), lang))["data-not"].(string)), &says); err != nil {
			t.Fatal(err)
		}
		told := map[string]models.SaleState{}
		for _, state := range models.SaleStates {
			words := says[state]
			if !strings.HasSuffix(words, ".") || told[words] != "" {
				t.Errorf("%s: of %s it says %q, want a sentence of its own", lang, state, words)
			}
			told[words] = state
		}
	}
	v.Actor.Role = models.Administrator
	got := v.NotCancelable(locale.With(context.Background(), "en"))
	if got["data-not"] != nil || got["data-may-not"] != locale.In("en", "shortcuts.mayNot") {
		t.Errorf("to an administrator it says %v, want that they cancel none", got)
	}
}

// In a pause nothing is offered that would be refused; what is no question of the
// pause stays as it is.
func TestInAPauseNoRowOffersACancellation(t *testing.T) {
	t.Parallel()
	for _, state := range models.SaleStates {
		v := shop.Sales("19:20:00")
		v.Actor.Role = models.Supervisor
		v.List.Sales = []sales.Row{shop.Row(100, "19:12:00", 125000, state)}
		offered := draw(t, "es-MX", salesview.SalesList(v))
		v.Notices.Pause = &rules.Pause{Reason: "Se cambia el enlace", PausedAt: at(t, "19:10:00"), PausedBy: "Ada"}
		held := draw(t, "es-MX", salesview.SalesList(v))
		if strings.Contains(held, `data-testid="cancel"`) || strings.Contains(held, `name="sale"`) {
			t.Errorf("a row in %s offers a cancellation in a pause", state)
		}
		could, says := strings.Contains(offered, `data-testid="cancel"`), strings.Contains(held, ">"+locale.In("es-MX", "sales.paused")+"<")
		if could != says {
			t.Errorf("a row in %s says that it is paused: %t, want %t", state, says, could)
		}
	}
}

func TestMayCancel(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		role  models.Role
		state models.SaleState
		at    string
		want  bool
	}{
		{"a manager before the cut-off", models.Manager, models.SaleCancelable, "19:59:54", true},
		{"within the margin it is too late", models.Manager, models.SaleCancelable, "19:59:55", false},
		{"an administrator cancels nothing", models.Administrator, models.SaleCancelable, "12:00:00", false},
		{"a rejected one may be asked for again", models.Manager, models.SaleRejected, "19:50:00", true},
		{"what was found still charged needs a supervisor", models.Manager, models.SaleNotCanceled, "19:50:00", false},
		{"and a supervisor may", models.Supervisor, models.SaleNotCanceled, "19:50:00", true},
		{"a doubt is no reason to ask again", models.Supervisor, models.SaleUnknown, "19:50:00", false},
	}
	for _, tt := range tests {
		sale := shop.Sale(1, "11:00:00", 100, tt.state)
		if got := salesview.MayCancel(models.Actor{Role: tt.role}, &sale, window(t), at(t, tt.at)); got != tt.want {
			t.Errorf("%s: MayCancel = %t, want %t", tt.name, got, tt.want)
		}
	}
}

func TestRowsShowTheStoresOwnClockWhereItDiffers(t *testing.T) {
	t.Parallel()
	v := shop.Sales("19:20:00")
	v.Stores = shop.Stores()
	v.List.Sales = []sales.Row{shop.Row(100, "19:12:00", 125000, models.SaleCancelable)}
	v.List.Sales[0].StoreID = 2
	got := draw(t, "es-MX", salesview.SalesList(v))
	cell := regexp.MustCompile(`c-time"><time datetime="2026-11-21T01:12:00Z">19:12</time><small>20:12 en sucursal</small>`)
	if !cell.MatchString(got) {
		t.Errorf("no cell with both clocks in\n%s", got)
	}
}

func BenchmarkSalesList(b *testing.B) {
	v := shop.Sales("19:20:00")
	for len(v.List.Sales) < models.PageSize {
		v.List.Sales = append(v.List.Sales, shop.Row(int64(len(v.List.Sales)), "12:00:00", 9900, models.SaleCancelable))
	}
	ctx := locale.With(context.Background(), "es-MX")
	b.ReportAllocs()
	for b.Loop() {
		if err := salesview.SalesList(v).Render(ctx, io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}
