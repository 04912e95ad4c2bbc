package lineage_test

import (
	"testing"

	"veinte/models"
	"veinte/models/lineage"
	"veinte/models/localpg"
	"veinte/models/modelstest"
	"veinte/models/wiring"
)

// pair is an office on a primary that a standby follows.
type pair struct {
	*modelstest.Office
	primary, standby *localpg.Server
}

func newPair(t *testing.T, changes ...func(*wiring.Config)) *pair {
	t.Helper()
	p := &pair{primary: modelstest.Cluster(t)}
	p.Office = modelstest.NewOfficeIn(t, p.primary, changes...)
	p.standby = modelstest.Standby(t, p.primary)
	begin(t, p.Office)
	return p
}

func begin(t *testing.T, o *modelstest.Office) {
	t.Helper()
	if err := o.Lineage.Begin(t.Context()); err != nil {
		t.Fatalf("Begin() = %v", err)
	}
	if err := o.Cancellations.DoubtElsewhere(t.Context()); err != nil {
		t.Fatalf("DoubtElsewhere() = %v", err)
	}
}

// ask requests the cancellation of so many sales, each on a terminal of its own.
func (p *pair) ask(n int) (asked []*models.Cancellation) {
	for range n {
		asked = append(asked, p.Request(p.SaleAt(p.NewTerminal(p.Store), 12500)))
	}
	return asked
}

// fail ends the primary and promotes the standby.
func (p *pair) fail(t *testing.T) {
	t.Helper()
	if err := p.primary.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	modelstest.Promote(t, p.standby)
}

// promoted is the office over the standby, as a server that is started there.
func (p *pair) promoted(t *testing.T) *modelstest.Office {
	t.Helper()
	return p.Over(t, p.standby.DSN(modelstest.ClusterDatabase, modelstest.AppRole), p.standby.DSN(modelstest.ClusterDatabase, "postgres"))
}

func wantsState(t *testing.T, o *modelstest.Office, id int64, state models.State, detail models.Detail) {
	t.Helper()
	if c := o.Cancellation(id); c.State != state || c.Detail != detail {
		t.Errorf("cancellation %d is %s (%s), want %s (%s)", id, c.State, c.Detail, state, detail)
	}
}

func lastCause(t *testing.T, o *modelstest.Office) string {
	t.Helper()
	return modelstest.Scan[string](t, o.Owner, `SELECT cause FROM database_changes ORDER BY id DESC LIMIT 1`)
}

// TestALaggingStandbySendsNothing: what it calls requested was sent from the primary.
func TestALaggingStandbySendsNothing(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	asked := p.ask(3)
	modelstest.CaughtUp(t, p.primary, p.standby)
	modelstest.Disconnect(t, p.standby)
	for _, c := range asked {
		p.Dispatch(c.ID)
	}
	p.fail(t)
	o := p.promoted(t)
	begin(t, o)
	for _, c := range asked {
		o.Dispatch(c.ID)
		wantsState(t, o, c.ID, models.Unknown, models.DetailOtherDatabase)
	}
	modelstest.Wants(t, "cause", lastCause(t, o), lineage.Promoted)
	for order, n := range modelstest.Sent(p.Office, o) {
		modelstest.Wants(t, "orders "+order+" sent", n, 1)
	}
	o.CheckInvariants(t)
}

