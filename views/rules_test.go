package views

import (
	"strings"
	"testing"

	"veinte/models/rules"
	salesview "veinte/views/sales"
	settingsview "veinte/views/settings"
)

func TestTheSheetStartsWithWhatTheRulesSay(t *testing.T) {
	t.Parallel()
	v := shop.Sheet("19:41:01")
	v.Rules = rules.Rules{PrintReceipt: true, ReasonReceipts: map[string]bool{"chargedTwice": false}}
	v.Form.Reason, v.Form.Receipt = "customerRequest", true
	got := draw(t, "es-MX", salesview.Sheet(v))
	for _, want := range []string{
		`value="customerRequest" data-receipt="on"`, `value="chargedTwice" data-receipt="off"`,
		"Con este motivo no se imprime comprobante",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the sheet lacks %s", want)
		}
	}
	if strings.Contains(got, "data-decided") {
		t.Error("nobody has decided about the receipt yet")
	}
	v.Form.Receipt = false
	if !strings.Contains(draw(t, "es-MX", salesview.Sheet(v)), "data-decided") {
		t.Error("a receipt that was unticked is not marked as decided")
	}
}

func TestRulesChangeInWords(t *testing.T) {
	t.Parallel()
	got := draw(t, "es-MX", settingsview.Rules(shop.Rules()))
	for _, want := range []string{
		"lo último se envía antes de las 19:59:55", "Desde 23 nov 2026", "<del>20:00</del>", "<ins>19:30</ins>", "<ins>90 s (1 min 30 s)</ins>",
		"Comprobante: Cancún Centro (CUN-01)", "<ins>Como en general</ins>", "1 excepción", "Horario de &lt;Navidad&gt;",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the rules page lacks %s", want)
		}
	}
}
