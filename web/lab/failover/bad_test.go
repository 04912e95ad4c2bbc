package failover

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2"

	"veinte/web/lab"
)

// TestFailoverBadInput: servers are led to a standby, and through poolers that refuse or
// forget what a connection is.
func TestFailoverBadInput(t *testing.T) {
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	c, err := start(ctx, false)
	must(err)
	t.Cleanup(func() { report(t, c.close()) })
	l, err := lab.Start(ctx, lab.Options{
		Setup: lab.Setup{Bin: build(t), Seed: 1}, Database: &lab.Database{App: c.app(), Owner: c.owner()}, Terminals: 3, Managers: 1,
	})
	must(err)
	t.Cleanup(func() { report(t, l.Close()) })
	forgets, err := c.runPgBouncer("forgets",
		"ignore_startup_parameters = statement_timeout,lock_timeout,idle_in_transaction_session_timeout,client_connection_check_interval,jit")
	must(err)
	leads, err := c.leader(ctx)
	must(err)
	standby := c.nodes[0]
	if standby == leads {
		standby = c.nodes[1]
	}
	at := func(address string) string {
		return "DATABASE_URL=" + c.url(address, "veinte_app", "SERVER_PASSWORD", "veinte")
	}

	for _, tt := range []struct{ url, says string }{
		{at(standby.db), "leads to a standby, which takes no writes"},
		{"DATABASE_URL=" + c.pages(), "unsupported startup parameter"},
		{"DATABASE_URL=" + c.through(forgets), "a pooler in transaction mode, which forgets"},
	} {
		if s, err := l.Serve(ctx, tt.url); !errors.Is(err, lab.ErrEnded) || !strings.Contains(s.Log(), tt.says) {
			t.Errorf("a server with %s: %v, want one that ends and says %q", tt.url, err, tt.says)
		}
	}

	// Led to a standby while it works.
	door := toxiproxy.NewProxy(c.doors, "any", "127.0.0.1:0", leads.db)
	lead := func(to *node) {
		door.Stop()
		door.Upstream = to.db
		must(door.Start())
	}
	must(door.Start())
	t.Cleanup(door.Stop)
	s, err := l.Serve(ctx, at(door.Listen))
	must(err)
	must(errors.Join(l.PostResultsTo(ctx, s), l.SignIn(ctx, s)))
	var sold []*lab.Sale
	for i := range 3 {
		sale, err := l.Sell(ctx, lab.Sale{Terminal: i})
		must(err)
		sold = append(sold, sale)
	}
	press := func(i int) told { return answered(l.Managers[0].Click(ctx, s, sold[i].ID, sold[i].OrderID, false)) }
	if got := press(0); got != done {
		t.Errorf("with the primary a press is %s", got)
	}
	lead(standby)
	for range 3 {
		if got := press(1); got != failed {
			t.Errorf("with a standby a press is %s, want %s", got, failed)
		}
	}
	lead(leads)
	must(lab.Eventually(ctx, time.Minute, "it goes on with the primary", func(ctx context.Context) (bool, error) {
		return press(2) == done, nil
	}))
	must(l.Resolved(ctx, time.Minute))
	v, err := l.Judge(ctx)
	must(err)
	if v.Cancellations != 2 || v.Deliveries != 2 || len(v.Violations) > 0 {
		t.Errorf("%d cancellations, %d deliveries: %v", v.Cancellations, v.Deliveries, v.Violations)
	}
}
