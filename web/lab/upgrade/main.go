// The command upgrade tries an upgrade at noon. Two servers of the release before serve a
// shop behind a proxy, with its schema. Under load veinte migrate up brings the schema up to
// date, and one server after the other is replaced by the new one. No request may fail, no
// page may lack its styles, and no cancellation may be in doubt.
//
//	go run ./upgrade -old ../../dist/veinte-c2f7224 -new ../../bin/veinte
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models/localpg"
	"veinte/web/lab"
)

func main() {
	before := flag.String("old", "", "the program of the release before")
	after := flag.String("new", "", "the program")
	flag.Parse()
	if err := try(context.Background(), *before, *after); err != nil {
		fmt.Fprintln(os.Stderr, "upgrade:", err)
		os.Exit(1)
	}
}

const (
	appRole  = "veinte_app"
	password = "una clave de laboratorio"
	secret   = "lab-results-secret-0123456789"
	token    = "lab-token"
	managers = 4
	lull     = 3 * time.Second // of load before, between and after the steps
)

// house is a shop behind a proxy.
type house struct {
	before, after string // the programs
	dir           string
	app, owner    string // how the database is reached
	zone          string // in which it is about noon
	box           *lab.Process
	proxy         *proxy
}

func try(ctx context.Context, before, after string) (err error) {
	h := &house{before: before, after: after, zone: fmt.Sprintf("Etc/GMT%+d", time.Now().UTC().Hour()-12)}
	if h.dir, err = os.MkdirTemp("/var/tmp", "veinte-upgrade-"); err != nil {
		return err
	}
	defer os.RemoveAll(h.dir)
	pg, err := localpg.StartTemporary(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = pg.Stop(context.WithoutCancel(ctx)) }()
	h.app, h.owner = pg.DSN("veinte", appRole), pg.DSN("veinte", "postgres")
	if err := h.open(ctx, pg.DSN("postgres", "postgres")); err != nil {
		return err
	}
	defer func() { _ = h.box.Stop() }()
	h.proxy = newProxy()
	defer h.proxy.close()
	if err := h.box.Start(ctx); err != nil {
		return err
	}
	var servers []*lab.Process
	defer func() {
		for _, p := range servers {
			_ = p.Stop()
		}
	}()
	for i := range 2 {
		// That release asks for all columns, and has no statements that would outlive another one.
		p, err := h.server(h.before, h.app+" default_query_exec_mode=describe_exec", fmt.Sprintf("before-%d.log", i))
		if err == nil {
			err = p.Start(ctx)
		}
		if err != nil {
			return err
		}
		servers = append(servers, p)
		h.proxy.lead(p.Addr)
	}
	l, err := h.work(ctx)
	if err != nil {
		return err
	}
	steps := func() error {
		time.Sleep(lull)
		if err := h.run(ctx, h.after, h.owner, "", "migrate", "up"); err != nil { // the role is the one of before
			return err
		}
		for i, p := range servers {
			time.Sleep(lull)
			// The release before stops answering at once: it is taken out of the proxy first.
			h.proxy.leave(p.Addr)
			if err := p.Stop(); err != nil {
				return err
			}
			if servers[i], err = h.server(h.after, h.app, fmt.Sprintf("after-%d.log", i)); err != nil {
				return err
			}
			if err := servers[i].Start(ctx); err != nil {
				return err
			}
			h.proxy.lead(servers[i].Addr)
			fmt.Printf("server %d is the new one\n", i+1)
		}
		h.proxy.asksAgain.Store(false)
		time.Sleep(lull)
		// What a later release may do while these serve: add a column to every table.
		return h.widen(ctx)
	}
	err = steps()
	if wrong := l.end(); err == nil {
		err = wrong
	}
	if err == nil {
		err = h.judge(ctx, l)
	}
	if err != nil {
		return fmt.Errorf("%w\n%s", err, h.logs())
	}
	return nil
}

