// Command lifemodel checks life.pml, the model of a cancellation's states, with
// spin. The sound model must hold, every move of the table and every situation that
// the model names must occur in it, and each deliberate mistake must violate the
// property that covers it. It knows nothing of the product's code: a test of
// veinte/web/lab/trace compares the table that both share.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"time"
)

func main() {
	short := flag.Bool("short", false, "search what must happen with one case instead of two")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, 20*time.Minute)
	defer cancel()
	began := time.Now()
	err := run(ctx, *short)
	fmt.Printf("\n%.0f s\n", time.Since(began).Seconds())
	if err != nil {
		fmt.Fprintln(os.Stderr, "lifemodel:", err)
		os.Exit(1)
	}
}

// run runs all searches and prints the results.
func run(ctx context.Context, short bool) error {
	dir, err := os.MkdirTemp("", "lifemodel")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	all := append(sound(short), mistakes()...)
	found := make([]finding, len(all))
	searchAll(ctx, dir, all, found)

	wrong := 0
	reached := newReached()
	for i, s := range all {
		if i == 0 || (s.mistake == "") != (all[i-1].mistake == "") {
			fmt.Println(heading(s))
		}
		verdict, ok := judge(s, found[i])
		if !ok {
			wrong++
		}
		fmt.Printf("  %-60s %-44s %8d states %5.1f s\n", s.words, verdict, found[i].states, found[i].took.Seconds())
		reached.add(found[i])
	}
	missing := reached.missing()
	fmt.Printf("\nIn the sound model %d moves and %d named situations occur.\n", len(reached.moves), len(reached.situations))
	for _, m := range missing {
		fmt.Println("  never:", m)
	}
	if wrong+len(missing) > 0 {
		return fmt.Errorf("%d searches came out otherwise than they must, %d things never occur", wrong, len(missing))
	}
	return nil
}

func heading(s search) string {
	if s.mistake == "" {
		return "\nThe sound model must hold:"
	}
	return "\nEach mistake must be caught:"
}

// searchAll runs as many searches at once as there are processors.
func searchAll(ctx context.Context, dir string, all []search, found []finding) {
	next := make(chan int)
	var wait sync.WaitGroup
	for range runtime.NumCPU() {
		wait.Go(func() {
			for i := range next {
				found[i] = all[i].do(ctx, fmt.Sprintf("%s/%d", dir, i))
			}
		})
	}
	for i := range all {
		next <- i
	}
	close(next)
	wait.Wait()
}

// judge describes a search's result, and reports whether it is as expected.
func judge(s search, f finding) (string, bool) {
	switch {
	case f.err != nil:
		return f.err.Error(), false
	case s.mistake == "" && f.broken == "":
		return "holds", true
	case s.mistake == "":
		return "BREAKS " + f.broken, false
	case f.broken == "":
		return "NOT CAUGHT by " + s.breaks, false
	case f.broken != s.breaks:
		return "caught by another: " + f.broken, false
	}
	return "caught by " + f.broken, true
}
