package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"testing"
	"time"

	"veinte/models/modelstest/roundtrips"
	"veinte/web/lab"
)

// pages are what people look at most. few looks after the stores in doubt alone, and
// supervisor after 400 stores with 1,600 terminals.
var pages = []struct{ name, who, path string }{
	{"list", "manager", "/sales?store=1"},
	{"list-of-busiest", "manager", "/sales?store=2"},
	{"story", "manager", "/sales/{canceled}"},
	{"sheet", "manager", "/sales/{free}/cancellation/new"},
	{"review", "supervisor", "/review"},
	{"terminals", "administrator", "/terminals"},
	{"trail", "supervisor", "/audit"},
	{"entry", "supervisor", "/audit/{entry}"},
	{"today", "few", "/today"},
	{"today-of-400", "supervisor", "/today"},
	{"list-of-400", "supervisor", "/sales"},
}

// asked is how often a page is asked for to count its round trips, after as many times.
const asked = 31

// BenchmarkPages measures each page beside the yardstick, by turns: of-yardstick is its
// part of the yardstick's requests a second, the median of the turns. Today's list should reach 0.65 and 2.2 times
// the naive page with twice the yardstick's p99, story and sheet 0.60, and the first page
// of a supervisor of 400 stores 0.35. Round trips are counted on the wire, while nothing
// else is asked.
func BenchmarkPages(b *testing.B) {
	s := setup(b)
	f, err := s.furnish(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	y, err := s.startYardsticks(b)
	if err != nil {
		b.Fatal(err)
	}
	s.run(b, "naive", func(_ context.Context, p *build) error {
		p.record("round-trips", y.naive.trips)
		p.record("bytes", y.naive.bytes)
		p.record("yardstick-round-trips", y.hand.trips)
		p.record("yardstick-bytes", y.hand.bytes)
		return p.besideYardstick(y, y.naive.ask, nil)
	})
	s.run(b, "busiest-to-typical", func(ctx context.Context, p *build) error {
		return p.serving(ctx, func(server *lab.Process) error {
			base := "http://" + server.Addr + "/sales?store="
			sides, err := turnsOf(page(fmt.Sprint(base, busyStore), p.manager), page(fmt.Sprint(base, typicalStore), p.manager))
			if err != nil {
				return err
			}
			p.record("ratio", sides[0].of(sides[1]))
			return nil
		}, p.withKey())
	})
	for _, of := range pages {
		path := f.paths.Replace(of.path)
		s.run(b, of.name, func(ctx context.Context, p *build) error { return p.measurePage(ctx, y, path, f.sessions[of.who]) })
	}
}

// BenchmarkStart measures the program's start, size and memory, and what it does when
// nobody asks: ready within 300 ms (the best of five), 2 round trips and 0.5 % of a core
// a second, 30 MiB.
func BenchmarkStart(b *testing.B) { setup(b).measure(b, startAndStop) }

func startAndStop(ctx context.Context, p *build) error {
	best := time.Hour
	for range 5 {
		server, took, err := p.serve(ctx)
		if err != nil {
			return err
		}
		best = min(best, took)
		if err := server.Stop(); err != nil {
			return err
		}
	}
	p.record("ready-ms", ms(best))
	info, err := os.Stat(p.bin)
	if err != nil {
		return err
	}
	p.record("program-MB", float64(info.Size())/1e6)
	return p.onTheWire(ctx, func(server *lab.Process, wire *roundtrips.Counter) error {
		time.Sleep(warmUp)
		trips, cpu, began := wire.Trips(), server.CPU(), time.Now()
		time.Sleep(5 * warmUp)
		took := time.Since(began).Seconds()
		p.record("idle-round-trips/s", float64(wire.Trips()-trips)/took)
		p.record("idle-of-a-core-%", 100*(server.CPU()-cpu).Seconds()/took)
		idle, _ := resident(server)
		p.record("idle-MiB", idle)
		return nil
	})
}

// onTheWire measures with a server whose round trips are counted.
func (p *build) onTheWire(ctx context.Context, measure func(*lab.Process, *roundtrips.Counter) error) error {
	wire, err := roundtrips.New(p.url())
	if err != nil {
		return err
	}
	defer wire.Close()
	return p.serving(ctx, func(server *lab.Process) error { return measure(server, wire) }, p.withKey(), "DATABASE_URL="+wire.URL)
}

// measurePage measures a page of the product.
func (p *build) measurePage(ctx context.Context, y *yardsticks, path, session string) error {
	err := p.onTheWire(ctx, func(server *lab.Process, wire *roundtrips.Counter) error {
		trips, err := tripsOf(ctx, wire, &user{"http://" + server.Addr, session}, path)
		p.record("round-trips", trips)
		return err
	})
	if err != nil {
		return err
	}
	return p.serving(ctx, func(server *lab.Process) error {
		if err := p.recordBytes(ctx, &user{"http://" + server.Addr, session}, path); err != nil {
			return err
		}
		return p.besideYardstick(y, page("http://"+server.Addr+path, session), server)
	}, p.withKey())
}

// besideYardstick loads the page and those it is measured by, by turns.
func (p *build) besideYardstick(y *yardsticks, ask asker, server *lab.Process) error {
	sides, err := turnsOf(y.hand.ask, y.naive.ask, ask)
	if err != nil {
		return err
	}
	hand, naive, one := sides[0], sides[1], sides[2]
	p.record("req/s", one.perSecond())
	p.record("yardstick-req/s", hand.perSecond())
	p.record("of-yardstick", one.of(hand))
	p.record("of-naive", one.of(naive))
	p.recordTimes("", one.times())
	p.recordTimes("yardstick-", hand.times())
	if server != nil {
		_, most := resident(server)
		p.record("peak-MiB", most)
	}
	return nil
}

// tripsOf is the least of the round trips from one question to the next: a server's jobs
// ask at any time, and it is not the page that does.
func tripsOf(ctx context.Context, wire *roundtrips.Counter, u *user, path string) (least float64, err error) {
	last := int64(0)
	for n := range 2 * asked {
		now := wire.Trips()
		if trips := float64(now - last); n == asked || n > asked && trips < least { // by now the connections know the statements
			least = trips
		}
		last = now
		if _, err := u.get(ctx, path); err != nil {
			return 0, err
		}
	}
	return least, nil
}

// recordBytes records what a page's body weighs, as it is and as browsers get it.
func (p *build) recordBytes(ctx context.Context, u *user, path string) error {
	for encoding, metric := range map[string]string{"identity": "bytes", "gzip, deflate, br, zstd": "compressed-bytes"} {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.base+path, http.NoBody)
		if err != nil {
			return err
		}
		req.Header.Set("Accept-Encoding", encoding)
		req.AddCookie(&http.Cookie{Name: sessionCookie, Value: u.session})
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		n, err := io.Copy(io.Discard, resp.Body)
		if err := errors.Join(err, resp.Body.Close()); err != nil {
			return err
		}
		p.record(metric, float64(n))
	}
	return nil
}
