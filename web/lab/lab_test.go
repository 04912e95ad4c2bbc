package lab_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"veinte/web/lab"
)

var bin string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "veinte-lab-")
		if err == nil {
			defer os.RemoveAll(dir)
			bin, err = lab.BuildForChaos(context.Background(), dir)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return m.Run()
	}())
}

func start(t *testing.T, o lab.Options) *lab.Lab {
	t.Helper()
	o.Setup = lab.Setup{Bin: bin}
	l, err := lab.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A laboratory from its beginning to its verdict: a sale is canceled over one
// server, a doubt is left by a lost answer and settled by people, and both the
// server and PostgreSQL are killed in between.
func TestLaboratory(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	l := start(t, lab.Options{
		Durable: true, Terminals: 2, Managers: 2,
		Settings: []string{"CANCEL_TIMEOUT=1s", "RESULT_WAIT=1s", "QUIET_TIME=1s"},
	})
	s, err := l.Serve(ctx)
	must(t, err)
	must(t, l.PostResultsTo(ctx, s))
	must(t, l.SignIn(ctx, s))
	plain, err := l.Sell(ctx, lab.Sale{Terminal: 0})
	must(t, err)
	if a := l.Managers[0].Click(ctx, s, plain.ID, "first", true); !a.OK() {
		t.Fatalf("the first click: %v", a.Problem())
	}
	must(t, l.Resolved(ctx, 2*time.Minute))

	must(t, l.KillPostgres())
	if a := l.Managers[0].Get(ctx, s, "/sales"); a.OK() {
		t.Error("a page is answered without its database")
	}
	must(t, l.StartPostgres(ctx))
	s.Kill()
	must(t, s.Restart(ctx))

	doubtful, err := l.Sell(ctx, lab.Sale{Terminal: 1, Fault: "ackNoResult"})
	must(t, err)
	if a := l.Managers[1].Click(ctx, s, doubtful.ID, "second", false); !a.OK() {
		t.Fatalf("the second click: %v", a.Problem())
	}
	must(t, l.Resolved(ctx, 2*time.Minute))
	if n, err := l.ResolveByPeople(ctx, s); err != nil || n != 1 {
		t.Fatalf("SettleByPeople = %d, %v, want 1", n, err)
	}
	v, err := l.Judge(ctx)
	must(t, err)
	if len(v.Violations) > 0 || v.Deliveries != 2 || v.Acknowledged != 2 || v.Automatically != 1 || v.ByPeople != 1 || v.LeftOpen != 0 {
		t.Errorf("Judge = %+v, want two deliveries, one case ended by itself and one by people", v)
	}
}

// The judge sees what would be the worst: he is given a ledger that contradicts
// the product, and clicks that nobody took down.
func TestJudgeSeesWrongs(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	l := start(t, lab.Options{Terminals: 2, Managers: 1, Settings: []string{"QUIET_TIME=1s"}})
	s, err := l.Serve(ctx)
	must(t, err)
	must(t, l.PostResultsTo(ctx, s))
	must(t, l.SignIn(ctx, s))
	sale, err := l.Sell(ctx, lab.Sale{Terminal: 0})
	must(t, err)
	if a := l.Managers[0].Click(ctx, s, sale.ID, "click", true); !a.OK() {
		t.Fatalf("the click: %v", a.Problem())
	}
	must(t, l.Resolved(ctx, 2*time.Minute))

	if v, err := l.Judge(ctx); err != nil || len(v.Violations) > 0 {
		t.Fatalf("before anything is wrong, Judge = %+v, %v", v, err)
	}

	// What we never sent, what was sent again, and a case that nobody wrote down.
	entries, err := l.Box.Ledger()
	must(t, err)
	var again string
	for _, e := range entries {
		if e.Kind == "request" && e.Operation == "cancel" {
			again = string(e.Parsed)
		}
	}
	forge(t, l.Box.LedgerFile,
		`{"seq":90001,"kind":"request","operation":"cancel","parsed":`+again+`}`,
		`{"seq":90002,"kind":"request","operation":"cancel","parsed":{"traceability":{"attemptId":"nobody's"}}}`)
	for _, statement := range []string{
		`ALTER TABLE cancellations DISABLE TRIGGER USER; ALTER TABLE attempts DISABLE TRIGGER USER`,
		`UPDATE cancellations SET state = 'rejected', click = 'other'`,
		`INSERT INTO audit_entries (at, actor_name, actor_role, action, outcome, cancellation_id, after, canonical)
			SELECT now(), 'x', 'system', 'cancellation.moved', 'failure', id, '{"state": "rejected"}', '' FROM cancellations`,
		`UPDATE attempts SET meaning = 'notSent'`,
		`DELETE FROM results WHERE id = (SELECT max(id) FROM results)`,
	} {
		if _, err := l.Pool.Exec(ctx, statement); err != nil {
			t.Fatal(err)
		}
	}
	v, err := l.Judge(ctx)
	must(t, err)
	all := strings.Join(v.Violations, "\n")
	if v.Doubles != 1 || v.Unrecorded != 1 || v.Lost != 1 || v.Contradictions != 1 || v.Unproven != 1 || v.PostsLost != 1 ||
		!strings.Contains(all, "never left") {
		t.Errorf("Judge = %+v, want one of each wrong and an attempt that never left", v)
	}
}

func forge(t *testing.T, path string, lines ...string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Clean(path), os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	defer f.Close()
	_, err = f.WriteString(strings.Join(lines, "\n") + "\n")
	must(t, err)
}
