package reconciliation_test

import (
	"fmt"
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/reconciliation"
)

// No card number is stored, whatever a provider writes into its columns: neither
// alone nor beside other words and digits. Order numbers in the format of terminals
// contain none, whatever their digits.
func TestNoReportKeepsACardNumber(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	sale := d.Sale(125000)
	var lines strings.Builder
	lines.WriteString(reportLine(sale, "Venta"))
	line := func(change func(*models.Sale)) {
		s := *sale
		s.OrderID, s.Folio, s.AuthCode = fmt.Sprintf("%s9%d", sale.OrderID, lines.Len()), "", ""
		change(&s)
		lines.WriteString(reportLine(&s, "Venta"))
	}
	texts := []string{
		"4111111111111111", "REF-4111111111111111", "F 12 4111111111111111", "4111 1111 1111 1111 x", "12-4111-1111-1111-1111",
		"261120134500-1490000001 4111111111111111",
	}
	for _, text := range texts {
		line(func(s *models.Sale) { s.OrderID = text })
		line(func(s *models.Sale) { s.Folio = text })
		if len(text) <= 20 {
			line(func(s *models.Sale) { s.AuthCode = text })
		}
		line(func(s *models.Sale) { s.MerchantID = text })
	}
	d.closeDay()
	rec := d.reconcile(lines.String())
	for _, table := range []string{"report_rows", "report_items"} {
		n := modelstest.Count(t, d.Owner, `SELECT count(*) FROM `+table+` r WHERE reconciliation_id = $1
			AND regexp_replace(r::text, '[ -]', '', 'g') LIKE '%4111111111111111%'`, rec.ID)
		if n != 0 {
			t.Errorf("%s keep a card number %d times", table, n)
		}
	}
	if i := d.kinds(rec)[sale.OrderID]; i.Kind != reconciliation.ItemSame {
		t.Errorf("the line of order %s is %s, want %s", sale.OrderID, i.Kind, reconciliation.ItemSame)
	}
	n := modelstest.Count(t, d.Owner, `SELECT count(*) FROM report_items WHERE reconciliation_id = $1 AND kind = 'unreadable'
		AND problem = 'cardNumber' AND problem_value LIKE '%****1111%' AND order_id = ''`, rec.ID)
	if n != len(texts) {
		t.Errorf("%d lines say that a card number stands where the order number belongs, want %d", n, len(texts))
	}
}
