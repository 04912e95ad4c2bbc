package bench

import (
	"fmt"
	"sync"
	"time"

	"github.com/valyala/fasthttp"
)

// round is the result of load: the times of the responses, and of all together.
type round struct {
	each []time.Duration
	took time.Duration
}

func (r *round) add(more round) {
	r.each = append(r.each, more.each...)
	r.took += more.took
}

func (r *round) perSecond() float64 { return float64(len(r.each)) / r.took.Seconds() }

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
	all.took = time.Since(begin)
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

// page asks for a page with a user's session.
func page(url, session string) asker {
	return asker{status: fasthttp.StatusOK, prepare: func(req *fasthttp.Request) {
		req.SetRequestURI(url)
		req.Header.SetCookie(sessionCookie, session)
	}}
}

// allTurns is how long the turns of one side last together.
func allTurns() time.Duration { return *turn * time.Duration(*turns) }

// turnsOf loads the sides by turns, four short ones for each turn, so that other load on
// the machine affects all of them, and returns the turns of each.
func turnsOf(sides ...asker) ([]side, error) {
	all := make([]side, len(sides))
	for n := range 4**turns + 1 {
		for i, ask := range sides {
			got, err := load(*connections, *turn/4, ask)
			if err != nil {
				return nil, err
			}
			if n > 0 { // the first is to warm up
				all[i] = append(all[i], got)
			}
		}
	}
	return all, nil
}

// side is what was measured of one of those that took turns.
type side []round

// of is the median of the turns' requests a second, as a part of the other side's.
func (s side) of(other side) float64 {
	var each []float64
	for i := range s {
		each = append(each, s[i].perSecond()/other[i].perSecond())
	}
	return quantile(each, 0.5)
}

func (s side) perSecond() float64 {
	var each []float64
	for i := range s {
		each = append(each, s[i].perSecond())
	}
	return quantile(each, 0.5)
}

// times are those of all turns.
func (s side) times() (all []time.Duration) {
	for i := range s {
		all = append(all, s[i].each...)
	}
	return all
}