// TestKeptCommitsGoOn: where commits wait for a standby and the operator says so, a
// promoted one lacks nothing, and what waits is sent from there.
func TestKeptCommitsGoOn(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		waits, promised bool
		goesOn          bool
	}{
		"they wait, and that was promised": {true, true, true},
		"they wait, nobody promised it":    {true, false, false},
		"they do not wait, promised":       {false, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPair(t, func(c *wiring.Config) { c.KeepsCommits = tt.promised })
			modelstest.SetCommitsWait(t, p.primary, tt.waits)
			office := p.Over(t, p.URL, p.primary.DSN(modelstest.ClusterDatabase, "postgres")) // sessions that know it
			asked := &pair{office, p.primary, p.standby}
			begin(t, office)
			if err := office.Lineage.Recognize(t.Context()); err != nil {
				t.Fatal(err)
			}
			modelstest.Wants(t, "the promise does not hold", office.Operations.Notices(t.Context()).Unkept, tt.promised && !tt.waits)
			c := asked.ask(1)[0]
			modelstest.CaughtUp(t, p.primary, p.standby)
			p.fail(t)
			o := asked.promoted(t)
			open, err := o.Lineage.OpenOnes(t.Context()) // who restores is told before a server begins
			if err != nil || len(open) != 1 || open[0].ID != c.ID || open[0].Held == tt.goesOn {
				t.Errorf("OpenOnes() = %+v, %v; want cancellation %d, held back: %t", open, err, c.ID, !tt.goesOn)
			}
			begin(t, o)
			o.Dispatch(c.ID)
			modelstest.Wants(t, "cause", lastCause(t, o), lineage.Promoted)
			if tt.goesOn {
				wantsState(t, o, c.ID, models.Accepted, models.DetailAccepted)
				if n := o.Operations.Notices(t.Context()).Database; n != nil {
					t.Errorf("the notice is %+v, want none: nothing is missing", n)
				}
			} else {
				wantsState(t, o, c.ID, models.Unknown, models.DetailOtherDatabase)
			}
			o.CheckInvariants(t)
		})
	}
}

// TestAServerThatLivedThroughAPromotion compares what it sent with what the database
// has: an attempt that is missing makes doubts of all that waits, whatever was promised.
func TestAServerThatLivedThroughAPromotion(t *testing.T) {
	t.Parallel()
	p := newPair(t, func(c *wiring.Config) { c.KeepsCommits = true })
	modelstest.SetCommitsWait(t, p.primary, true)
	live := p.Over(t, modelstest.Hosts(p.primary, p.standby), p.primary.DSN(modelstest.ClusterDatabase, "postgres"))
	here := &pair{live, p.primary, p.standby}
	begin(t, live)
	asked := here.ask(2)
	modelstest.CaughtUp(t, p.primary, p.standby)
	modelstest.SetCommitsWait(t, p.primary, false) // the standby is taken out, and somebody promotes it all the same
	modelstest.Disconnect(t, p.standby)
	live.API.Arrived = func(models.Order) {
		p.fail(t)
		live.Owner = modelstest.OwnerOf(t, p.standby.DSN(modelstest.ClusterDatabase, "postgres"))
	}
	live.Dispatch(asked[0].ID) // its answer comes back to the promoted standby
	live.API.Arrived = nil
	for _, c := range asked {
		live.Dispatch(c.ID)
		wantsState(t, live, c.ID, models.Unknown, models.DetailOtherDatabase)
	}
	modelstest.Wants(t, "orders sent", len(live.API.Orders()), 1)
	modelstest.Wants(t, "cause", lastCause(t, live), lineage.Lost)
	modelstest.Wants(t, "entries that name it", modelstest.Count(t, live.Owner, `SELECT count(*) FROM audit_entries WHERE action = $1
		AND after->>'cause' = 'lost' AND after->>'lost' = '1' AND after->'lostOrders' ? $2`,
		string(models.ActionDatabaseChanged), live.SaleDetail(asked[0].SaleID).Sale.OrderID), 1)
	if n := live.Operations.Notices(t.Context()).Database; n == nil || n.Cause != lineage.Lost || n.Doubts != 2 {
		t.Errorf("the notice is %+v, want 2 doubts because of what is missing", n)
	}
	if err := live.Operations.Sweep(t.Context()); err != nil {
		t.Errorf("Sweep() = %v", err)
	}
	modelstest.Wants(t, "changes", modelstest.Count(t, live.Owner, `SELECT count(*) FROM database_changes`), 2)
	live.CheckInvariants(t)
}
