package operations_test

import (
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/operations"
	"veinte/models/wiring"
)

func TestADatabaseIsForOneThing(t *testing.T) {
	t.Parallel()
	kinds := []operations.Installation{operations.RealInstallation, operations.PracticeInstallation, operations.DemoInstallation}
	for _, first := range kinds {
		t.Run(string(first), func(t *testing.T) {
			t.Parallel()
			db, ctx := modelstest.NewDB(t), t.Context()
			for _, kind := range kinds {
				if err := wiring.Over(db).Operations.CheckInstallation(ctx, kind); err != nil {
					t.Errorf("a new database for %s = %v, want it taken", kind, err)
				}
			}
			if err := wiring.Over(db).Operations.ServerStarted(ctx, models.System("test", ""), "1", first); err != nil {
				t.Fatal(err)
			}
			for _, kind := range kinds {
				check := wiring.Over(db).Operations.CheckInstallation(ctx, kind)
				start := wiring.Over(db).Operations.ServerStarted(ctx, models.System("test", ""), "1", kind)
				if kind == first && (check != nil || start != nil) {
					t.Errorf("%s again = %v, %v; want it served", kind, check, start)
				}
				if kind != first && (check == nil || start == nil || !strings.Contains(check.Error(), "DATABASE_URL")) {
					t.Errorf("%s after %s = %v, %v; want it refused, saying what to do", kind, first, check, start)
				}
			}
		})
	}
}

// A database with sales and no mark is older than the marks.
func TestADatabaseWithSalesIsNoneToPractiseIn(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	o.Sale(12500)
	if err := o.Operations.CheckInstallation(t.Context(), operations.PracticeInstallation); err == nil {
		t.Error("practice in a database with sales = nil, want it refused")
	}
	if err := o.Operations.CheckInstallation(t.Context(), operations.RealInstallation); err != nil {
		t.Errorf("a real server on its own database = %v, want it served", err)
	}
}
