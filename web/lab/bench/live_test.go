package bench

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"veinte/models"
	"veinte/web/lab"
)

const (
	liveFirst  = 101 // the first store with open pages; no clicks there
	liveStores = 100
	liveShare  = 5 // pages of one session
	liveTime   = 30 * time.Second
)

// BenchmarkLive clicks, opens pages of a hundred stores on one server, makes one sale a
// second, measures how soon its pages are notified, and clicks again beside them. A
// page should know of a sale within a second (known-p99-ms).
func BenchmarkLive(b *testing.B) {
	if err := enoughFiles(*openPages); err != nil {
		b.Fatal(err)
	}
	setup(b).measure(b, clicksBesidePages)
}

func clicksBesidePages(ctx context.Context, p *build) error {
	return p.clicking(ctx, func(c *clicker, server *lab.Process) error {
		l := &live{build: p, server: server, events: map[int64][]time.Time{}}
		defer l.close()
		alone, _, err := c.click(ctx)
		if err != nil {
			return err
		}
		if err := l.open(ctx); err != nil {
			return err
		}
		if err := l.changes(ctx); err != nil {
			return err
		}
		beside, _, err := c.click(ctx)
		if err != nil {
			return err
		}
		p.recordTimes("clicks-beside-", beside)
		p.record("clicks-beside-to-alone", ms(quantile(beside, 0.5))/ms(quantile(alone, 0.5)))
		return nil
	})
}

// enoughFiles returns an error when this machine allows too few connections.
func enoughFiles(pages int) error {
	var most syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &most); err != nil {
		return fmt.Errorf("read the limit of open files: %w", err)
	}
	if most.Cur < uint64(pages)+200 {
		return fmt.Errorf("a process may open %d files here and %d pages need more: raise it with ulimit -n %d", most.Cur, pages, pages+1000)
	}
	return nil
}

// live are the open pages, by store.
type live struct {
	*build
	server *lab.Process
	mu     sync.Mutex
	events map[int64][]time.Time // when each event arrived
	conns  []net.Conn
}

// open signs the managers in and opens their pages' streams.
func (l *live) open(ctx context.Context) (err error) {
	before, _ := resident(l.server)
	session := ""
	for n := range *openPages {
		store := liveFirst + int64(n/liveShare)%liveStores
		if n%liveShare == 0 {
			if session, err = l.person(ctx, fmt.Sprintf("live-%d", store), models.Manager, store); err != nil {
				return err
			}
		}
		if err := l.listen(store, session); err != nil {
			return fmt.Errorf("open page %d: %w", n+1, err)
		}
	}
	now, _ := resident(l.server)
	l.record("of-pages-MiB", now-before)
	return nil
}

// listen opens one stream with as little code of ours as possible, because both ends
// run on this machine.
func (l *live) listen(store int64, session string) error {
	conn, err := net.Dial("tcp", l.server.Addr)
	if err != nil {
		return err
	}
	l.conns = append(l.conns, conn)
	if _, err := fmt.Fprintf(conn, "GET /events HTTP/1.1\r\nHost: %s\r\nCookie: %s=%s\r\n\r\n", l.server.Addr, sessionCookie,
		session); err != nil {
		return err
	}
	r := bufio.NewReaderSize(conn, 512)
	status, err := r.ReadString('\n')
	if err != nil || !strings.Contains(status, " 200 ") {
		return fmt.Errorf("the stream was answered %q: %w", strings.TrimSpace(status), err)
	}
	go func() {
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return // closed
			}
			if strings.HasPrefix(line, "event: changed") {
				l.mu.Lock()
				l.events[store] = append(l.events[store], time.Now())
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

// changes makes a sale a second, in one store after another, and records how long
// each page of that store waited for its event.
func (l *live) changes(ctx context.Context) error {
	all, err := l.terminals(ctx, liveFirst, liveFirst+liveStores-1)
	if err != nil {
		return err
	}
	var each []time.Duration
	cpu, began := l.server.CPU(), time.Now()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for n := range int64(liveTime / time.Second) {
		<-tick.C
		store := liveFirst + n%liveStores
		l.mu.Lock()
		l.events[store] = nil
		l.mu.Unlock()
		sold := time.Now()
		if err := postSale(ctx, "http://"+l.server.Addr, all[4*(n%liveStores)]); err != nil {
			return err
		}
		events, err := l.await(store)
		if err != nil {
			return err
		}
		for _, at := range events {
			each = append(each, at.Sub(sold))
		}
	}
	l.record("of-a-core-%", 100*(l.server.CPU()-cpu).Seconds()/time.Since(began).Seconds())
	l.recordTimes("known-", each)
	return nil
}

// await waits until every page of a store has its event.
func (l *live) await(store int64) ([]time.Time, error) {
	for began := time.Now(); time.Since(began) < time.Minute; pause() {
		l.mu.Lock()
		events := slices.Clone(l.events[store])
		l.mu.Unlock()
		if len(events) >= *openPages/liveStores {
			return events, nil
		}
	}
	return nil, fmt.Errorf("not every page of store %d was notified of its sale", store)
}
