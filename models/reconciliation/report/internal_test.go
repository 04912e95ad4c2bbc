package report

import (
	"maps"
	"testing"
	"time"

	"veinte/models"
)

func TestReportAmounts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text     string
		style    AmountStyle
		want     models.Money
		negative bool
		ok       bool
	}{
		{"1250", AmountsPoint, 125000, false, true},
		{"1,250.00", AmountsPoint, 125000, false, true},
		{"$ 1,250.5 MXN", AmountsPoint, 125050, false, true},
		{"-1,250.00", AmountsPoint, 125000, true, true},
		{"1,250.00-", AmountsPoint, 125000, true, true},
		{"($1,250.00)", AmountsPoint, 125000, true, true},
		{"−5", AmountsPoint, 500, true, true},
		{"0.00", AmountsPoint, 0, false, true},
		{"1.250,00", AmountsComma, 125000, false, true},
		{"1250,5", AmountsComma, 125050, false, true},
		{"125000", AmountsCentavos, 125000, false, true},
		{"-125000", AmountsCentavos, 125000, true, true},
		{"1,25", AmountsPoint, 0, false, false},
		{"12,50.00", AmountsPoint, 0, false, false},
		{"1.250,00", AmountsPoint, 0, false, false},
		{"1,250.00", AmountsComma, 0, false, false},
		{"1.25", AmountsComma, 0, false, false},
		{"12.505", AmountsPoint, 0, false, false},
		{"1250.00", AmountsCentavos, 0, false, false},
		{"--5", AmountsPoint, 0, false, false},
		{"1e3", AmountsPoint, 0, false, false},
		{"", AmountsPoint, 0, false, false},
		{"mil", AmountsPoint, 0, false, false},
		{"99999999999999999999", AmountsPoint, 0, false, false},
	} {
		got, negative, ok := parseReportAmount(tt.text, tt.style)
		if ok != tt.ok || ok && (got != tt.want || negative != tt.negative) {
			t.Errorf("parseReportAmount(%q, %s) = %d, %t, %t; want %d, %t, %t", tt.text, tt.style, got, negative, ok, tt.want, tt.negative, tt.ok)
		}
	}
}

func TestReportTimes(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("America/Mexico_City")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		text  string
		style DateStyle
		want  string // RFC 3339; "" when it cannot be read
		clock bool
	}{
		{"20/11/2026 14:03:05", DatesDayMonthYear, "2026-11-20T14:03:05-06:00", true},
		{"20/11/26 14:03", DatesDayMonthYear, "2026-11-20T14:03:00-06:00", true},
		{"20-nov-2026 02:03 p. m.", DatesDayMonthYear, "2026-11-20T14:03:00-06:00", true},
		{"20/11/2026 140305", DatesDayMonthYear, "2026-11-20T14:03:05-06:00", true},
		{"11/20/2026 12:00 AM", DatesMonthDayYear, "2026-11-20T00:00:00-06:00", true},
		{"2026-11-20T20:03:05Z", DatesDayMonthYear, "2026-11-20T14:03:05-06:00", true},
		{"2026-11-20 21:03:05.123-05:00", DatesMonthDayYear, "2026-11-20T20:03:05-06:00", true},
		{"20261120", DatesISO, "2026-11-20T00:00:00-06:00", false},
		{"20/11/2026", DatesDayMonthYear, "2026-11-20T00:00:00-06:00", false},
		{"11/20/2026", DatesDayMonthYear, "", false},
		{"20/11/2026", DatesMonthDayYear, "", false},
		{"20/11/2026", DatesISO, "", false},
		{"31/02/2026", DatesDayMonthYear, "", false},
		{"20/11/2026 25:00", DatesDayMonthYear, "", false},
		{"20/11/2026 13:00 pm", DatesDayMonthYear, "", false},
		{"20/11/2026 mañana", DatesDayMonthYear, "", false},
		{"20/11/1026", DatesDayMonthYear, "", false},
		{"46346.58", DatesDayMonthYear, "", false},
		{"", DatesDayMonthYear, "", false},
	} {
		got, clock, ok := parseReportTime(tt.text, tt.style, zone)
		if !ok && tt.want == "" {
			continue
		}
		if shown := got.In(zone).Format(time.RFC3339); !ok || shown != tt.want || clock != tt.clock {
			t.Errorf("parseReportTime(%q, %s) = %s, %t, %t; want %s, %t", tt.text, tt.style, shown, clock, ok, tt.want, tt.clock)
		}
	}
}

