package views

import (
	"context"
	"html"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/a-h/templ"

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

// counterWords are the states as the list says them at the counter, in each language.
var counterWords = map[models.SaleState]map[string]string{
	models.SaleCancelable:  {"es-MX": "Cancelable", "en": "Can be canceled"},
	models.SaleRequested:   {"es-MX": "En camino", "en": "On its way"},
	models.SaleSending:     {"es-MX": "En camino", "en": "On its way"},
	models.SaleAccepted:    {"es-MX": "En camino", "en": "On its way"},
	models.SaleConfirmed:   {"es-MX": "Cancelada", "en": "Canceled"},
	models.SaleRejected:    {"es-MX": "Sigue cobrada: la terminal la rechazó", "en": "Still charged: the terminal rejected it"},
	models.SaleUnknown:     {"es-MX": "Por verificar", "en": "To be verified"},
	models.SaleNotCanceled: {"es-MX": "Sigue cobrada", "en": "Still charged"},
	models.SaleExpired:     {"es-MX": "Sigue cobrada: venció sin enviarse", "en": "Still charged: it expired unsent"},
	models.SaleTooLate:     {"es-MX": "No cancelable", "en": "Cannot be canceled"},
}

// What the service rejected, no terminal has.
func TestARejectionSaysWhose(t *testing.T) {
	t.Parallel()
	for detail, want := range map[models.Detail]string{
		models.DetailDeclined:         "Sigue cobrada: la terminal la rechazó",
		models.DetailTerminalNotFound: "Sigue cobrada: no llegó a la terminal",
		models.DetailInvalidToken:     "Sigue cobrada: no llegó a la terminal",
	} {
		v := shop.Sales("19:20:00")
		v.List.Sales = []sales.Row{shop.Row(100, "19:12:00", 125000, models.SaleRejected)}
		v.List.Sales[0].Detail = detail
		if got := draw(t, "es-MX", salesview.SalesList(v)); !strings.Contains(got, ">"+want+"<") {
			t.Errorf("the row of a sale that was rejected (%s) does not say %q", detail, want)
		}
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
			says := "<tr id=sale-100 data-state=" + string(state) + ">"
			if state == models.SaleCancelable {
				says = "<tr id=sale-100>" // as most of them
			}
			wants := []string{says, "$1,250.00", "<small>S/N 1234567890</small>", "<td>261120·<i>191200</i>"}
			chip := "</svg>" + counterWords[state][lang] + "</span>"
			// What every row would say is said above the list: a chip is for the exception.
			if state == models.SaleCancelable || state == models.SaleTooLate {
				if strings.Contains(got, chip) {
					t.Errorf("%s row in %s, as any other, has a chip of its own", lang, state)
				}
			} else {
				wants = append(wants, chip)
			}
			for _, want := range wants {
				if !strings.Contains(got, want) {
					t.Errorf("%s row in %s lacks %q", lang, state, want)
				}
			}
			mayCancel := state == models.SaleCancelable || state == models.SaleRejected
			if has := strings.Contains(got, "/cancellation/new>"); has != mayCancel {
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

// The chips over a list say what its text or state let through of each terminal. One of
// which nothing matches the text folds away, unless the list is narrowed to it.
func TestChipsSayTheSumsOfWhatIsFiltered(t *testing.T) {
	t.Parallel()
	v := shop.Sales("19:20:00")
	v.Filter.Query = "4242"
	samples.Match(v, models.Sum{Count: 3, Amount: 375000})
	amounts := func() (all []string) {
		got := draw(t, "es-MX", salesview.Strip(v))
		for _, m := range regexp.MustCompile(`chip-amount">([^<]*)<`).FindAllStringSubmatch(got, -1) {
			all = append(all, m[1])
		}
		return all
	}
	if got, want := amounts(), []string{"$3,750.00", "$3,750.00"}; !slices.Equal(got, want) {
		t.Errorf("the chips say %q, want %q: all terminals, and the one with what was looked for", got, want)
	}
	v.Filter.TerminalID = v.List.Sums()[1].TerminalID
	if got, want := amounts(), []string{"$3,750.00", "$3,750.00", "$0.00"}; !slices.Equal(got, want) {
		t.Errorf("the chips say %q, want %q: the chosen one too", got, want)
	}
}

// What the shortcut says of a sale that cannot be canceled is a sentence for each
// state; to somebody who cancels none it is that.
func TestWhyARowCannotBeCanceled(t *testing.T) {
	t.Parallel()
	for _, lang := range locale.Languages {
		told, says := map[string]models.SaleState{}, inWords(t, lang)
		for _, state := range models.SaleStates {
			words := says["shortcuts.not."+string(state)]
			if !strings.HasSuffix(words, ".") || told[words] != "" {
				t.Errorf("%s: of %s it says %q, want a sentence of its own", lang, state, words)
			}
			told[words] = state
		}
	}
	v := shop.Sales("19:20:00")
	if got := draw(t, "en", salesview.Sales(v)); strings.Contains(got, "data-may-not") {
		t.Error("to a manager it says that they cancel none")
	}
	v.Actor.Role = models.Administrator
	if got := draw(t, "en", salesview.Sales(v)); !strings.Contains(got, "data-may-not") {
		t.Error("to an administrator it does not say that they cancel none")
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
		if strings.Contains(held, "/cancellation/new>") || strings.Contains(held, `name=sale`) {
			t.Errorf("a row in %s offers a cancellation in a pause", state)
		}
		could, says := strings.Contains(offered, "/cancellation/new>"), strings.Contains(held, ">"+locale.In("es-MX", "sales.paused")+"<")
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
	cell := regexp.MustCompile(`<td>19:12<small>20:12 en sucursal</small>`)
	if !cell.MatchString(got) {
		t.Errorf("no cell with both clocks in\n%s", got)
	}
}

// A sale that alone can no longer be canceled is the exception among those that can.
func TestTooLateIsSaidOfOneSaleWhileOthersCanBeCanceled(t *testing.T) {
	t.Parallel()
	v := shop.Sales("19:20:00")
	v.List.Sales = []sales.Row{shop.Row(100, "19:12:00", 125000, models.SaleCancelable)}
	v.List.Sales[0].CutoffAt = at(t, "19:15:00")
	want := "</svg>" + locale.In("es-MX", "state.tooLate") + "</span>"
	if got := draw(t, "es-MX", salesview.SalesList(v)); !strings.Contains(got, want) {
		t.Errorf("the row lacks %q:\n%s", want, got)
	}
}

// Rows are most of what the counter's page is: fifty of a manager are at most 11.5 kB before
// they are compressed, and 18 kB with a box each and something to say of nearly all. The
// whole page is weighed in handlers, see TestTodayIsLight.
func TestFiftyRowsAreSmall(t *testing.T) {
	t.Parallel()
	cancelable := slices.Repeat([]models.SaleState{models.SaleCancelable}, 10)
	for _, tt := range []struct {
		name   string
		role   models.Role
		states []models.SaleState
		most   int
	}{
		{"a manager's, all cancelable", models.Manager, cancelable, 11_500},
		{"a manager's, of every state", models.Manager, models.SaleStates, 16_000},
		{"a supervisor's, with a box each", models.Supervisor, cancelable, 16_000},
		{
			"a supervisor's, a doubt and a request among ten", models.Supervisor,
			append(cancelable[:8:8], models.SaleUnknown, models.SaleAccepted), 16_500,
		},
		{"a supervisor's, of every state", models.Supervisor, models.SaleStates, 18_000},
	} {
		v := fifty(tt.states)
		v.Actor.Role = tt.role
		_, rows, _ := strings.Cut(draw(t, "es-MX", salesview.SalesList(v)), "<tbody>")
		rows, _, _ = strings.Cut(rows, "</tbody>")
		if n := strings.Count(rows, "<tr"); n != 50 {
			t.Fatalf("%s: %d rows, want 50", tt.name, n)
		}
		t.Logf("%s: %d bytes", tt.name, len(rows))
		if len(rows) > tt.most {
			t.Errorf("%s: fifty rows are %d bytes, want at most %d:\n%.600s", tt.name, len(rows), tt.most, rows)
		}
	}
}

// BenchmarkSales measures today's page of a manager with fifty sales, and what of it changes
// by itself.
func BenchmarkSales(b *testing.B) {
	v := fifty([]models.SaleState{models.SaleCancelable})
	ctx := locale.With(context.Background(), "es-MX")
	for _, of := range []struct {
		name string
		part templ.Component
	}{{"page", salesview.Sales(v)}, {"list", salesview.SalesList(v)}, {"strip", salesview.Strip(v)}} {
		b.Run(of.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := of.part.Render(ctx, io.Discard); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
