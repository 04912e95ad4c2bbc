package e2e

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"veinte/web/lab"
)

// noon is where the shared server's clock starts: any day will do, but its
// window must be open whenever the tests run.
const noon = "2026-11-20T12:00:00-06:00"

// The package's own: one program, one browser, one server.
var (
	binary  string
	chrome  *browser
	shared  *server
	scratch string // directory for everything temporary, reachable for PostgreSQL's user
)

// atOnce is how many tests run together: most of their time they wait for a
// poll, a terminal or a clock, not for a processor.
const atOnce = "4"

func TestMain(m *testing.M) {
	flag.Parse()
	asked := false
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "test.parallel" })
	if !asked {
		_ = flag.Set("test.parallel", atOnce) // the flag exists in every test binary
	}
	os.Exit(run(m))
}

// run prepares, tests and tidies up; what does not tidy up is a failure too.
func run(m *testing.M) (code int) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	fail := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, "e2e:", err)
			code = 1
		}
	}
	tidied := sync.OnceValue(tidy)
	go func() {
		stop := make(chan os.Signal, 1)
		signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
		<-stop
		_ = tidied() // cut short, it has nothing to prove
		os.Exit(130)
	}()
	err := prepare(ctx)
	fail(err)
	if err == nil {
		code = m.Run()
	}
	fail(tidied())
	return code
}

// tidy stops what runs and removes what lies about.
func tidy() error {
	var errs []error
	if chrome != nil {
		errs = append(errs, chrome.close())
	}
	for _, s := range started.all() {
		errs = append(errs, s.end())
	}
	return errors.Join(append(errs, os.RemoveAll(scratch))...)
}

func prepare(ctx context.Context) (err error) {
	if scratch, err = makeScratch(); err != nil {
		return err
	}
	if binary, err = findBinary(ctx); err != nil {
		return err
	}
	if chrome, err = startBrowser(filepath.Join(scratch, "browser")); err != nil {
		return err
	}
	shared, err = startServer(ctx, filepath.Join(scratch, "shared"), noon)
	return err
}

// makeScratch makes a directory that PostgreSQL's user can pass through: as
// root the database runs as somebody else. /var/tmp, because its path is short
// enough for a socket everywhere.
func makeScratch() (string, error) {
	parent := ""
	if os.Geteuid() == 0 {
		parent = cmp.Or(os.Getenv("TMPDIR"), "/var/tmp")
	}
	dir, err := os.MkdirTemp(parent, "veinte-e2e-")
	if err != nil {
		return "", err
	}
	return dir, os.Chmod(dir, 0o711)
}

// findBinary is the program that VEINTE_BIN names, else one built from here.
func findBinary(ctx context.Context) (string, error) {
	if named := os.Getenv("VEINTE_BIN"); named != "" {
		return filepath.Abs(named)
	}
	return lab.Build(ctx, scratch)
}
