package compare_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/audit/compare"
	"veinte/models/database"
	"veinte/models/intake"
	"veinte/models/modelstest"
)

// archived lets half a year pass in which little happened, and takes the entries of the
// month of the shop's day out of the database, as archiving it does.
func (s *shop) archived(t *testing.T) {
	t.Helper()
	s.key(t, "Caja")
	s.passkey(t, "Teléfono")
	program := modelstest.RequestKey()
	told := modelstest.Record(t, s.Office, program, modelstest.ByAPI, modelstest.GivenSale(s.Office, "CORREGIDA"))
	modelstest.CloseDay(t, s.Office, time.Minute)
	correction := intake.Correction{Source: models.SourceAPI, Facts: map[string]string{"amount": "990.00"}}
	if _, wrong, err := s.Intake.Correct(t.Context(), program, told[0].SaleID, correction); err != nil || len(wrong) > 0 {
		t.Fatalf("Correct() = %v, %v", wrong, err)
	}
	s.bound(t)
	s.Clock.Set(modelstest.At(t, "2027-06-01T12:00:00-06:00"))
	s.Request(s.Sale(4_200_00))
	s.key(t, "Oficina")
	if r := s.compared(t); r.State != compare.Intact {
		t.Fatalf("before anything is archived: %v", lines(r))
	}
	s.sql(t, `ALTER TABLE audit_entries DISABLE TRIGGER USER`)
	s.sql(t, `DELETE FROM audit_entries WHERE at < '2026-12-01'`)
	s.sql(t, `ALTER TABLE audit_entries ENABLE TRIGGER USER`)
	owner := modelstest.Open(t, strings.Replace(s.URL, modelstest.AppRole, "postgres", 1))
	err := owner.InTx(t.Context(), func(tx database.Tx) error {
		about := audit.About{After: map[string]any{"month": "2026-11", "from": 0, "to": 100}}
		return audit.Record(tx, models.System("command line", "raquel"), s.Clock.Now(), models.ActionAuditArchived, models.OutcomeSuccess, about)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestArchivedMonthsAreNoDifference: what their entries said cannot be compared, is counted
// as such, and accuses nobody.
func TestArchivedMonthsAreNoDifference(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.archived(t)
	r := s.compared(t)
	if r.State != compare.Intact || fmt.Sprint(r.Months) != "[2026-11]" {
		t.Errorf("Compare() = %s %v of %v, want intact", r.State, lines(r), r.Months)
	}
	for _, name := range []string{"sales", "cancellations", "closings", "api_secrets", "passkeys", "users"} {
		if table := tableOf(r, name); table.Archived == 0 {
			t.Errorf("%s: %+v, want rows whose entries are archived", name, table)
		}
	}
	for _, name := range []string{"sales", "cancellations", "api_secrets"} {
		if table := tableOf(r, name); table.Compared == 0 {
			t.Errorf("%s: %+v, want those of today compared", name, table)
		}
	}
}

// TestManipulationsBehindArchivedMonthsAreNamed: entries that are not here leave reports that
// are of one piece, and rows that have to agree with one another.
func TestManipulationsBehindArchivedMonthsAreNamed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, sql string
		want      func(s *shop) string
	}{
		{
			"a sale's store", `UPDATE sales SET store_id = (SELECT max(id) FROM stores) WHERE id = $1`,
			func(s *shop) string {
				return fmt.Sprintf("changed sales %d store_id: %s → OTRA", s.sale.ID, s.Store.Code)
			},
		},
		{
			"the amount of a sale that was canceled", `UPDATE sales SET amount = 100 WHERE id = $1`,
			func(s *shop) string {
				return fmt.Sprintf("changed sales %d amount: %s → 1.00", s.sale.ID, s.sale.Amount.Decimal())
			},
		},
		{
			"a sale that is gone", `DELETE FROM sales WHERE id = $1`,
			func(s *shop) string { return fmt.Sprintf("missing sales %d : %s", s.sale.ID, s.sale.Amount.Decimal()) },
		},
		{
			"what a list says of it", `UPDATE sales SET state = 'cancelable' WHERE id = $1`,
			func(s *shop) string {
				return fmt.Sprintf("changed sales %d state: confirmed → cancelable", s.sale.ID)
			},
		},
		{
			"the closing's list", `UPDATE closing_terminals SET amounts = array_replace(amounts, 125000, 100) WHERE $1 = ANY(sale_ids)`,
			func(*shop) string { return "changed closing_terminals 2026-11-20" },
		},
		{
			"the closing's bytes, with their hash", `UPDATE closings SET canonical = convert_to($1::bigint::text, 'UTF8'),
				hash = sha256(convert_to($1::bigint::text, 'UTF8'))`,
			func(*shop) string { return "unrecorded closing_terminals 2026-11-20" },
		},
		{
			"a sale of today", `UPDATE sales SET amount = 100 WHERE amount = 420000 AND $1 > 0`,
			func(*shop) string { return "changed sales " },
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			modelstest.Store(t, s.DB, s.Clock.Now(), "OTRA")
			s.archived(t)
			s.sql(t, tt.sql, s.sale.ID)
			r := s.compared(t)
			if want := tt.want(s); r.State != compare.Altered || !slices.ContainsFunc(lines(r), func(l string) bool {
				return strings.HasPrefix(l, want)
			}) {
				t.Errorf("Compare() = %s\n%s\nwant %s", r.State, strings.Join(lines(r), "\n"), want)
			}
		})
	}
}
