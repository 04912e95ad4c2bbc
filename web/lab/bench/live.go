package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/valyala/fasthttp"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/web/lab"
)

// Live is the load of many open pages on one server, and its effect on clicks.
type Live struct {
	Pages       int     `json:"pages"`
	Before      float64 `json:"residentBeforeMiB"`
	Resident    float64 `json:"residentMiB"`
	CPU         float64 `json:"cpuPercent"` // of one core, with one change a second
	ToldMedian  float64 `json:"changeToEventMs"`
	ToldP99     float64 `json:"changeToEventP99Ms"`
	ClickAlone  float64 `json:"clickAloneMs"` // without pages, median
	AloneP99    float64 `json:"clickAloneP99Ms"`
	ClickBeside float64 `json:"clickBesideMs"` // with them
	BesideP99   float64 `json:"clickBesideP99Ms"`
	Ratio       float64 `json:"clickRatio"` // of the medians, with to without
}

const (
	liveFirst  = 101 // the first store with open pages; no clicks there
	liveStores = 100
	liveShare  = 5 // pages of one session
	liveTime   = 30 * time.Second
)

// measureLive opens pages of a hundred stores on one server, makes one sale a
// second, and measures how soon its pages are notified. Then it clicks, as it did
// before they were open. The cancellation window is open for it at any hour.
func (b *bench) measureLive(ctx context.Context) error {
	if b.Pages == 0 {
		return nil
	}
	if err := enoughFiles(b.Pages); err != nil {
		return err
	}
	return b.clicking(ctx, func(c *clicker, p *lab.Process) error { return b.live(ctx, c, p) }, "CUTOFF=23:59")
}

func (b *bench) live(ctx context.Context, c *clicker, p *lab.Process) (err error) {
	l := &live{bench: b, server: p, told: map[int64][]time.Time{}}
	r := &b.report.Live
	r.Pages = b.Pages
	b.progress("clicks without open pages")
	if r.ClickAlone, r.AloneP99, err = l.clicks(ctx, c); err != nil {
		return err
	}
	r.Before, _ = resident(p)
	b.progress(fmt.Sprintf("opening %d pages", b.Pages))
	defer l.close()
	if err := l.open(ctx); err != nil {
		return err
	}
	b.progress("one sale a second for " + liveTime.String())
	if err := l.changes(ctx); err != nil {
		return err
	}
	r.Resident, _ = resident(p)
	b.progress("clicks beside open pages")
	if r.ClickBeside, r.BesideP99, err = l.clicks(ctx, c); err != nil {
		return err
	}
	r.Ratio = r.ClickBeside / r.ClickAlone
	return nil
}

// enoughFiles returns an error when this machine allows too few connections.
func enoughFiles(pages int) error {
	var most syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &most); err != nil {
		return fmt.Errorf("look for the limit of open files: %w", err)
	}
	if most.Cur < uint64(pages)+200 {
		return fmt.Errorf("a process may open %d files here and %d pages need more: raise it with ulimit -n %d", most.Cur, pages, pages+1000)
	}
	return nil
}

// live are the open pages, by store.
type live struct {
	*bench
	server *lab.Process
	mu     sync.Mutex
	told   map[int64][]time.Time // when each event arrived
	conns  []net.Conn
}

// clicks makes sales on the terminals and cancels them. It removes the figures from
// the report, where they belong to another measurement.
func (l *live) clicks(ctx context.Context, c *clicker) (median, p99 float64, err error) {
	kept := l.report
	err = c.run(ctx)
	median, p99 = l.report.ClickMedian, l.report.ClickP99
	kept.Live = l.report.Live
	l.report = kept
	return median, p99, err
}

// open signs the managers in and opens their pages' streams.
func (l *live) open(ctx context.Context) error {
	db, err := l.bench.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	cookie := ""
	for n := range l.Pages {
		store := liveFirst + int64(n/liveShare)%liveStores
		if n%liveShare == 0 {
			if cookie, err = l.person(ctx, db, accounts.Input{
				Email: fmt.Sprintf("live-%d@veinte.example", store), Name: "Live", Role: models.Manager, StoreIDs: []int64{store},
			}); err != nil {
				return err
			}
		}
		if err := l.listen(store, cookie); err != nil {
			return fmt.Errorf("open page %d: %w", n+1, err)
		}
	}
	return nil
}

// listen opens one stream with as little code of ours as possible, because both ends
// run on this machine.
func (l *live) listen(store int64, cookie string) error {
	conn, err := net.Dial("tcp", l.server.Addr)
	if err != nil {
		return err
	}
	l.conns = append(l.conns, conn)
	if _, err := fmt.Fprintf(conn, "GET /events HTTP/1.1\r\nHost: %s\r\nCookie: veinte_session=%s\r\n\r\n", l.server.Addr,
		cookie); err != nil {
		return err
	}
	r := bufio.NewReaderSize(conn, 512)
	status, err := r.ReadString('\n')
	if err != nil || !strings.Contains(status, " 200 ") {
		return fmt.Errorf("the stream was answered %q: %w", strings.TrimSpace(status), errors.Join(err))
	}
	go func() {
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return // closed
			}
			if strings.HasPrefix(line, "event: changed") {
				now := time.Now()
				l.mu.Lock()
				l.told[store] = append(l.told[store], now)
				l.mu.Unlock()
			}
		}
	}()
	return nil
}

func (l *live) close() {
	for _, c := range l.conns {
		_ = c.Close()
	}
}

// changes makes a sale a second, in one store after another, and collects how long
// each page of that store waited for its event.
func (l *live) changes(ctx context.Context) error {
	d := &door{bench: l.bench, server: "http://" + l.server.Addr}
	all, err := d.find(ctx)
	if err != nil {
		return err
	}
	client := &fasthttp.Client{}
	defer client.CloseIdleConnections()
	place := func(store int64) doorTerminal {
		serial := strconv.FormatInt(1490000000+(store-1)*4, 10)
		return all[slices.IndexFunc(all, func(t doorTerminal) bool { return t.Serial == serial })]
	}
	var each []time.Duration
	perStore := l.Pages / liveStores
	cpu, began := cpuOf(l.server), time.Now()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for n := range int64(liveTime / time.Second) {
		<-tick.C
		store := liveFirst + n%liveStores
		l.mu.Lock()
		l.told[store] = nil
		l.mu.Unlock()
		sold := time.Now()
		if _, err := d.post(client, place(store)); err != nil {
			return err
		}
		told, err := l.await(store, perStore)
		if err != nil {
			return err
		}
		for _, at := range told {
			each = append(each, at.Sub(sold))
		}
	}
	l.report.Live.CPU = 100 * (cpuOf(l.server) - cpu).Seconds() / time.Since(began).Seconds()
	l.report.Live.ToldMedian, l.report.Live.ToldP99 = ms(quantile(each, 0.5)), ms(quantile(each, 0.99))
	return nil
}

// await waits until every page of a store has its event.
func (l *live) await(store int64, pages int) ([]time.Time, error) {
	for began := time.Now(); time.Since(began) < 10*time.Second; time.Sleep(5 * time.Millisecond) {
		l.mu.Lock()
		told := slices.Clone(l.told[store])
		l.mu.Unlock()
		if len(told) >= pages {
			return told, nil
		}
	}
	return nil, fmt.Errorf("not every page of store %d was told of its sale", store)
}
