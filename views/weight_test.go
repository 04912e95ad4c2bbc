package views

import (
	"bytes"
	"compress/gzip"
	"regexp"
	"strconv"
	"testing"

	"veinte/models"
	"veinte/static"
	"veinte/views/locale"
	salesview "veinte/views/sales"
	todayview "veinte/views/today"
)

// loaded are the addresses of what a page loads by itself.
var loaded = regexp.MustCompile(`(?:src|href)="(` + static.Prefix + `[\w.-]+\.(?:css|js|svg))`)

// A shop's phone line carries the list with everything it loads in less than 54 KB: the
// page compressed as the server compresses, files as small as they get.
func TestTheListWeighsLittle(t *testing.T) {
	t.Parallel()
	const limit = 54 << 10
	page := draw(t, "es-MX", salesview.Sales(fifty(models.SaleStates)))
	files := map[string][]byte{"page": []byte(page)}
	for _, match := range loaded.FindAllStringSubmatch(page, -1) {
		address := match[1]
		data, _, ok := static.Open(address)
		if !ok {
			t.Errorf("%s: no such file", address)
		}
		files[address] = data
	}
	if len(files) < 6 {
		t.Fatalf("the page loads %d files, want its styles, scripts and icons", len(files)-1)
	}
	total := 0
	for name, data := range files {
		level := gzip.BestCompression
		if name == "page" {
			level = gzip.DefaultCompression
		}
		n := weight(t, data, level)
		t.Logf("%s: %d bytes, %d compressed", name, len(data), n)
		total += n
	}
	t.Logf("together %d of at most %d", total, limit)
	if total >= limit {
		t.Errorf("the list of 50 sales weighs %d bytes with everything, want less than %d", total, limit)
	}
}

// fifty is a page of sales that go through the states.
func fifty(states []models.SaleState) *salesview.SalesView {
	v := shop.Sales("19:52:03")
	v.List.Sales = nil
	for i := range 50 {
		row := shop.Row(
			int64(900+i), "19:0"+strconv.Itoa(i%10)+":07", models.Money(12345+i*7919), states[i%len(states)],
		)
		row.OrderID = "261120" + strconv.Itoa(190000+i*7919%60000) + "-" + string(row.SerialNumber)
		v.List.Sales = append(v.List.Sales, row)
	}
	return v
}

func weight(t *testing.T, data []byte, level int) int {
	t.Helper()
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, level)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Len()
}

// The first page of whoever oversees 400 stores is as light as that of one store, however
// many of them there are, and on a day on which much is wrong.
func TestTheFirstPageOfAChainIsSmall(t *testing.T) {
	t.Parallel()
	for _, lang := range locale.Languages {
		chain := len(draw(t, lang, todayview.Page(shop.Chain(400))))
		wrong := shop.Chain(400)
		wrong.Page.Notices = shop.Troubled(models.Supervisor, "/today").Notices
		if n := len(draw(t, lang, todayview.Page(wrong))); n > 30_000 {
			t.Errorf("%s: with every notice the first page of 400 stores is %d bytes, want at most 30,000", lang, n)
		}
		if chain > 28_000 {
			t.Errorf("%s: the first page of 400 stores is %d bytes, want at most 28,000", lang, chain)
		}
		if more := len(draw(t, lang, todayview.Page(shop.Chain(1600)))); more > chain+200 {
			t.Errorf("%s: of 1,600 stores it is %d bytes, of 400 %d", lang, more, chain)
		}
	}
}
