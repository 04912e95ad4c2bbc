package sandbox

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"sync"
	"time"
)

// memoryLines is how much a ledger without a file remembers.
const memoryLines = 10_000

var errLedgerClosed = errors.New("ledger is closed")

// ledger is the append-only record. One line is one write, so that a kill can
// cut at most the last line.
type ledger struct {
	now     func() time.Time
	path    string
	garbage int // unreadable lines met when opening

	mu     sync.Mutex
	file   *os.File // nil when kept in memory
	memory [][]byte
	size   int64 // bytes of whole lines; a reader stops there
	seq    int64
	torn   bool // the last line has no end yet; the next one starts on a new line
	closed bool
	counts map[string]int // lines by kind, and requests by operation and violation
}

// openLedger opens or makes the file, and hands every readable line to replay.
func openLedger(path string, now func() time.Time, replay func(*entry)) (*ledger, error) {
	l := &ledger{path: path, now: now, counts: map[string]int{}}
	if path == "" {
		return l, nil
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	l.file = file
	err = eachLine(file, func(line []byte) error {
		l.size += int64(len(line))
		l.torn = !bytes.HasSuffix(line, []byte("\n"))
		var e entry
		if json.Unmarshal(line, &e) != nil || e.Seq == 0 {
			l.garbage++
			return nil
		}
		l.seq = max(l.seq, e.Seq)
		l.count(&e)
		replay(&e)
		return nil
	})
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return l, nil
}

// append stamps e with the next number and the service's clock and writes it.
func (l *ledger) append(e *entry) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return 0, errLedgerClosed
	}
	e.Seq, e.At = l.seq+1, l.now().UTC()
	line := append(encode(e), '\n')
	if l.file == nil {
		l.memory = append(l.memory, line)
		if len(l.memory) > memoryLines {
			l.memory = l.memory[len(l.memory)-memoryLines:]
		}
	} else if err := l.write(line); err != nil {
		return 0, err
	}
	l.seq++
	l.count(e)
	return l.seq, nil
}

func (l *ledger) write(line []byte) error {
	if l.torn {
		line = append([]byte("\n"), line...)
	}
	n, err := l.file.Write(line)
	l.size += int64(n)
	l.torn = err != nil && (n > 0 || l.torn)
	return err
}

func (l *ledger) count(e *entry) {
	l.counts[e.Kind]++
	if e.Kind == kindRequest {
		l.counts["request."+e.Operation]++
		if len(e.Violations) > 0 {
			l.counts["violations"]++
		}
	}
}

// totals returns the last number given and the lines by kind, with requests
// also by operation and those with violations.
func (l *ledger) totals() (int64, map[string]int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.seq, maps.Clone(l.counts)
}

// stream copies the readable lines numbered above after to w.
func (l *ledger) stream(w io.Writer, after int64) error {
	l.mu.Lock()
	source, size := io.Reader(bytes.NewReader(bytes.Join(l.memory, nil))), l.size
	onDisk := l.file != nil
	l.mu.Unlock()
	if onDisk {
		file, err := os.Open(l.path)
		if err != nil {
			return err
		}
		defer file.Close()
		source = io.LimitReader(file, size)
	}
	return eachLine(source, func(line []byte) error {
		var e struct{ Seq int64 }
		if json.Unmarshal(line, &e) != nil || e.Seq <= after {
			return nil
		}
		_, err := w.Write(line)
		return err
	})
}

func (l *ledger) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || l.file == nil {
		l.closed = true
		return nil
	}
	l.closed = true
	return l.file.Close()
}

// eachLine calls do with every line, its end included; the last may have none.
func eachLine(r io.Reader, do func([]byte) error) error {
	reader := bufio.NewReader(r)
	for {
		line, err := reader.ReadBytes('\n')
		if len(line) > 0 {
			if err := do(line); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
