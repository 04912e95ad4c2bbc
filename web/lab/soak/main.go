// The command soak has a chain of stores work a day in less time: its terminals post, its
// managers cancel, and each has pages open that hear of changes and read again, while one
// server is replaced and killed again and again and PostgreSQL is killed. The other server
// lives from the beginning to the end: its memory, its goroutines, its connections and how long
// a click takes must be the same in the last hour as in the second.
//
//	go run ./soak -bin ../../bin/veinte -took 20m
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"veinte/models/audit/trailfile"
	"veinte/web/lab"
)

// day is what is done, spread evenly over its time.
type day struct {
	took                              time.Duration
	stores, sales, cancels, pages     int
	restarts, kills, databaseFailures int
}

func main() {
	var d day
	bin := flag.String("bin", "", "the program")
	flag.DurationVar(&d.took, "took", 20*time.Minute, "how long the day of eight hours takes")
	flag.IntVar(&d.stores, "stores", 400, "stores, each with two terminals and a manager")
	flag.IntVar(&d.sales, "sales", 60_000, "sales that terminals post")
	flag.IntVar(&d.cancels, "cancellations", 600, "clicks of managers on sales of their own")
	flag.IntVar(&d.pages, "pages", 2_000, "pages that are open")
	flag.IntVar(&d.restarts, "restarts", 8, "replacements of the second server in order")
	flag.IntVar(&d.kills, "kills", 4, "kills of the second server")
	flag.IntVar(&d.databaseFailures, "database-failures", 3, "kills of PostgreSQL, which starts again")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	report, err := soak(ctx, *bin, d)
	if report != nil {
		report.Text(os.Stdout)
		err = errors.Join(err, report.Err())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

func soak(ctx context.Context, bin string, d day) (_ *lab.Report, err error) {
	setup := lab.Setup{Bin: bin, Seed: 1, Progress: func(s string) { fmt.Println(s) }}
	report := lab.NewReport("soak", setup)
	l, err := lab.Start(ctx, lab.Options{
		Setup: setup, Stores: d.stores, Terminals: 2 * d.stores, Managers: d.stores, Durable: true,
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	admin, err := freeAddress()
	if err != nil {
		return nil, err
	}
	private, _, err := trailfile.GenerateKey("soak.example/trail")
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(l.File("audit.key"), []byte(private+"\n"), 0o600); err != nil {
		return nil, err
	}
	lives, err := l.Serve(ctx, "ADMIN_ADDR="+admin, "AUDIT_KEY_FILE="+l.File("audit.key"))
	if err != nil {
		return nil, err
	}
	if _, err := l.Serve(ctx, "AUDIT_KEY_FILE="+l.File("audit.key")); err != nil {
		return nil, err
	}
	if err := errors.Join(l.PostResultsTo(ctx, lives), l.SignIn(ctx, lives)); err != nil {
		return nil, err
	}
	g := &gauge{url: "http://" + admin + "/metrics", pool: l.Pool}
	if err := g.read(ctx, 0); err != nil {
		return nil, err
	}
	before := g.seen[0]
	g.seen = nil
	l.Progress("%d stores, everybody is signed in; the day begins", d.stores)

	begin := time.Now()
	working, over := context.WithCancel(ctx)
	defer over()
	w := &work{lab: l, lives: lives, second: l.Servers[1], day: d}
	var tasks, beside sync.WaitGroup
	for _, task := range []func(context.Context) error{w.sell, w.cancel, w.replace, w.failDatabase} {
		tasks.Go(func() {
			if failed := task(working); failed != nil && working.Err() == nil {
				w.fail(failed)
				over()
			}
		})
	}
	beside.Go(func() { w.open(working) })
	beside.Go(func() { g.watch(working, begin, d.took) })
	tasks.Wait()
	over()
	beside.Wait()
	if err := errors.Join(ctx.Err(), w.failed); err != nil {
		return nil, err
	}
	if err := l.Resolved(ctx, 5*time.Minute); err != nil {
		return nil, err
	}
	w.report(report)
	if err := g.report(ctx, report, before); err != nil {
		return nil, err
	}
	report.Verdict, err = l.Judge(ctx)
	return report.Done(), err
}

// freeAddress is one on which nobody listens.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}
