package views

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/sales"
	"veinte/views/locale"
	salesview "veinte/views/sales"
)

// chainOf is the list of a supervisor of many stores, each with four terminals.
func chainOf(stores int) *salesview.SalesView {
	v := fifty(models.SaleStates)
	v.Page = shop.Page(models.Supervisor, "/sales", "19:20:00")
	v.Stores, v.List.Totals, v.Terminals, v.List.Doubts = nil, nil, map[int64]models.Terminal{}, map[int64]int64{}
	for id := int64(1); id <= int64(stores); id++ {
		v.Stores = append(v.Stores, models.Store{
			ID: id, Code: fmt.Sprintf("RED-%d", id), Name: fmt.Sprintf("Sucursal %d", id), TimeZone: "America/Mexico_City",
		})
		for n := range int64(4) {
			t := models.Terminal{ID: id*10 + n, Label: fmt.Sprintf("Caja %d", n+1), SerialNumber: "1234567890"}
			v.Terminals[t.ID] = t
			v.List.Totals = append(v.List.Totals, sales.TerminalTotals{PlaceSums: models.PlaceSums{
				StoreID: id, TerminalID: t.ID, Sums: models.Sums{Sales: models.Sum{Count: 16, Amount: 991000}},
			}})
		}
	}
	for i := range v.List.Sales {
		v.List.Sales[i].StoreID, v.List.Sales[i].TerminalID = int64(i%stores+1), int64(i%stores+1)*10
	}
	v.List.Filtered = v.StoreTotals()
	return v
}

var stripCode = regexp.MustCompile(`data-code="([^"]*)"`)

func stripCodes(t *testing.T, v *salesview.SalesView) (codes []string) {
	t.Helper()
	for _, m := range stripCode.FindAllStringSubmatch(draw(t, "es-MX", salesview.Strip(v)), -1) {
		codes = append(codes, m[1])
	}
	return codes
}

// TestTheStripOfAChain shows at most six of 400 stores: those where somebody may have to
// look, why, and the way to all.
func TestTheStripOfAChain(t *testing.T) {
	t.Parallel()
	v := chainOf(400)
	if got := draw(t, "es-MX", salesview.Strip(v)); len(stripCodes(t, v)) > 0 || !strings.Contains(got, "Ninguna sucursal pide atención") ||
		!strings.Contains(got, `href="/today#stores"`) || !strings.Contains(got, "Ver las 400") {
		t.Errorf("where nothing waits the strip is %s", got)
	}
	for store := range 9 { // all but one of their first terminal
		v.List.Totals[store*4].Open = int64(store)
	}
	v.List.Doubts[3] = 1
	v.List.Totals[399*4].Canceled = models.Sum{Count: 30, Amount: 12300}
	if got, want := stripCodes(t, v), []string{"RED-3", "RED-9", "RED-8", "RED-7", "RED-6", "RED-5"}; !slices.Equal(got, want) {
		t.Errorf("the strip shows %q, want %q", got, want)
	}
	got := draw(t, "es-MX", salesview.Strip(v))
	for _, says := range []string{"1 por verificar", "1 en curso", "8 en curso", `href="/sales?store=9"`} {
		if !strings.Contains(got, says) {
			t.Errorf("the strip lacks %q: %s", says, got)
		}
	}
	v.Filter.StoreID = 9
	if got := draw(t, "es-MX", salesview.Strip(v)); strings.Count(got, "Caja ") != 4 || len(stripCodes(t, v)) > 0 {
		t.Errorf("the strip of one store is %s, want its four terminals", got)
	}
	v.Filter.StoreID, v.Filter.TerminalID = 0, 93
	if got := draw(t, "es-MX", salesview.Strip(v)); strings.Count(got, "Caja ") != 4 || strings.Count(got, "aria-current") != 1 {
		t.Errorf("the strip of one terminal is %s, want those of its store", got)
	}
	v.Page = shop.Page(models.Manager, "/sales", "19:20:00")
	v.Filter.TerminalID = 0
	if got := draw(t, "es-MX", salesview.Strip(v)); strings.Contains(got, "/today") {
		t.Errorf("who may not see the page of all stores is led there: %s", got)
	}
}

// TestNoStoreCancelsInfinitely: where all the others canceled none there is no ratio, and
// the strip says just that.
func TestNoStoreCancelsInfinitely(t *testing.T) {
	t.Parallel()
	v := chainOf(4)
	v.List.Totals[0].Canceled = models.Sum{Count: 9, Amount: 12300}
	for lang, says := range map[string]string{"es-MX": "las demás sucursales, ninguna", "en": "the other stores canceled none"} {
		got := draw(t, lang, salesview.Strip(v))
		if !strings.Contains(got, says) || strings.Contains(got, "Inf") {
			t.Errorf("in %s the strip does not say %q: %s", lang, says, got)
		}
	}
}

// TestManyTerminalsAreChosenAmongTheFilters has no card of each where a store has more
// than twelve.
func TestManyTerminalsAreChosenAmongTheFilters(t *testing.T) {
	t.Parallel()
	v := chainOf(4)
	for i := range v.List.Totals {
		v.List.Totals[i].StoreID = 1
	}
	v.Stores = v.Stores[:1]
	_, list, _ := strings.Cut(draw(t, "es-MX", salesview.Sales(v)), `name="terminal">`)
	list, page, _ := strings.Cut(list, "</select>")
	if strings.Contains(page, `class="chip"`) || strings.Count(list, "<option") != 17 {
		t.Errorf("16 terminals of a store are not a list to choose from")
	}
}

// TestAStripThatIsThereIsNotSentAgain leaves out what the page shows already.
func TestAStripThatIsThereIsNotSentAgain(t *testing.T) {
	t.Parallel()
	v := chainOf(3)
	whole := draw(t, "es-MX", salesview.Strip(v))
	tag := regexp.MustCompile(`data-strip="([^"]+)"`).FindStringSubmatch(whole)
	if tag == nil || strings.Count(whole, `class="chip"`) != 4 {
		t.Fatalf("the strip of three stores is %s", whole)
	}
	v.HasStrip = tag[1]
	if got := draw(t, "es-MX", salesview.Strip(v)); strings.Contains(got, "chip\"") || !strings.Contains(got, "data-same") {
		t.Errorf("a strip that is there is sent again: %s", got)
	}
	v.List.Totals[0].Sales.Count++
	if got := draw(t, "es-MX", salesview.Strip(v)); strings.Count(got, `class="chip"`) != 4 {
		t.Errorf("a strip that has changed is not sent: %s", got)
	}
}

// TestAChainsListIsSmall measures a supervisor's page of the sales of 400 stores, with six
// of them that need somebody.
func TestAChainsListIsSmall(t *testing.T) {
	t.Parallel()
	const limit = 30_000
	for _, lang := range locale.Languages {
		v := chainOf(400)
		v.List.Sales, v.List.Next = v.List.Sales[:sales.ManyStoresPage], "next-page"
		for store := range 9 {
			v.List.Totals[store*4].Open = int64(store + 1)
		}
		page := draw(t, lang, salesview.Sales(v))
		nodes := len(regexp.MustCompile(`<[a-z]`).FindAllString(page, -1))
		t.Logf("%s: %d bytes of at most %d, %d elements", lang, len(page), limit, nodes)
		if len(page) > limit {
			t.Errorf("%s: a page of 400 stores has %d bytes, want at most %d", lang, len(page), limit)
		}
	}
}
