package results

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

// fuzzing is the stage in which a fuzzer posts.
type fuzzing struct {
	*run
	oracle  *oracle
	before  *books
	mu      sync.Mutex
	times   []time.Duration
	answers map[string]int // "200 00", or what else came
	posts   int
	aside   int
}

// fuzz posts bodies to both servers at once, then compares the books.
func (r *run) fuzz(ctx context.Context) error {
	targets, err := r.populate(ctx)
	if err != nil {
		return err
	}
	f := &fuzzing{run: r, oracle: &oracle{targets: targets, serials: map[string]bool{}}, answers: map[string]int{}}
	for i := range r.Terminals() {
		f.oracle.serials[r.Serial(i)] = true
	}
	// No terminal answers a question by itself: what inquiries are posted is the
	// fuzzer's business.
	if err := r.Box.Control(ctx, "POST", "/control/faults", map[string]any{"fault": "ackNoResult", "operation": "reprint", "times": -1},
		nil); err != nil {
		return err
	}
	if f.before, err = r.readBooks(ctx, 0, 0); err != nil {
		return err
	}
	began := time.Now()
	if err := f.post(ctx); err != nil {
		return err
	}
	f.figures(time.Since(began))
	if err := f.compare(ctx); err != nil {
		return err
	}
	return r.leaks(ctx, f.before)
}

// post lets every connection make and post its share.
func (f *fuzzing) post(ctx context.Context) error {
	errs := make([]error, f.Connections)
	var group sync.WaitGroup
	for i := range f.Connections {
		share := f.Fuzzed / f.Connections
		if i < f.Fuzzed%f.Connections {
			share++
		}
		g := &generator{Rand: f.Rand(uint64(i) + 1), oracle: f.oracle, name: fmt.Sprintf("%d-", i)}
		group.Go(func() { errs[i] = f.connection(ctx, g, share) })
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// connection posts one body after the other. Some are posted to both servers at
// the same instant, as by a terminal that does not wait.
func (f *fuzzing) connection(ctx context.Context, g *generator, share int) error {
	for share > 0 {
		body, hits := g.next()
		for _, t := range hits {
			t.hit.Store(true)
		}
		twice := share > 1 && g.IntN(6) == 0
		requests := []*http.Request{f.request(g, body, g.IntN(2))}
		if twice {
			requests = append(requests, f.request(g, body, g.IntN(2)))
		}
		share -= len(requests)
		var group sync.WaitGroup
		for _, req := range requests {
			group.Go(func() { f.send(req.WithContext(ctx), body) })
		}
		group.Wait()
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.aside += g.aside
	return nil
}

func (f *fuzzing) request(g *generator, body []byte, server int) *http.Request {
	req, err := http.NewRequest(http.MethodPost, f.Servers[server].ResultsURL(), bytes.NewReader(body))
	if err != nil {
		panic(err) // an address that is good
	}
	g.dress(req)
	if req.ContentLength < 0 {
		req.Body = io.NopCloser(bytes.NewReader(body)) // of a length that is not known before
	}
	return req
}

func (f *fuzzing) send(req *http.Request, body []byte) {
	began := time.Now()
	status, answer, err := f.office.do(req)
	took := time.Since(began)
	said := "200 00"
	if err != nil || !good(status, answer) {
		said = fmt.Sprintf("%d %.60s %v", status, answer, err)
		f.violate("a body of %d bytes (%v) was answered %s: %.300q", len(body), req.Header, said, body)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.times = append(f.times, took)
	f.answers[said]++
	if f.posts++; f.posts%10000 == 0 {
		f.Progress("results: %d fuzzed bodies posted", f.posts)
	}
}

func (f *fuzzing) figures(took time.Duration) {
	slices.Sort(f.times)
	f.report.Add("fuzzed bodies posted", f.posts, "")
	f.report.Add("of these answered 200 and 00", f.answers["200 00"], "all")
	f.report.Add("bodies set aside, as they could have done more", f.aside, "")
	f.report.Add("posts a second", int(float64(f.posts)/took.Seconds()), "")
	f.report.Add("median of the answer", f.times[len(f.times)/2], "")
	f.report.Add("99th percentile of the answer", f.times[len(f.times)*99/100], "")
}
