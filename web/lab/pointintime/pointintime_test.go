package pointintime

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"veinte/web/lab"
)

// sample is what operators copy.
const sample = "../../deploy/pgbackrest.conf"

// repository is a folder with pgBackRest's configuration and backups.
type repository struct {
	t     *testing.T
	dir   string
	owner *syscall.SysProcAttr // PostgreSQL's user, when we are root
}

// newRepository makes the folder, before PostgreSQL runs below it.
func newRepository(t *testing.T) *repository {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "veinte-pitr-") // short, for the socket
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	must(t, os.Chmod(dir, 0o711)) // PostgreSQL runs as another user when we are root
	return &repository{t: t, dir: dir}
}

func (r *repository) in(name string) string { return filepath.Join(r.dir, name) }

// configure writes the sample with the places of this run, for a PostgreSQL that runs.
func (r *repository) configure(socket string) {
	r.t.Helper()
	text, err := os.ReadFile(sample)
	must(r.t, err)
	data, err := filepath.Glob(r.in("postgres/pg*/data"))
	must(r.t, err)
	info, err := os.Stat(data[0])
	must(r.t, err)
	stat := info.Sys().(*syscall.Stat_t)
	if os.Geteuid() == 0 {
		r.owner = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: stat.Uid, Gid: stat.Gid}}
	}
	conf := string(text)
	for place, here := range map[string]string{
		"/var/lib/postgresql/15/main": data[0], "/var/lib/pgbackrest": r.in("repo"), "/var/log/pgbackrest": r.in("log"),
	} {
		if !strings.Contains(conf, place) {
			r.t.Fatalf("%s names no %s", sample, place)
		}
		conf = strings.ReplaceAll(conf, place, here)
	}
	conf = strings.Replace(conf, "[global]\n", "[global]\nlock-path="+r.in("lock")+"\n", 1)
	conf += "pg1-user=postgres\npg1-socket-path=" + socket + "\n"
	for _, name := range []string{"repo", "log", "lock"} {
		must(r.t, os.Mkdir(r.in(name), 0o700))
		must(r.t, os.Chown(r.in(name), int(stat.Uid), int(stat.Gid)))
	}
	must(r.t, os.WriteFile(r.in("new.conf"), []byte(conf), 0o644))
	must(r.t, os.Rename(r.in("new.conf"), r.in("pgbackrest.conf")))
}

// pgbackrest runs it as PostgreSQL's user.
func (r *repository) pgbackrest(args ...string) {
	r.t.Helper()
	cmd := exec.Command("pgbackrest", append([]string{"--config=" + r.in("pgbackrest.conf"), "--stanza=veinte"}, args...)...)
	cmd.Dir, cmd.SysProcAttr = "/", r.owner
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("pgbackrest %v: %v\n%s", args, err, out)
	}
}

// recover puts the files of a moment into a data directory.
func (r *repository) recover(data string, to time.Time) error {
	home := filepath.Dir(filepath.Dir(data))
	for _, dir := range []string{home, filepath.Dir(data), data} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
		if r.owner != nil {
			if err := os.Chown(dir, int(r.owner.Credential.Uid), int(r.owner.Credential.Gid)); err != nil {
				return err
			}
		}
	}
	r.pgbackrest("--pg1-path="+data, "--type=time", "--target="+to.UTC().Format("2006-01-02 15:04:05.000000")+"+00",
		"--target-action=promote", "restore")
	return nil
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// product returns the program that VEINTE_BIN names, else one built from here.
func product(t *testing.T) string {
	t.Helper()
	if named := os.Getenv("VEINTE_BIN"); named != "" {
		return named
	}
	bin, err := lab.Build(t.Context(), t.TempDir())
	must(t, err)
	return bin
}

// veinte runs a command of the product.
func veinte(t *testing.T, bin string, args ...string) (said string, code int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), bin, args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LANG=en_US.UTF-8"}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

// cancels counts the requests that the service received, by order.
func cancels(t *testing.T, l *lab.Lab) map[string]int {
	t.Helper()
	entries, err := l.Box.Ledger()
	must(t, err)
	n := map[string]int{}
	for i := range entries {
		if e := &entries[i]; e.Kind == "request" && e.Operation == "cancel" {
			n[e.OrderID]++
		}
	}
	return n
}

// ended waits until every cancellation has ended, and returns how, by order.
func ended(t *testing.T, l *lab.Lab, orders int) map[string]string {
	t.Helper()
	states := map[string]string{}
	must(t, lab.Eventually(t.Context(), 3*time.Minute, "every cancellation has ended", func(ctx context.Context) (bool, error) {
		all, err := l.Cancellations(ctx)
		for i := range all {
			states[all[i].OrderID] = all[i].State
			if all[i].Underway() || all[i].State == "unknown" {
				return false, err
			}
		}
		return len(states) == orders, err
	}))
	return states
}

