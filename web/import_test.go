package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/imports"
	"veinte/models/wiring"
	"veinte/web/jobs"
)

// saleFile is a file of n sales of the shop's terminals, made a minute ago.
func saleFile(n int) string {
	var b strings.Builder
	b.WriteString("Número de serie,Orden,Importe,Fecha\n")
	at := time.Now().Add(-time.Minute).UTC().Format(time.RFC3339)
	for i := range n {
		fmt.Fprintf(&b, "%s,FILE-%d,\"$1,%03d.50\",%s\n", serial(i%3), i, i%1000, at)
	}
	return b.String()
}

// command runs a command of the program to its end.
func (s *shop) command(args ...string) (code int, out, errs string) {
	s.t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "USER=operador", "DATABASE_URL=" + s.dbURL, "CUTOFF_ZONE=" + noonZone()}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run() // the exit code is checked instead
	return cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()
}

func (s *shop) count(query string, args ...any) (n int) {
	s.t.Helper()
	must(s.t, s.db.Pool().QueryRow(context.Background(), query, args...).Scan(&n))
	return n
}

// TestSalesImportAtTheCommandLine imports files as an operator, or a script, does.
func TestSalesImportAtTheCommandLine(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	dir := t.TempDir()
	path := func(name, content string) string {
		p := filepath.Join(dir, name)
		must(t, os.WriteFile(p, []byte(content), 0o600))
		return p
	}
	good := path("good.csv", saleFile(2500))
	bad := path("bad.csv", saleFile(3)+"1490000001,FILE-X,\"1,250\",20/11/2026\n1490000009,FILE-Y,1.00,"+
		time.Now().Add(-time.Minute).UTC().Format(time.RFC3339)+"\n")
	rejects := filepath.Join(dir, "rejects.csv")
	for _, tt := range []struct {
		fact        string
		args        []string
		code, sales int
		out, errs   []string
	}{
		{"a dry run", []string{good, "--dry-run"}, 0, 0, []string{"rows\t2500\n", "new\t2500\n", "refused\t0\n"}, nil},
		{"with wrong rows", []string{bad, "--rejects", rejects}, 3, 0, []string{"new\t3\n", "refused\t2\n"}, []string{
			"line 5: amount: “1,250” can be read in two ways.", "soldAt: “20/11/2026” does not say the time of day.",
			"line 6: serialNumber:", "2 of 5 rows are wrong; nothing was imported",
		}},
		{"a dry run of wrong rows", []string{bad, "--dry-run"}, 3, 0, []string{"refused\t2\n"}, nil},
		{"the right rows only", []string{bad, "--partial", "--json"}, 0, 3, []string{`"new":3`, `"state":"imported"`}, []string{"line 5"}},
		{"all", []string{good}, 0, 2500, []string{"new\t2497\n", "known\t3\n", "import\t"}, nil},
		{"all again", []string{good}, 0, 2500, []string{"new\t0\n", "known\t2500\n"}, nil},
		{"no table", []string{path("x.xls", "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")}, 1, 2500, nil, []string{"Save it as .xlsx"}},
		{"half a table", []string{path("half.csv", saleFile(2)+"\"1")}, 1, 2500, nil, []string{"quotation marks that open in line 4"}},
		{"no file", []string{filepath.Join(dir, "none.csv")}, 2, 2500, nil, []string{"none.csv"}},
	} {
		code, out, errs := s.command(append([]string{"sales", "import"}, tt.args...)...)
		if sales := s.count("SELECT count(*) FROM sales"); code != tt.code || sales != tt.sales {
			t.Errorf("%s: exit %d with %d sales, want %d with %d\n%s%s", tt.fact, code, sales, tt.code, tt.sales, out, errs)
		}
		for _, want := range tt.out {
			if !strings.Contains(out, want) {
				t.Errorf("%s: standard output lacks %q:\n%s", tt.fact, want, out)
			}
		}
		for _, want := range tt.errs {
			if !strings.Contains(errs, want) {
				t.Errorf("%s: standard error lacks %q:\n%s", tt.fact, want, errs)
			}
		}
	}
	if b, err := os.ReadFile(rejects); err != nil || strings.Count(string(b), "\n") != 3 || !strings.Contains(string(b), "FILE-X") {
		t.Errorf("rejects = %q, %v, want a header and two rows", b, err)
	}
	// The command uses the system's user: USER could be set to any name.
	who, err := user.Current()
	must(t, err)
	if n := s.count(`SELECT count(*) FROM audit_entries WHERE action = 'sales.imported' AND actor_name = 'command line'
		AND on_behalf_of = $1`, who.Username); n != 2 {
		t.Errorf("entries of %s = %d, want 2", who.Username, n)
	}
}

