package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"veinte/web/lab"
)

// BenchmarkPages compares today's page, of a typical store and of the busiest one,
// with the hand-written handler, and measures the program's start, size and memory.
// It should be ready within 300 ms (the best of five), have at most 40 MB, take 40 MiB
// idle and 80 MiB under load, and respond at least half as often as the handler, with
// three times its p99; the busiest store's page 0.7 times as often as a typical one.
func BenchmarkPages(b *testing.B) {
	s := setup(b)
	s.run(b, "start", startAndStop)
	s.run(b, "typical", func(ctx context.Context, p *build) error { return p.pageAndHand(ctx, typicalStore) })
	s.run(b, "busiest", func(ctx context.Context, p *build) error { return p.pageAndHand(ctx, busyStore) })
	s.run(b, "busiest-to-typical", func(ctx context.Context, p *build) error {
		return p.serving(ctx, func(server *lab.Process) error {
			busy, typical, err := compare(p.page(server, busyStore), p.page(server, typicalStore))
			p.record("ratio", busy.perSecond()/typical.perSecond())
			_, most := resident(server)
			p.record("peak-MiB", most)
			return err
		})
	})
}

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
	return p.serving(ctx, func(server *lab.Process) error {
		idle, _ := resident(server)
		p.record("idle-MiB", idle)
		return nil
	})
}

func (s *bench) page(server *lab.Process, store int64) asker {
	return page(fmt.Sprintf("http://%s/sales?store=%d", server.Addr, store), s.manager)
}

func (p *build) pageAndHand(ctx context.Context, store int64) error {
	return p.serving(ctx, func(server *lab.Process) error {
		hand, err := p.startHand(ctx, server, store)
		if err != nil {
			return err
		}
		ours, theirs, err := compare(p.page(server, store), p.page(hand, store))
		_, most := resident(server)
		p.record("req/s", ours.perSecond())
		p.record("req/s-to-hand", ours.perSecond()/theirs.perSecond())
		p.record("p99-ms", ms(quantile(ours.each, 0.99)))
		p.record("p99-to-hand", ms(quantile(ours.each, 0.99))/ms(quantile(theirs.each, 0.99)))
		p.record("peak-MiB", most)
		return errors.Join(err, hand.Stop())
	})
}

// startHand starts the hand-written handler, which learns a store's page of the server.
func (p *build) startHand(ctx context.Context, server *lab.Process, store int64) (*lab.Process, error) {
	body, err := (&user{"http://" + server.Addr, p.manager}).get(ctx, fmt.Sprintf("/sales?store=%d", store))
	if err != nil {
		return nil, err
	}
	file := filepath.Join(p.dir, "page")
	if err := os.WriteFile(file, body, 0o600); err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	hand, _, err := p.startProcess(ctx, self, "/", []string{
		"DATABASE_URL=" + p.url(), "HAND_PAGE=" + file, "HAND_STORE=" + strconv.FormatInt(store, 10),
		"HAND_DAY=" + string(p.calendar.Day(p.now)),
	}, "ADDR")
	return hand, err
}