// TestAPointInTimeBetweenTwoClicks recovers to a moment after three clicks, of which most
// still wait for their terminal, and before a fourth. The other database sends all four.
func TestAPointInTimeBetweenTwoClicks(t *testing.T) {
	bin, repo := product(t), newRepository(t)
	key, checkpoints := filepath.Join(t.TempDir(), "audit.key"), filepath.Join(t.TempDir(), "checkpoints")
	if said, code := veinte(t, bin, "audit", "keygen", "--name", "tienda.example/bitacora", "--out", key); code != 0 {
		t.Fatal(said)
	}
	ctx := t.Context()
	l, err := lab.Start(ctx, lab.Options{
		Setup: lab.Setup{Bin: bin, Seed: 1}, Durable: true, PostgresDir: repo.dir, Terminals: 2, Managers: 1, Servers: 1,
		ResultDelay: 5 * time.Second,
		Settings:    []string{"AUDIT_KEY_FILE=" + key, "AUDIT_CHECKPOINT_DIR=" + checkpoints, "RESULT_WAIT=20s"},
		// Nothing is archived before there is a stanza; PostgreSQL keeps it until then.
		Postgres: map[string]string{
			"archive_mode":    "on",
			"archive_command": "pgbackrest --config=" + repo.in("pgbackrest.conf") + " --stanza=veinte archive-push %p",
		},
	})
	must(t, err)
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	repo.configure(l.Pool.Config().ConnConfig.Host)
	began := time.Now()
	repo.pgbackrest("stanza-create")
	repo.pgbackrest("backup")
	t.Logf("stanza and base backup: %s", time.Since(began).Round(time.Millisecond))

	ana, server := l.Managers[0], l.Servers[0]
	var sales []*lab.Sale
	for i := range 4 {
		sale, err := l.Sell(ctx, lab.Sale{Terminal: i / 3})
		must(t, err)
		sales = append(sales, sale)
	}
	click := func(s *lab.Server, sale *lab.Sale) {
		t.Helper()
		if a := ana.Click(ctx, s, sale.ID, fmt.Sprint(sale.OrderID, "-", s.Number), false); !a.OK() {
			t.Fatal(a.Problem())
		}
	}
	for _, sale := range sales[:3] { // of one terminal, which takes one after the other
		click(server, sale)
	}
	var moment time.Time
	var waiting int
	must(t, l.Pool.QueryRow(ctx, `SELECT (SELECT count(*) FROM cancellations WHERE state = 'requested'), clock_timestamp()`).
		Scan(&waiting, &moment))
	if waiting == 0 {
		t.Fatal("nothing waits for its terminal any more: the machine is too slow for this")
	}
	click(server, sales[3])
	ended(t, l, 4)
	server.Kill()
	repo.pgbackrest("check") // archives what there is, and waits for it
	must(t, l.KillPostgres())

	began = time.Now()
	copied, err := l.Recover(ctx, func(data string) error { return repo.recover(data, moment) })
	must(t, err)
	must(t, l.MoveTo(ctx, copied))
	t.Logf("recovered to %s, in %s", moment.UTC().Format(time.RFC3339Nano), time.Since(began).Round(time.Millisecond))

	said, code := veinte(t, bin, "restore", "--check", "--database", copied.Owner,
		"--audit-key-file", key, "--audit-checkpoint-dir", checkpoints)
	t.Log(said)
	var held int
	must(t, l.Pool.QueryRow(ctx, `SELECT count(*) FROM cancellations WHERE state = 'requested'`).Scan(&held))
	for _, words := range []string{
		"intact", fmt.Sprintf("held back: %d. ", held), "order " + sales[2].OrderID + ",", "This database is older than the checkpoints outside",
	} {
		if code != 0 || !strings.Contains(said, words) {
			t.Errorf("restore --check ended with %d and does not say %q", code, words)
		}
	}
	if strings.Contains(said, sales[3].OrderID) {
		t.Errorf("the click after that moment is there: %s", sales[3].OrderID)
	}

	again, err := l.Serve(ctx, "DATABASE_URL="+copied.App)
	must(t, err)
	must(t, l.PostResultsTo(ctx, again))
	must(t, l.SignIn(ctx, again))
	if page := ana.Get(ctx, again, "/sales"); !strings.Contains(page.Text, `data-kind="database"`) {
		t.Errorf("no page says that the database is another one: %v", page.Problem())
	}
	click(again, sales[3]) // whom nobody here knows to be canceled
	states := ended(t, l, 4)
	sent := cancels(t, l)
	for _, sale := range sales {
		if sent[sale.OrderID] != 1 || states[sale.OrderID] != "confirmed" {
			t.Errorf("order %s was sent %d times and is %s, want once and confirmed", sale.OrderID, sent[sale.OrderID],
				cmp.Or(states[sale.OrderID], "not there"))
		}
	}
	t.Logf("requested before that moment: %d; held back: %d; sent by both databases: %v", waiting, held, sent)
}
