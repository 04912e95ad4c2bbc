package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"veinte/web/lab"
)

// work is what people and terminals do.
type work struct {
	lab           *lab.Lab
	lives, second *lab.Server
	day           day

	sold, changes, read, noStream, notRead atomic.Int64
	notSold                                atomic.Int64 // posts that the sandbox itself did not take

	steady sync.Mutex // a server that starts needs its database, and a manager restarts it until it is there

	mu     sync.Mutex
	clicks []click
	failed error
}

// click is how long an answer took, and when it came.
type click struct {
	at, took time.Duration // at: since the beginning
	done     bool
}

func (w *work) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failed = errors.Join(w.failed, err)
}

// spread calls f n times, evenly over the day, and does not wait for one to begin the next.
func (w *work) spread(ctx context.Context, n int, f func(i int)) {
	var under sync.WaitGroup
	defer under.Wait()
	begin := time.Now()
	for i := range n {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Until(begin.Add(w.day.took * time.Duration(i+1) / time.Duration(n+1)))):
			under.Go(func() { f(i) })
		}
	}
}

// sell has terminals make sales, which they post until the server takes them.
func (w *work) sell(ctx context.Context) error {
	w.spread(ctx, w.day.sales-w.day.cancels, func(i int) {
		sale := lab.Sale{Terminal: i % w.lab.Terminals()}
		if err := w.lab.SellUnseen(ctx, &sale); err != nil {
			w.notSold.Add(1)
			return
		}
		w.sold.Add(1)
	})
	return nil
}

// cancel has managers cancel a sale that was just made, at either server.
func (w *work) cancel(ctx context.Context) error {
	begin := time.Now()
	w.spread(ctx, w.day.cancels, func(i int) {
		who := i * 7 % len(w.lab.Managers)
		sale, err := w.lab.Sell(ctx, lab.Sale{Terminal: who})
		if err != nil {
			w.notSold.Add(1)
			return
		}
		w.sold.Add(1)
		at := []*lab.Server{w.lives, w.second}[i%2]
		start := time.Now()
		answer := w.lab.Managers[who].Click(ctx, at, sale.ID, fmt.Sprintf("%08x-0000-4000-8000-%012x", i, i), i%3 == 0)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.clicks = append(w.clicks, click{at: time.Since(begin), took: time.Since(start), done: answer.OK() && at == w.lives})
	})
	return nil
}

// open opens the pages: each hears of changes, and one of five is looked at and reads again.
func (w *work) open(ctx context.Context) {
	var pages sync.WaitGroup
	defer pages.Wait()
	for i := range w.day.pages {
		server := []*lab.Server{w.lives, w.second}[i%2]
		pages.Go(func() {
			for ctx.Err() == nil {
				w.page(ctx, w.lab.Managers[i%len(w.lab.Managers)], server, i/len(w.lab.Managers) == 0)
				select { // as a browser waits before it opens the stream again
				case <-ctx.Done():
				case <-time.After(2 * time.Second):
				}
			}
		})
	}
}

// page is a page until its stream ends.
func (w *work) page(ctx context.Context, p *lab.Person, server *lab.Server, looked bool) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/events", nil)
	if err != nil {
		return
	}
	req.Header.Set("Cookie", p.Cookies())
	req.Header.Set("Accept", "text/event-stream")
	resp, err := streams.Do(req)
	if err != nil {
		w.noStream.Add(1)
		return
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if lines.Text() != "event: changed" {
			continue
		}
		w.changes.Add(1)
		if !looked {
			continue
		}
		if answer := p.Get(ctx, server, "/sales"); answer.OK() {
			w.read.Add(1)
		} else if ctx.Err() == nil {
			w.notRead.Add(1)
		}
	}
}

var streams = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}}

// replace stops the second server in order, or kills it, and starts it again.
func (w *work) replace(ctx context.Context) error {
	n := w.day.restarts + w.day.kills
	var failed error
	w.spread(ctx, n, func(i int) {
		w.steady.Lock()
		defer w.steady.Unlock()
		how := "replaced"
		if (i+1)*w.day.kills/n > i*w.day.kills/n { // spread among the replacements
			how = "killed"
			w.second.Kill()
		} else if err := w.second.Stop(); err != nil {
			failed = err
			return
		}
		if err := w.second.Respawn(); err != nil {
			failed = err
			return
		}
		if err := w.second.Ready(ctx); err != nil && ctx.Err() == nil {
			failed = err
			return
		}
		w.lab.Progress("the second server was %s", how)
	})
	return failed
}

// failDatabase kills PostgreSQL, and starts it again after a moment.
func (w *work) failDatabase(ctx context.Context) error {
	var failed error
	w.spread(ctx, w.day.databaseFailures, func(int) {
		w.steady.Lock()
		defer w.steady.Unlock()
		begin := time.Now()
		if err := w.lab.KillPostgres(); err != nil {
			failed = err
			return
		}
		if err := w.lab.StartPostgres(context.WithoutCancel(ctx)); err != nil {
			failed = err
			return
		}
		w.lab.Progress("PostgreSQL was killed, and back after %s", time.Since(begin).Round(time.Millisecond))
	})
	return failed
}

// report tells what was done, and how long clicks took in both halves of the day.
func (w *work) report(r *lab.Report) {
	r.Add("sales, not taken by the sandbox", fmt.Sprintf("%d, %d", w.sold.Load(), w.notSold.Load()), fmt.Sprint(w.day.sales))
	r.Add("pages that heard of changes; read again, not", fmt.Sprintf("%d; %d, %d", w.changes.Load(), w.read.Load(), w.notRead.Load()), "")
	r.Add("streams that had no server", w.noStream.Load(), "")
	var halves [2][]time.Duration
	for _, c := range w.clicks {
		if c.done {
			half := min(int(2*c.at/w.day.took), 1)
			halves[half] = append(halves[half], c.took)
		}
	}
	for i, half := range halves {
		slices.Sort(half)
		if len(half) == 0 {
			r.Violate("nobody clicked at the server that lives in half %d", i+1)
			continue
		}
		r.Add(fmt.Sprintf("clicks of half %d, at the server that lives", i+1),
			fmt.Sprintf("%d: p50 %s, p99 %s", len(half), at(half, 50), at(half, 99)), "")
	}
}

// at is a percentile of sorted durations.
func at(sorted []time.Duration, percent int) time.Duration {
	return sorted[min(len(sorted)*percent/100, len(sorted)-1)].Round(time.Millisecond)
}