// TestImportSurvivesAKill kills the server in the middle of an import: nothing of it
// is stored, and the next server imports all of it, once.
func TestImportSurvivesAKill(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	p := s.serve()
	queue, err := jobs.NewQueue(s.db, slog.New(slog.DiscardHandler))
	must(t, err)
	services := wiring.New(wiring.Config{
		DB: s.db, Queue: queue, Clock: models.ShiftedClock(0), Window: window(t), Logger: slog.New(slog.DiscardHandler),
	})
	const rows = 60_000
	ctx, content := context.Background(), saleFile(rows)
	// An import ends with the access of whoever began it.
	u, err := services.Accounts.CreateUser(ctx, models.System("test", ""), accounts.Input{
		Email: "diego@shop.example", Name: "Diego", Role: models.Administrator, AllStores: true, Password: "una clave de taller",
	})
	must(t, err)
	admin := u.Actor()
	imp, err := services.Imports.Upload(ctx, admin, imports.OfSales, "ventas.csv", strings.NewReader(content), int64(len(content)))
	must(t, err)
	becomes := func(state imports.State, most time.Duration) *imports.Detail {
		t.Helper()
		var detail *imports.Detail
		eventually(t, most, "the import is "+string(state), func() bool {
			var err error
			detail, err = services.Imports.Detail(ctx, admin, imp.ID)
			must(t, err)
			if n := s.count("SELECT count(*) FROM sales"); n != 0 && n != rows {
				t.Fatalf("half an import is there: %d of %d sales", n, rows)
			}
			return detail.State == state
		})
		return detail
	}
	checked := becomes(imports.Checked, 60*time.Second)
	must(t, services.Imports.ConfirmImport(ctx, admin, imp.ID, checked.Version, false))
	eventually(t, 30*time.Second, "it is under way", func() bool {
		return s.count("SELECT done_count FROM imports WHERE id = $1", imp.ID) > 0
	})
	p.end(syscall.SIGKILL)
	if n := s.count("SELECT count(*) FROM sales"); n != 0 {
		t.Fatalf("sales after kill -9 = %d, want none", n)
	}
	s.serve()
	becomes(imports.Imported, 90*time.Second)
	if n := s.count("SELECT count(*) FROM sales WHERE batch_id = $1", imp.ID); n != rows {
		t.Errorf("sales = %d, want %d", n, rows)
	}
	if n := s.count("SELECT count(*) FROM audit_entries WHERE action = 'sales.imported'"); n != 1 {
		t.Errorf("entries = %d, want one", n)
	}
	var after struct{ Created int }
	var raw []byte
	must(t, s.db.Pool().QueryRow(ctx, "SELECT after FROM audit_entries WHERE action = 'sales.imported'").Scan(&raw))
	if must(t, json.Unmarshal(raw, &after)); after.Created != rows {
		t.Errorf("the entry tells of %d sales, want %d", after.Created, rows)
	}
}

// importJSON is what --json prints.
type importJSON struct {
	State                                       string
	ImportID                                    int64
	Rows, New, Known, Conflict, Refused, Warned int
	Notes                                       []struct{ Code, Text string }
	Lines                                       []struct {
		Line              int
		Status            string
		Reasons, Warnings []struct{ Column, Code, Text string }
	}
	Error *struct{ Code, Text string }
}

