package migrations

import "testing"

// An upgrade asks for a second step, and leaves what an administrator has set.
func TestAnUpgradeAsksForASecondStep(t *testing.T) {
	t.Parallel()
	const number = 59
	db, p := before(t, number)
	if _, err := db.ExecContext(t.Context(), `UPDATE factor_rules SET ask = 'newDevice' WHERE role = 'auditor'`); err != nil {
		t.Fatal(err)
	}
	if _, err := p.UpTo(t.Context(), number); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"manager": "newDevice", "supervisor": "always", "administrator": "always", "auditor": "newDevice"}
	for role, ask := range want {
		var got string
		if err := db.QueryRowContext(t.Context(), `SELECT ask FROM factor_rules WHERE role = $1`, role).Scan(&got); err != nil || got != ask {
			t.Errorf("the rule of %s = %q, %v, want %q", role, got, err, ask)
		}
	}
}
