package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"veinte/web/lab"
)

// measurePages compares today's page, of a typical and of the busiest store, with
// the hand-written handler, and measures the memory meanwhile.
func (b *bench) measurePages(ctx context.Context) error {
	best := 0.0
	for i := range 5 {
		p, took, err := b.serve(ctx)
		if err != nil {
			return err
		}
		if i == 0 || ms(took) < best {
			best = ms(took)
		}
		if err := p.Stop(); err != nil {
			return err
		}
	}
	b.record("start to ready, the best of five", "ms", "under 300", best)
	info, err := os.Stat(b.bin)
	if err != nil {
		return err
	}
	b.record("the program", "MB", "under 40", float64(info.Size())/1e6)
	return b.serving(ctx, func(p *lab.Process) error {
		idle, _ := resident(p)
		b.record("memory idle", "MiB", "under 40", idle)
		if err := b.comparePage(ctx, p, typicalStore, "today's page, 60 sales"); err != nil {
			return err
		}
		if err := b.comparePage(ctx, p, busyStore, "today's page, 2,000 sales"); err != nil {
			return err
		}
		busy, typical, err := b.compare(b.page(p, busyStore), b.page(p, typicalStore))
		if err != nil {
			return err
		}
		b.record("busiest store's page to typical store's", "", "at least 0.7", busy.perSecond()/typical.perSecond())
		_, most := resident(p)
		b.record("memory under load", "MiB", "under 80", most)
		return nil
	})
}

func (b *bench) page(p *lab.Process, store int64) asker {
	return page(fmt.Sprintf("http://%s/sales?store=%d", p.Addr, store), b.manager)
}

func (b *bench) comparePage(ctx context.Context, p *lab.Process, store int64, name string) error {
	body, err := (&user{"http://" + p.Addr, b.manager}).get(ctx, fmt.Sprintf("/sales?store=%d", store))
	if err != nil {
		return err
	}
	file := filepath.Join(b.dir, "page")
	if err := os.WriteFile(file, body, 0o600); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	hand, _, err := b.start(ctx, self, "/", []string{"DATABASE_URL=" + b.url()},
		"--hand", "ADDR", "--hand-page", file, "--hand-store", strconv.FormatInt(store, 10), "--hand-day", string(b.calendar.Day(b.now)))
	if err != nil {
		return err
	}
	defer func() { _ = hand.Stop() }()
	ours, theirs, err := b.compare(b.page(p, store), b.page(hand, store))
	if err != nil {
		return err
	}
	b.record(name, "/s", "", ours.perSecond())
	b.record(name+", to the hand-written handler", "", "at least 0.5", ours.perSecond()/theirs.perSecond())
	b.record(name+", p99", "ms", "", ms(quantile(ours.each, 0.99)))
	b.record(name+", p99 to the hand-written handler", "", "at most 3", ms(quantile(ours.each, 0.99))/ms(quantile(theirs.each, 0.99)))
	return nil
}