// TestImportForScripts: - is standard input, --json says of each line why, and the words
// are those of LANG.
func TestImportForScripts(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	run := func(stdin, lang string, args ...string) (code int, out importJSON, errs string) {
		t.Helper()
		cmd := exec.Command(program, args...)
		cmd.Env = []string{
			"PATH=" + os.Getenv("PATH"), "TMPDIR=" + t.TempDir(), "DATABASE_URL=" + s.dbURL, "CUTOFF_ZONE=" + noonZone(), "LANG=" + lang,
		}
		var stdout, stderr bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
		_ = cmd.Run() // the exit code is checked instead
		if err := json.Unmarshal(stdout.Bytes(), &out); err != nil {
			t.Fatalf("%v printed %q, no JSON: %v\n%s", args, stdout.String(), err, stderr.String())
		}
		return cmd.ProcessState.ExitCode(), out, stderr.String()
	}
	const wrong = "1490000001,FILE-X,\"1,250\",20/11/2026\n"
	for _, tt := range []struct{ lang, line, amount, end string }{
		{"es_MX.UTF-8", "línea 5: amount: ", "se puede leer de dos maneras", "1 de 4 renglones están mal; no se importó nada"},
		{"C", "line 5: amount: ", "can be read in two ways", "1 of 4 rows are wrong; nothing was imported"},
	} {
		code, out, errs := run(saleFile(3)+wrong, tt.lang, "sales", "import", "-", "--json")
		if code != 3 || out.State != "notImported" || out.Rows != 4 || out.New != 3 || out.Refused != 1 || len(out.Lines) != 1 {
			t.Fatalf("%s: exit %d, %+v\n%s", tt.lang, code, out, errs)
		}
		l := out.Lines[0]
		if l.Line != 5 || l.Status != "refused" || len(l.Reasons) != 2 || l.Warnings == nil {
			t.Errorf("%s: the line is %+v", tt.lang, l)
			continue
		}
		if r := l.Reasons[0]; r.Column != "amount" || r.Code != "table.twoAmounts" || !strings.Contains(r.Text, tt.amount) {
			t.Errorf("%s: the reason is %+v, want %q", tt.lang, r, tt.amount)
		}
		for _, want := range []string{tt.line, tt.end} {
			if !strings.Contains(errs, want) {
				t.Errorf("%s: standard error lacks %q:\n%s", tt.lang, want, errs)
			}
		}
	}
	code, out, errs := run("MAL\x00", "es_MX.UTF-8", "terminals", "import", "-", "--json")
	if code != 1 || out.State != "notImported" || out.Error == nil || !strings.HasPrefix(out.Error.Code, "table.") ||
		!strings.Contains(errs, out.Error.Text) {
		t.Errorf("no table: exit %d, %+v\n%s", code, out, errs)
	}
	code, out, errs = run(saleFile(3), "es_MX.UTF-8", "sales", "import", "-", "--json")
	if code != 0 || out.State != "imported" || out.ImportID == 0 || out.New != 3 || len(out.Lines) != 0 || out.Error != nil {
		t.Errorf("from standard input: exit %d, %+v\n%s", code, out, errs)
	}
	if n := s.count(`SELECT count(*) FROM imports WHERE file_name = 'stdin'`); n != 1 || s.count(`SELECT count(*) FROM sales`) != 3 {
		t.Errorf("imports of standard input = %d, want 1 of three sales", n)
	}
}

// TestAnInterruptedImportIsNoSuccess: whoever stops it while a program still writes is
// told, and so is the script.
func TestAnInterruptedImportIsNoSuccess(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	cmd := exec.Command(program, "sales", "import", "-", "--json")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "DATABASE_URL=" + s.dbURL, "CUTOFF_ZONE=" + noonZone()}
	in, err := cmd.StdinPipe()
	must(t, err)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	must(t, cmd.Start())
	_, err = in.Write([]byte(saleFile(40_000))) // more than a pipe holds: the program is reading
	must(t, err)
	must(t, cmd.Process.Signal(os.Interrupt))
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(stdout.String(), `"state":"notImported"`) ||
		!strings.Contains(stderr.String(), "interrupted: nothing was imported") {
		t.Errorf("interrupted = %d\n%s%s", code, stdout.String(), stderr.String())
	}
}
