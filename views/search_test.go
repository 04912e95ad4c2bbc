package views

import (
	"html"
	"regexp"
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/sales"
	salesview "veinte/views/sales"
	"veinte/views/samples"
)

// said returns the text of an element by its data-testid; "" where there is none.
func said(page, id string) string {
	m := regexp.MustCompile(`<p[^>]* data-testid="` + id + `">([^<]*)<`).FindStringSubmatch(page)
	if m == nil {
		return ""
	}
	return strings.TrimSpace(html.UnescapeString(m[1]))
}

// Above what was found stands what the text was read as, where the text does not say it.
func TestWhatASearchWasReadAs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, spanish, english string }{
		{"3092", "", ""},
		{"$1,250.00", "", ""},
		{"1,250", "", ""},
		{"101.5", "", ""},
		{"001002", "", ""},
		{"WEB261120", "", ""},
		{"·· 3092", "", ""},
		{"101,50", "$101.50", "$101.50"},
		{"101,5", "$101.5…", "$101.5…"},
		{"1.250", "$1,250", "$1,250"},
		{"visa 3092", "Visa ·· 3092 o $3,092", "Visa ·· 3092 or $3,092"},
		{"mc *3092", "Mastercard ·· 3092", "Mastercard ·· 3092"},
		{"unionpay 101.50", "UnionPay · 101.50", "UnionPay · 101.50"},
		{"3:42", "3:42 o 15:42", "3:42 or 15:42"},
		{"3 pm", "15:00–15:59", "15:00–15:59"},
		{"3092 3:42 pm", "3092 · 15:42", "3092 · 15:42"},
		{"0:00", "0:00", "0:00"},
		{"s/n 1002 $98", "S/N …1002 · $98", "S/N …1002 · $98"},
	} {
		for lang, want := range map[string]string{"es-MX": tt.spanish, "en": tt.english} {
			v := shop.Sales("19:20:00")
			v.Filter.Query = tt.text
			_, got, _ := strings.Cut(said(draw(t, lang, salesview.SalesList(v)), "understood"), ": ")
			if got != want {
				t.Errorf("%q was read as %q in %s, want %q", tt.text, got, lang, want)
			}
		}
	}
}

// Whoever finds nothing reads as what it was searched, on which days and where.
func TestWhatWasSearchedInVain(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text, searched string
		order          models.Day
		days           string
	}{
		{"9999", "Se buscó como número de orden, monto, últimos 4 dígitos, folio, autorización o referencia.", "", ""},
		{"visa 9999", "Se buscó: Visa ·· 9999 o $9,999", "", ""},
		{"visa", "Se buscó como número de orden, tarjeta Visa, folio, autorización o referencia.", "", ""},
		{"1490001002", "Se buscó como número de orden, S/N de la terminal, folio, autorización o referencia.", "", ""},
		{"260102190142", "Se buscó como número de orden, folio, autorización o referencia.", "2026-01-02", ", 2 ene 2026"},
	} {
		v := shop.AllStores("19:20:00")
		v.Filter.Query, v.List.Sales, v.List.Next = tt.text, nil, ""
		v.Elsewhere = sales.Elsewhere{From: "2026-11-13", To: "2026-11-21", Order: tt.order}
		samples.Match(v)
		page := draw(t, "es-MX", salesview.SalesList(v))
		if got := said(page, "searched"); got != tt.searched {
			t.Errorf("of %q it says %q, want %q", tt.text, got, tt.searched)
		}
		want := "Días revisados: del 13 nov 2026 al 20 nov 2026" + tt.days + ", en todas tus sucursales."
		if got := said(page, "searched-days"); got != want {
			t.Errorf("of %q it says %q, want %q", tt.text, got, want)
		}
		v.Elsewhere.On = []sales.FoundOn{{Day: "2026-11-18", Sales: 1}}
		if page := draw(t, "es-MX", salesview.SalesList(v)); said(page, "searched-days") != "" {
			t.Errorf("of %q it names days without a sale, though there is one", tt.text)
		}
	}
}