// open makes the database with the schema of the release before, and the shop by its own
// commands.
func (h *house) open(ctx context.Context, super string) error {
	conn, err := pgx.Connect(ctx, super)
	if err != nil {
		return err
	}
	for _, s := range []string{"CREATE ROLE " + appRole + " LOGIN", "CREATE DATABASE veinte"} {
		if _, err := conn.Exec(ctx, s); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	if err := conn.Close(ctx); err != nil {
		return err
	}
	h.box, err = lab.NewProcess(h.after, filepath.Join(h.dir, "sandbox.log"), "/control/state", []string{"SANDBOX_ACCESS_TOKEN=" + token},
		"sandbox", "--addr", "ADDR", "--ledger", filepath.Join(h.dir, "ledger.jsonl"), "--any-hour",
		"--latency", "5ms", "--result-delay", "50ms")
	if err != nil {
		return err
	}
	if err := h.run(ctx, h.before, h.owner, "", "migrate", "up", "--app-role", appRole); err != nil {
		return err
	}
	csv := "serialNumber,merchantId,store,label,storeName,timeZone\n"
	for i := range managers {
		csv += fmt.Sprintf("%s,90000%d,A,Caja %d,Roma,America/Mexico_City\n", serial(i), i, i)
	}
	file := filepath.Join(h.dir, "terminals.csv")
	if err := os.WriteFile(file, []byte(csv), 0o600); err != nil {
		return err
	}
	if err := h.run(ctx, h.before, h.app, "", "terminals", "import", file); err != nil {
		return err
	}
	for i := range managers {
		err := h.run(ctx, h.before, h.app, password, "user", "create", "--email", email(i), "--name", fmt.Sprintf("Encargada %d", i),
			"--role", "manager", "--store", "A")
		if err != nil {
			return err
		}
	}
	return nil
}

func serial(i int) string { return fmt.Sprintf("149000000%d", i) }

func email(i int) string { return fmt.Sprintf("p%d@shop.example", i) }

// run runs a command of one of the programs.
func (h *house) run(ctx context.Context, bin, url, input string, args ...string) error {
	cmd := exec.CommandContext(ctx, bin, args...)
	cmd.Env, cmd.Stdin = []string{"DATABASE_URL=" + url, "CUTOFF_ZONE=" + h.zone}, strings.NewReader(input)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("veinte %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

// widen adds a column to every table of ours, and has the load go on.
func (h *house) widen(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, h.owner)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	rows, err := conn.Query(ctx, `SELECT format('ALTER TABLE %s ADD COLUMN of_tomorrow integer', oid::regclass) FROM pg_class
		WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition AND relname NOT LIKE 'river%'
		ORDER BY relname`)
	if err != nil {
		return err
	}
	statements, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, s := range statements {
		if _, err := conn.Exec(ctx, s); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	fmt.Printf("%d tables have another column\n", len(statements))
	time.Sleep(lull)
	return nil
}

// logs are what the servers said, without repetitions.
func (h *house) logs() string {
	names, _ := filepath.Glob(filepath.Join(h.dir, "*-*.log"))
	var text strings.Builder
	for _, name := range names {
		said, known := map[string]bool{}, 0
		all, _ := os.ReadFile(name)
		for line := range strings.Lines(string(all)) {
			_, what, _ := strings.Cut(line, " msg=")
			what = digits.ReplaceAllString(what, "0")
			if said[what] || known >= 20 {
				continue
			}
			said[what] = true
			known++
			fmt.Fprintf(&text, "%s: %s", filepath.Base(name), line)
		}
	}
	return text.String()
}

var digits = regexp.MustCompile(`[0-9]+|request=[a-z0-9]+`)

// server prepares a server of one of the programs.
func (h *house) server(bin, url, log string) (*lab.Process, error) {
	return lab.NewProcess(bin, filepath.Join(h.dir, log), "/readyz", []string{
		"DATABASE_URL=" + url, "CANCEL_BASE_URL=http://" + h.box.Addr, "ACCESS_TOKEN=" + token, "ADMIN_ADDR=",
		"RESULTS_SECRET=" + secret, "RESULTS_PACE=1000000", "CUTOFF_ZONE=" + h.zone, "LOG_LEVEL=warn",
	}, "serve", "--addr", "ADDR")
}
