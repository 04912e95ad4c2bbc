package sales_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/sales"
)

// TestSaleColumnsAreThoseOfTheSchema: a column that a migration adds is listed,
// compared and inserted, or is named here as an exception.
func TestSaleColumnsAreThoseOfTheSchema(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	var schema string
	err := o.Owner.QueryRow(`SELECT string_agg(column_name, ', ' ORDER BY column_name) FROM information_schema.columns
		WHERE table_schema = current_schema() AND table_name = 'sales'
			AND column_name NOT IN ('changed_era', 'changed_txid') -- the order in which models/changes follows sales`).Scan(&schema)
	if err != nil {
		t.Fatal(err)
	}
	known := slices.Sorted(slices.Values(strings.Split(sales.AllColumns.Names(""), ", ")))
	if got := strings.Join(known, ", "); got != schema {
		t.Errorf("saleColumns are\n%s, want\n%s", got, schema)
	}
}

// TestEveryFactHasAName: every fact of SaleInput can be found by its name.
func TestEveryFactHasAName(t *testing.T) {
	t.Parallel()
	var in models.SaleInput
	fields := reflect.ValueOf(&in).Elem()
	for _, name := range []string{
		"serialNumber", "merchantId", "orderId", "amount", "currency", "soldAt", "last4", "cardBrand", "authCode", "folio", "reference",
	} {
		if at := in.Field(name); at == nil {
			t.Errorf("no fact is called %s", name)
		} else {
			*at = name
		}
	}
	for i := range fields.NumField() {
		field, name := fields.Type().Field(i).Name, fields.Field(i).String()
		if !strings.EqualFold(field, name) {
			t.Errorf("%s is called %q", field, name)
		}
	}
	if in.Field("tip") != nil {
		t.Error("a fact that there is not has a place")
	}
}

// BenchmarkDaySales reads the first page of a day's list.
func BenchmarkDaySales(b *testing.B) {
	o := modelstest.NewOffice(b)
	for range 120 {
		o.Sale(125000)
	}
	filter := sales.Filter{Day: o.Sale(9900).BusinessDay}
	b.ReportAllocs()
	for b.Loop() {
		page, err := o.Sales.DaySales(b.Context(), o.Manager, filter)
		if err != nil || len(page.Sales) < 50 {
			b.Fatalf("DaySales() = %d sales, %v", len(page.Sales), err)
		}
	}
}
