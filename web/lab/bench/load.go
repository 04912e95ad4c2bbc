package main

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/valyala/fasthttp"
)

// target is one address to load, with a user's cookie.
type target struct{ url, cookie string }

// round is the result of one round of load: the number of responses and their times.
type round struct {
	answers int
	took    time.Duration
	each    []time.Duration
}

// load sends requests over n connections for the given time.
func load(n int, long time.Duration, ask asker) (round, error) {
	client := &fasthttp.Client{MaxConnsPerHost: n}
	defer client.CloseIdleConnections()
	var mu sync.Mutex
	var all round
	var failed error
	begin := time.Now()
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			each, err := ask.until(client, begin.Add(long))
			mu.Lock()
			defer mu.Unlock()
			all.each = append(all.each, each...)
			if err != nil {
				failed = err
			}
		})
	}
	wg.Wait()
	all.answers, all.took = len(all.each), time.Since(begin)
	return all, failed
}

// asker is one kind of request.
type asker struct {
	prepare func(*fasthttp.Request) // once
	next    func(*fasthttp.Request) // before each, not timed; nil: nothing
	status  int                     // the expected status
}

func (a asker) until(client *fasthttp.Client, end time.Time) (each []time.Duration, err error) {
	req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(resp)
	a.prepare(req)
	for time.Now().Before(end) {
		if a.next != nil {
			a.next(req)
		}
		begin := time.Now()
		if err := client.Do(req, resp); err != nil {
			return each, fmt.Errorf("ask %s: %w", req.URI(), err)
		}
		if resp.StatusCode() != a.status {
			return each, fmt.Errorf("ask %s: status %d: %.300s", req.URI(), resp.StatusCode(), resp.Body())
		}
		each = append(each, time.Since(begin))
	}
	return each, nil
}

// ask returns the request for the page.
func (t target) ask() asker {
	return asker{status: fasthttp.StatusOK, prepare: func(req *fasthttp.Request) {
		req.SetRequestURI(t.url)
		req.Header.SetCookie("veinte_session", t.cookie)
	}}
}

// compare loads our handler and the hand-written one alternately, so that other load
// on the machine affects both.
func compare(ours, hand target, n int, long time.Duration, turns int) (Compare, error) {
	var a, b round
	for range turns {
		for _, turn := range []struct {
			t    target
			into *round
		}{{hand, &b}, {ours, &a}} {
			r, err := load(n, long, turn.t.ask())
			if err != nil {
				return Compare{}, err
			}
			turn.into.answers += r.answers
			turn.into.took += r.took
			turn.into.each = append(turn.into.each, r.each...)
		}
	}
	c := Compare{
		PerSecond: float64(a.answers) / a.took.Seconds(), HandPerSecond: float64(b.answers) / b.took.Seconds(),
		P99: ms(quantile(a.each, 0.99)), HandP99: ms(quantile(b.each, 0.99)),
	}
	c.Ratio = c.PerSecond / c.HandPerSecond
	return c, nil
}

func quantile(all []time.Duration, q float64) time.Duration {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[min(int(q*float64(len(all))), len(all)-1)]
}
