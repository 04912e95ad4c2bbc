package views

import (
	"context"
	"html"
	"io"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"veinte/models"
	"veinte/views/locale"
)

const hostile = `<script>alert("x")</script>&'`

func TestAppendTextEscapesAsHTMLDemands(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	alphabet := []rune(`ab<>&"'ñ· ` + "\n\t\x00")
	for range 2000 {
		text := make([]rune, r.IntN(20))
		for i := range text {
			text[i] = alphabet[r.IntN(len(alphabet))]
		}
		if got, want := string(appendText(nil, string(text))), html.EscapeString(string(text)); got != want {
			t.Fatalf("appendText(%q) = %q, want %q", string(text), got, want)
		}
	}
}

func TestRowsEscapeHostileText(t *testing.T) {
	t.Parallel()
	v := sampleSales("19:20:00")
	v.Stores, v.Terminals = sampleStores(), map[int64]models.Terminal{1: {Label: hostile}}
	v.Stores[0].Code = hostile
	row := &v.List.Sales[1]
	row.TerminalID, row.OrderID, row.CardBrand, row.Last4, row.Requester = 1, hostile, hostile, hostile, hostile
	row.SerialNumber = hostile
	got := draw(t, "es-MX", SalesList(v))
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
			v, now := sampleSales("19:20:00"), state
			if state == models.SaleTooLate {
				v.Now, now = at(t, "20:00:00"), models.SaleCancelable
			}
			v.List.Sales = []models.SaleRow{sampleRow(100, "19:12:00", 125000, now)}
			got := draw(t, lang, SalesList(v))
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
			if has := strings.Contains(got, locale.In(lang, "sales.canceling")); has != state.Open() {
				t.Errorf("row in %s says who cancels: %t, want %t", state, has, state.Open())
			}
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
		sale := sampleSale(1, "11:00:00", 100, tt.state)
		if got := MayCancel(models.Actor{Role: tt.role}, &sale, window(t), at(t, tt.at)); got != tt.want {
			t.Errorf("%s: MayCancel = %t, want %t", tt.name, got, tt.want)
		}
	}
}

func TestRowsShowTheStoresOwnClockWhereItDiffers(t *testing.T) {
	t.Parallel()
	v := sampleSales("19:20:00")
	v.Stores = sampleStores()
	v.List.Sales = []models.SaleRow{sampleRow(100, "19:12:00", 125000, models.SaleCancelable)}
	v.List.Sales[0].StoreID = 2
	got := draw(t, "es-MX", SalesList(v))
	cell := regexp.MustCompile(`c-time"><time datetime="2026-11-21T01:12:00Z">19:12</time><small>20:12 en sucursal</small>`)
	if !cell.MatchString(got) {
		t.Errorf("no cell with both clocks in\n%s", got)
	}
}

func BenchmarkSalesList(b *testing.B) {
	v := sampleSales("19:20:00")
	for len(v.List.Sales) < models.PageSize {
		v.List.Sales = append(v.List.Sales, sampleRow(int64(len(v.List.Sales)), "12:00:00", 9900, models.SaleCancelable))
	}
	ctx := locale.With(context.Background(), "es-MX")
	b.ReportAllocs()
	for b.Loop() {
		if err := SalesList(v).Render(ctx, io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}
