package models_test

import (
	"testing"

	"veinte/models"
)

func TestPermissionsOfRoles(t *testing.T) {
	t.Parallel()
	all := []models.Permission{
		models.ViewSales, models.CancelSales, models.VerifyCancellations, models.ResolveCancellations, models.ReadAudit,
		models.ViewResults, models.ManageTerminals, models.ManageStores, models.ManageUsers, models.OverrideNegatives,
	}
	tests := map[models.Role]string{
		models.Manager:       "xxx.......",
		models.Supervisor:    "xxxxxx...x",
		models.Administrator: "x...xxxxx.",
		models.Auditor:       "x...xx....",
		models.SystemRole:    "..........",
		models.TerminalRole:  "..........",
		"":                   "..........",
		"root":               "..........",
	}
	for _, role := range models.Roles {
		if tests[role] == "" {
			t.Errorf("role %q is not in this test", role)
		}
	}
	for role, row := range tests {
		for i, p := range all {
			if got, want := role.May(p), row[i] == 'x'; got != want {
				t.Errorf("role %q may %s: %t, want %t", role, p, got, want)
			}
		}
	}
}
