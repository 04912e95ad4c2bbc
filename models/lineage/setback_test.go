package lineage_test

import (
	"context"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/audit/sealing"
	"veinte/models/lineage"
	"veinte/models/localpg"
	"veinte/models/modelstest"
	"veinte/models/wiring"
)

// machine is a PostgreSQL whose files can be put back to an earlier state, as a snapshot
// of its disk does. Nothing in the database shows that.
type machine struct {
	t       *testing.T
	options localpg.Options
	pg      *localpg.Server
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "veinte-setback-") // PostgreSQL may run as another user, who must get there
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	m := &machine{t: t, options: localpg.Options{Dir: filepath.Join(dir, "pg"), NoSync: true}}
	m.start()
	t.Cleanup(func() { _ = m.pg.Stop(context.Background()) })
	return m
}

func (m *machine) start() {
	m.t.Helper()
	var err error
	if m.pg, err = localpg.Start(m.t.Context(), m.options); err != nil {
		m.t.Fatal(err)
	}
}

// snapshot stops the server, keeps its files, and returns what puts them back.
func (m *machine) snapshot() (putBack func()) {
	m.t.Helper()
	found, err := filepath.Glob(filepath.Join(m.options.Dir, "pg*", "data"))
	if err != nil || len(found) != 1 {
		m.t.Fatalf("data directories: %q, %v", found, err)
	}
	data, kept := found[0], filepath.Join(m.options.Dir, "kept")
	m.while(func() { m.run("cp", "-a", data, kept) })
	return func() {
		m.t.Helper()
		m.while(func() {
			m.run("rm", "-r", data)
			m.run("cp", "-a", kept, data)
		})
	}
}

// while does something while the server is stopped.
func (m *machine) while(do func()) {
	m.t.Helper()
	if err := m.pg.Stop(m.t.Context()); err != nil {
		m.t.Fatal(err)
	}
	do()
	m.start()
}

func (m *machine) run(name string, args ...string) {
	m.t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		m.t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// TestASnapshotPutBackSendsNothing: it has the identity that it had, and only what was
// kept outside, a checkpoint or the memory of a server, shows that it is older.
func TestASnapshotPutBackSendsNothing(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		outside bool // checkpoints leave the database, and a server that starts then has them; else the same server goes on
		cause   lineage.Cause
	}{
		"a checkpoint outside knows more": {true, lineage.Behind},
		"a server knows what it sent":     {false, lineage.Lost},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			keys, _ := modelstest.NewKeys(t)
			dir := filepath.Join(t.TempDir(), "checkpoints")
			sealed := func(c *wiring.Config) {
				if tt.outside {
					c.Seals = sealing.New(sealing.Config{
						DB: c.DB, Clock: models.ShiftedClock(0), Signers: keys.Signers(), Public: keys.Public(), Dir: dir,
						Logger: slog.New(slog.DiscardHandler),
					})
				}
			}
			o := modelstest.NewOfficeIn(t, m.pg, sealed)
			begin(t, o)
			var asked []*models.Cancellation
			for range 2 {
				asked = append(asked, o.Request(o.SaleAt(o.NewTerminal(o.Store), 700)))
			}
			putBack := m.snapshot()
			reach(t, o)
			if err := o.Lineage.Recognize(t.Context()); err != nil {
				t.Fatal(err)
			}
			modelstest.Wants(t, "cause after a restart", lastCause(t, o), lineage.First)
			o.Dispatch(asked[0].ID)
			if tt.outside {
				if _, err := o.Config.Seals.Seal(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			putBack()
			reach(t, o)
			after := o
			if tt.outside {
				after = o.Over(t, o.URL, m.pg.DSN(modelstest.ClusterDatabase, "postgres"), sealed)
				begin(t, after)
				begin(t, after.Over(t, o.URL, m.pg.DSN(modelstest.ClusterDatabase, "postgres"), sealed))
			}
			for _, c := range asked {
				after.Dispatch(c.ID)
				wantsState(t, after, c.ID, models.Unknown, models.DetailOtherDatabase)
			}
			modelstest.Wants(t, "cause", lastCause(t, after), tt.cause)
			modelstest.Wants(t, "changes", modelstest.Count(t, after.Owner, `SELECT count(*) FROM database_changes`), 2)
			for order, n := range modelstest.Sent(o) {
				modelstest.Wants(t, "orders "+order+" sent", n, 1)
			}
			if after != o {
				modelstest.Wants(t, "orders sent afterwards", len(after.API.Orders()), 0)
			}
			sale := after.SaleAt(after.NewTerminal(after.Store), 300)
			c := after.Request(sale)
			after.Dispatch(c.ID)
			wantsState(t, after, c.ID, models.Accepted, models.DetailAccepted)
			after.CheckInvariants(t)
		})
	}
}

// reach waits until the office has connections to the server that runs now.
func reach(t *testing.T, o *modelstest.Office) {
	t.Helper()
	modelstest.WaitFor(t, "the database to answer", func() bool {
		return o.DB.Ready(t.Context()) == nil && o.Owner.Ping() == nil
	})
}

// The notice stays for a day, and for as long as something of it is in doubt.
func TestTheNoticeOfAnotherDatabase(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	begin(t, o)
	shown := func(what string, want bool) {
		t.Helper()
		change, err := o.Lineage.Latest(t.Context())
		if err != nil || (change != nil) != want {
			t.Errorf("%s: Latest() = %+v, %v; want one: %t", what, change, err, want)
		}
	}
	shown("the first database", false)
	modelstest.Exec(t, o.Owner, `INSERT INTO database_changes (identity, cause, doubts, noticed_at)
		VALUES ('7/1/00000001', 'copied', 1, $1)`, o.Clock.Now())
	shown("a copy", true)
	o.Clock.Advance(25 * time.Hour)
	shown("a day later", false)
	c := o.Request(o.Sale(100))
	modelstest.Exec(t, o.Owner, `UPDATE cancellations SET asked_in = '7/1/00000001/0' WHERE id = $1`, c.ID)
	o.Dispatch(c.ID)
	shown("with a doubt", true)
}
