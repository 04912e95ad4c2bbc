package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestRestartRemembers(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger.jsonl")
	onDisk := func(c *Config) { c.Ledger = path }
	b := start(t, noon, onDisk)
	stored, canceled := b.sell(""), b.sell(`,"last4":"1111"`)
	b.push(cancelPath, canceled)
	b.next()
	before, seq := b.control("GET", "/control/sales", "", 200), b.state("seq").(float64)
	if err := b.sandbox.Close(); err != nil {
		t.Fatal(err)
	}

	b = start(t, noon, onDisk)
	if after := b.control("GET", "/control/sales", "", 200); after != before {
		t.Errorf("sales after the restart = %s, want %s", after, before)
	}
	b.push(cancelPath, canceled)
	wantFields(t, b.next(), map[string]any{"orderId": canceled, "responseCode": "94"})
	b.push(cancelPath, stored)
	wantFields(t, b.next(), map[string]any{"orderId": stored, "responseCode": "00"})
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	last := 0.0
	for line := range strings.Lines(string(data)) {
		var e struct{ Seq float64 }
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.Seq != last+1 {
			t.Fatalf("line after %v = %s (%v)", last, line, err)
		}
		last = e.Seq
	}
	if last <= seq {
		t.Errorf("last line is %v, want more than %v", last, seq)
	}
}

func testClock() time.Time { return time.Date(2026, 3, 10, 18, 0, 0, 0, time.UTC) }

// twoLines is the bytes of a ledger with two lines.
func twoLines(tb testing.TB) []byte {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "l")
	l, err := openLedger(path, testClock, func(*entry) {})
	if err != nil {
		tb.Fatal(err)
	}
	for _, order := range []string{"o-1", "ñ-2"} {
		if _, err := l.append(&entry{Kind: kindAnswer, OrderID: order}); err != nil {
			tb.Fatal(err)
		}
	}
	data, err := os.ReadFile(path)
	if err := errors.Join(err, l.close()); err != nil {
		tb.Fatal(err)
	}
	return data
}

// reopen opens a ledger file with the given bytes, writes one line more, and
// returns the orders that were replayed, those that are read afterwards, and
// the file.
func reopen(tb testing.TB, path string, data []byte) (replayed, read []string, after []byte) {
	tb.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		tb.Fatal(err)
	}
	l, err := openLedger(path, testClock, func(e *entry) { replayed = append(replayed, e.OrderID) })
	if err != nil {
		tb.Fatalf("open %d bytes: %v", len(data), err)
	}
	_, err = l.append(&entry{Kind: kindAnswer, OrderID: "o-3"})
	var out strings.Builder
	if err := errors.Join(err, l.stream(&out, 0), l.close()); err != nil {
		tb.Fatal(err)
	}
	for _, e := range readLines(tb, out.String(), kindAnswer) {
		read = append(read, e.OrderID)
	}
	if after, err = os.ReadFile(path); err != nil {
		tb.Fatal(err)
	}
	return replayed, read, after
}

// TestCutTail opens every possible remainder of a ledger whose last line was
// cut by a kill.
func TestCutTail(t *testing.T) {
	t.Parallel()
	whole := twoLines(t)
	path := filepath.Join(t.TempDir(), "l")
	for cut := bytes.IndexByte(whole, '\n') + 1; cut <= len(whole); cut++ {
		want := []string{"o-1", "o-3"}
		if cut >= len(whole)-1 { // only the end of the line is missing
			want = []string{"o-1", "ñ-2", "o-3"}
		}
		replayed, read, after := reopen(t, path, whole[:cut])
		if !slices.Equal(read, want) || !slices.Equal(replayed, want[:len(want)-1]) {
			t.Errorf("cut at %d: read %q, replayed %q, want %q", cut, read, replayed, want)
		}
		if !bytes.HasPrefix(after, whole[:cut]) {
			t.Errorf("cut at %d: what was there before changed", cut)
		}
	}
}

func TestLedgerUnderManyWriters(t *testing.T) {
	t.Parallel()
	b := start(t, noon, func(c *Config) { c.Ledger = filepath.Join(t.TempDir(), "l") })
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			b.push(cancelPath, "o-1")
			b.control("GET", "/control/ledger?after=5", "", 200)
			b.sell("")
		})
	}
	group.Wait()
	if got := len(b.lines(kindRequest)); got != 20 {
		t.Errorf("%d requests in the ledger, want 20", got)
	}
	if got := b.state("sales"); got != 20.0 {
		t.Errorf("%v sales, want 20 with an order number each", got)
	}
	if text := b.control("GET", "/control/ledger?after=1000000", "", 200); text != "" {
		t.Errorf("ledger after its end = %s", text)
	}
}
