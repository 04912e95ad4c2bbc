package compare_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/alerts"
	"veinte/models/audit/compare"
	"veinte/models/modelstest"
)

// shop is an office with a busy day behind it, as its own people made it.
type shop struct {
	*modelstest.Office
	sale  *models.Sale         // with a confirmed cancellation
	plain *models.Sale         // charged
	c     *models.Cancellation // of sale
}

func newShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{Office: modelstest.NewOffice(t)}
	s.plain = s.Sale(7_500_00)
	for _, state := range modelstest.EveryState {
		s.Terminal = s.NewTerminal(s.Store) // one has one push at a time
		sale, c := s.StateOf(state)
		if state == models.Confirmed {
			s.sale, s.c = sale, c
		}
	}
	return s
}

func (s *shop) compared(t *testing.T) *compare.Result {
	t.Helper()
	r, err := s.Compare.Compare(t.Context())
	if err != nil {
		t.Fatalf("Compare() = %v", err)
	}
	return r
}

// unguarded lets the owner do what triggers refuse.
func (s *shop) sql(t *testing.T, statement string, args ...any) {
	t.Helper()
	tx, err := s.Owner.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.Exec(`SET LOCAL session_replication_role = replica`); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"closings", "closing_terminals", "results"} { // their triggers fire always
		if _, err := tx.Exec(`ALTER TABLE ` + table + ` DISABLE TRIGGER USER`); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := tx.Exec(statement, args...); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}

// lines writes differences as kind table row field: recorded → found.
func lines(r *compare.Result) (all []string) {
	for _, d := range r.Differences {
		all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s %s %s: %s → %s", d.Kind, d.Table, d.Row, d.Field, d.Recorded, d.Found)))
	}
	return all
}

func TestAnUntouchedShopDoesNotDiffer(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	for _, close := range []bool{false, true} {
		if close {
			modelstest.CloseDay(t, s.Office, time.Minute)
		}
		r := s.compared(t)
		if r.State != compare.Intact || len(r.Differences) > 0 {
			t.Errorf("closed %v: Compare() = %s %v, want intact", close, r.State, lines(r))
		}
	}
}

// TestManipulationsAreNamed: what a superuser changes beside the trail is named with its
// row and both values.
func TestManipulationsAreNamed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		do   func(t *testing.T, s *shop)
		want func(s *shop) string
	}{
		{
			"a sale's amount", func(t *testing.T, s *shop) { s.sql(t, `UPDATE sales SET amount = 100 WHERE id = $1`, s.sale.ID) },
			func(s *shop) string {
				return fmt.Sprintf("changed sales %d amount: %s → 1.00", s.sale.ID, s.sale.Amount.Decimal())
			},
		},
		{
			"a cancellation's state", func(t *testing.T, s *shop) {
				s.sql(t, `UPDATE cancellations SET state = 'rejected' WHERE id = $1`, s.c.ID)
			},
			func(s *shop) string {
				return fmt.Sprintf("changed cancellations %d state: confirmed → rejected", s.c.ID)
			},
		},
		{
			"a cancellation that is gone", func(t *testing.T, s *shop) {
				s.sql(t, `DELETE FROM cancellations WHERE id = $1`, s.c.ID)
			},
			func(s *shop) string { return fmt.Sprintf("missing cancellations %d :", s.c.ID) },
		},
		{
			"the amount of a closed day", func(t *testing.T, s *shop) {
				modelstest.CloseDay(t, s.Office, time.Minute)
				s.sql(t, `UPDATE sales SET amount = 100 WHERE id = $1`, s.plain.ID)
			},
			func(s *shop) string { return fmt.Sprintf("changed sales %d amount: 7500.00 → 1.00", s.plain.ID) },
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			tt.do(t, s)
			r := s.compared(t)
			if want := tt.want(s); r.State != compare.Altered || !slices.ContainsFunc(lines(r), func(l string) bool {
				return strings.HasPrefix(l, want)
			}) {
				t.Errorf("Compare() = %s\n%s\nwant %s", r.State, strings.Join(lines(r), "\n"), want)
			}
		})
	}
}

// TestAComparisonIsStored: what differs is an entry of the trail, an alert that is raised
// once, and shown of the sale as long as it stands.
func TestAComparisonIsStored(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a := modelstest.AlertsOf(t, s.Office)
	modelstest.Watch(t, s.Office, a)
	s.sql(t, `UPDATE sales SET amount = 100 WHERE id = $1`, s.sale.ID)
	s.sql(t, `ALTER TABLE alert_rules DROP CONSTRAINT alert_rules_tables_is_told`)
	s.sql(t, `UPDATE alert_rules SET active = false WHERE kind = 'tables'`)
	for _, fresh := range []int64{1, 0} {
		c, _, err := s.Compare.Run(t.Context(), models.System("comparison", ""))
		if err != nil {
			t.Fatalf("Run() = %v", err)
		}
		modelstest.Wants(t, "new differences", c.NewDifferences, fresh)
		last, err := s.Compare.Last(t.Context())
		if err != nil || last.ID != c.ID || last.State != compare.Altered || last.Differences != 1 {
			t.Errorf("Last() = %+v, %v, want %+v", last, err, c)
		}
		modelstest.Watch(t, s.Office, a)
		raised := modelstest.Raised(t, s.Office, a, alerts.KindTables)
		if len(raised) != 1 || raised[0].Read().Row != fmt.Sprint("sales ", s.sale.ID) {
			t.Errorf("alerts = %+v, want one of sale %d", raised, s.sale.ID)
		}
	}
	shown, err := s.Compare.OfSale(t.Context(), s.sale.ID)
	if err != nil || len(shown) != 1 || shown[0].Found != "1.00" {
		t.Errorf("OfSale() = %+v, %v", shown, err)
	}
	_, err = s.DB.SQL().Exec(`UPDATE comparisons SET state = 'intact'`)
	if err == nil {
		t.Error("a stored comparison can be rewritten")
	}
	if list, err := s.Compare.Differences(t.Context(), s.Manager); !modelstest.IsError(err, models.ErrForbidden) {
		t.Errorf("a manager lists %v, %v", list, err)
	}
}
