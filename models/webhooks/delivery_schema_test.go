package webhooks_test

import (
	"database/sql"
	"testing"

	"veinte/models/modelstest"
	"veinte/models/webhooks"
)

// Rows of endpoints and deliveries that the database itself refuses.
func TestTheDatabaseRefusesOfDeliveries(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, relayInput)
	r.post(r.Terminal, `{}`)
	r.report(r.head(r.claim()[0]), webhooks.TryTimeout)
	app := r.DB.SQL()
	for _, tt := range []struct {
		fact, statement string
		db              *sql.DB
		want            string
	}{
		{
			"what came is not kept once it is over", `UPDATE deliveries SET state = 'delivered', finished_at = now()`,
			r.Owner, modelstest.CheckViolation,
		},
		{"nothing waits that is over", `UPDATE deliveries SET finished_at = now()`, r.Owner, modelstest.CheckViolation},
		{"a retired endpoint has no address", `UPDATE endpoints SET state = 'retired'`, r.Owner, modelstest.CheckViolation},
		{"an old secret has an end", `UPDATE endpoints SET sealed_old_secret = 'x'`, r.Owner, modelstest.CheckViolation},
		{"a body that is none", `UPDATE endpoints SET relay_body = 'all'`, r.Owner, modelstest.CheckViolation},
		{
			"the original is asked for by somebody", `UPDATE endpoints SET relay_body = 'originalAsked', changed_by = NULL`,
			r.Owner, modelstest.CheckViolation,
		},
		{"a state that is none", `UPDATE deliveries SET state = 'lost'`, r.Owner, modelstest.CheckViolation},
		{"one lane of a name", `INSERT INTO delivery_lanes SELECT * FROM delivery_lanes`, r.Owner, modelstest.UniqueViolation},
		{"a delivery to nobody", `UPDATE deliveries SET endpoint_id = 99`, r.Owner, modelstest.ForeignKey},
		{"the application cannot delete endpoints", `DELETE FROM endpoints`, app, modelstest.NoPrivilege},
		{"the application cannot rewrite what was tried", `UPDATE delivery_tries SET detail = 'delivered'`, app, modelstest.NoPrivilege},
		{"the application cannot delete what was tried", `DELETE FROM delivery_tries`, app, modelstest.NoPrivilege},
	} {
		if got := modelstest.InVain(t, tt.db, tt.statement); got != tt.want {
			t.Errorf("%s: SQLSTATE = %q, want %q", tt.fact, got, tt.want)
		}
	}
}