func TestCardNumbersOfReports(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"****1234":            "1234",
		"4242 4242 4242 4242": "4242",
		"XXXX-XXXX-XXXX-0007": "0007",
		"123":                 "",
		"":                    "",
		"VISA 1234":           "1234",
	} {
		if got := lastDigits(text); got != want {
			t.Errorf("lastDigits(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestMappingsThatAreRefused(t *testing.T) {
	t.Parallel()
	good := func() Mapping {
		return Mapping{
			Columns: map[Field]string{
				FieldOrderID: "Orden", FieldSerialNumber: "N/S", FieldAmount: "Monto", FieldStatus: "Tipo", FieldSoldAt: "Fecha",
			},
			Words: map[string]Meaning{"Venta": MeansSale}, Amounts: AmountsPoint, Dates: DatesISO, Zone: "UTC",
		}
	}
	if _, err := good().Check(); err != nil {
		t.Fatalf("check() of a good one = %v", err)
	}
	for fact, tt := range map[string]struct {
		change func(*Mapping)
		field  string
	}{
		"no amount":          {func(m *Mapping) { delete(m.Columns, FieldAmount) }, "amount"},
		"nothing that names": {func(m *Mapping) { delete(m.Columns, FieldOrderID) }, "orderId"},
		"a folio of no terminal": {func(m *Mapping) {
			m.Columns = map[Field]string{FieldFolio: "F", FieldAmount: "M", FieldStatus: "T"}
		}, "serialNumber"},
		"no status":              {func(m *Mapping) { delete(m.Columns, FieldStatus) }, "status"},
		"an hour of no day":      {func(m *Mapping) { delete(m.Columns, FieldSoldAt); m.Columns[FieldHour] = "Hora" }, "soldAt"},
		"one column twice":       {func(m *Mapping) { m.Columns[FieldFolio] = " órden " }, "folio"},
		"a column of a tab":      {func(m *Mapping) { m.Columns[FieldFolio] = "a\tb" }, "folio"},
		"no words":               {func(m *Mapping) { m.Words = nil }, "words"},
		"only ignored words":     {func(m *Mapping) { m.Words = map[string]Meaning{"x": MeansIgnore} }, "words"},
		"a word twice":           {func(m *Mapping) { m.Words["VENTA"] = MeansDeclined }, "words"},
		"a meaning that is none": {func(m *Mapping) { m.Words["Ajuste"] = "" }, "words"},
		"a style that is none":   {func(m *Mapping) { m.Amounts = "x" }, "amounts"},
		"a date that is none":    {func(m *Mapping) { m.Dates = "" }, "dates"},
		"a zone that is none":    {func(m *Mapping) { m.Zone = "Roma" }, "zone"},
		"a cut that is none":     {func(m *Mapping) { m.CompleteUntil = "noche" }, "cut"},
	} {
		m := good()
		tt.change(&m)
		_, err := m.Check()
		if refused, ok := err.(*models.Error); !ok || refused.Field != tt.field {
			t.Errorf("%s: check() = %v, want a refusal of %s", fact, err, tt.field)
		}
	}
}

func TestSuggestions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		header []string
		want   map[Field]string
	}{
		{
			[]string{
				"Fecha Operación", "Hora", "N/S", "No. de Afiliación", "Núm. orden", "Tipo de transacción", "IMPORTE",
				"Autorización", "Tarjeta", "Comisión",
			},
			map[Field]string{
				FieldSoldAt:       "Fecha Operación",
				FieldHour:         "Hora",
				FieldSerialNumber: "N/S",
				FieldMerchantID:   "No. de Afiliación",
				FieldOrderID:      "Núm. orden",
				FieldStatus:       "Tipo de transacción",
				FieldAmount:       "IMPORTE",
				FieldAuthCode:     "Autorización",
				FieldLast4:        "Tarjeta",
			},
		},
		{
			[]string{"transaction_date", "terminal_id", "order_id", "amount", "status", "auth_code", "last4"},
			map[Field]string{
				FieldSoldAt:       "transaction_date",
				FieldSerialNumber: "terminal_id",
				FieldOrderID:      "order_id",
				FieldAmount:       "amount",
				FieldStatus:       "status",
				FieldAuthCode:     "auth_code",
				FieldLast4:        "last4",
			},
		},
		{[]string{"A", "B"}, map[Field]string{}},
	} {
		m := SuggestMapping(tt.header, [][]string{{"", "", "", "", "", "Devolución"}})
		if !maps.Equal(m.Columns, tt.want) {
			t.Errorf("SuggestMapping(%v) = %v, want %v", tt.header, m.Columns, tt.want)
		}
		if len(m.Words) != 0 {
			t.Errorf("a refund is suggested to mean %v", m.Words)
		}
	}
}
