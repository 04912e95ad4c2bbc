package imports_test

import (
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/imports"
	"veinte/models/modelstest"
)

// TestAnImportEndsWithItsPerson: whoever uploaded or confirmed a file is disabled, or given
// another role, before the job is done; nothing of it is written.
func TestAnImportEndsWithItsPerson(t *testing.T) {
	t.Parallel()
	base := modelstest.NewOffice(t)
	for ended, statement := range map[string]string{
		"disabled":     `UPDATE users SET disabled_at = now() WHERE id = $1`,
		"a supervisor": `UPDATE users SET role = 'supervisor' WHERE id = $1`,
	} {
		for _, confirmed := range []bool{false, true} {
			o := base.Branch(t)
			u := modelstest.User(t, o.DB, o.Clock.Now(), "ada"+modelstest.NextSerial()+"@example.mx", models.Administrator)
			order := "IMP-" + modelstest.NextSerial()
			content := modelstest.CSVHeader + modelstest.CSVSale(o, order)
			imp, err := o.Imports.Upload(t.Context(), u.Actor(), imports.OfSales, "ventas.csv", strings.NewReader(content), int64(len(content)))
			if err != nil {
				t.Fatalf("Upload() = %v", err)
			}
			id := imp.ID
			if confirmed {
				checked := modelstest.RunImport(t, o, id)
				if err := o.Imports.ConfirmImport(t.Context(), u.Actor(), id, checked.Version, false); err != nil {
					t.Fatalf("ConfirmImport() = %v", err)
				}
			}
			modelstest.Exec(t, o.Owner, statement, u.ID)
			if got := modelstest.RunImport(t, o, id); got.State != imports.Discarded {
				t.Errorf("the import of somebody %s, confirmed %v, is %s, want discarded", ended, confirmed, got.State)
			}
			if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM sales WHERE order_id = $1`, order); n != 0 {
				t.Errorf("the import of somebody %s wrote %d sales, want none", ended, n)
			}
			if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'import.discarded'
				AND reason = 'error.accessEnded' AND actor_role = 'system' AND on_behalf_of = $1`, u.Name); n != 1 {
				t.Errorf("entries that say why = %d, want 1", n)
			}
			if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM import_chunks WHERE import_id = $1`, id); n != 0 {
				t.Errorf("rows of the file that are kept = %d, want none", n)
			}
		}
	}
}
