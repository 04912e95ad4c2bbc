package cancelapi

import (
	"bytes"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"veinte/models"
	"veinte/models/crashpoint"
)

// wire is a connection that records what can be proven about one request: whether a
// byte of it may have been sent, and how the response ended. TLS is established
// below it, so it sees plain HTTP only.
type wire struct {
	net.Conn
	clock    models.Clock
	closes   func() time.Time // the cut-off, as known now; zero: no limit
	deadline time.Time        // of the attempt; zero: none

	taken  atomic.Bool // by net/http
	mu     sync.Mutex
	shut   bool // by our side; later failures prove nothing about the service
	asked  int  // bytes that net/http wanted to write
	record record

	passing  sync.Mutex // held while bytes are passed on
	passed   int        // bytes that left
	passedAt time.Time  // when the last of them did, at the latest; zero: none were passed on
}

// record is what a wire has recorded.
type record struct {
	written bool      // a byte of the request was sent, or may have been
	firstAt time.Time // when
	refused error     // the gate was closed: why it was too late to write; nil: it was not
	read    int       // bytes of the response
	early   bool      // some came before the request, so they respond to something else
	lost    error     // the first failure that we did not cause
}

// unsent says why nothing was written.
func (r record) unsent() models.Detail {
	switch r.refused {
	case errTooLate:
		return models.DetailTooLate
	case errOverdue:
		return models.DetailInterrupted
	}
	return models.DetailDialFailed
}

// Write checks the gate first. It records that the request may have been sent before
// it passes the bytes on, because a write that fails may have sent some.
func (w *wire) Write(p []byte) (int, error) {
	crashpoint.Here(crashpoint.BeforeGate)
	if err := w.gate(len(p)); err != nil {
		return 0, err
	}
	w.passing.Lock()
	crashpoint.Here(crashpoint.AfterGate)
	n, err := w.write(p)
	w.passed += n
	w.passedAt = w.clock.Now()
	w.passing.Unlock()
	w.note(0, err)
	return n, err
}

// withheld closes the connection and reports whether a part of the request never
// left: a write that was under way has ended by then, and told how far it came. What
// was answered before is an answer to less than the request. (A request is asked for
// in one piece; were there more pieces, this would report that all of it left.)
func (w *wire) withheld() bool {
	_ = w.Close()
	w.mu.Lock()
	asked := w.asked
	w.mu.Unlock()
	w.passing.Lock()
	defer w.passing.Unlock()
	return w.passed < asked
}

// overdue closes the connection and returns when the last bytes left, at the latest,
// if that is past the deadline; else zero. The process may be frozen between the gate
// and the write, or within it: nothing can prevent that, so it is looked at afterwards.
func (w *wire) overdue() time.Time {
	_ = w.Close()
	w.passing.Lock()
	defer w.passing.Unlock()
	if w.passedAt.IsZero() || !late(w.passedAt, w.deadline) {
		return time.Time{}
	}
	return w.passedAt
}

// write passes the bytes on in one piece. Only when a crash point lies between
// header and body are there two.
func (w *wire) write(p []byte) (int, error) {
	if !crashpoint.Enabled {
		return w.Conn.Write(p)
	}
	head := 0
	if i := bytes.Index(p, []byte("\r\n\r\n")); i >= 0 {
		head = i + 4
	}
	n, err := w.Conn.Write(p[:head])
	if err != nil {
		return n, err
	}
	crashpoint.Here(crashpoint.AfterHeaders)
	more, err := w.Conn.Write(p[head:])
	crashpoint.Here(crashpoint.AfterBody)
	return n + more, err
}

// gate checks the clock as late as possible. Connecting may have taken long, or the
// process may have been suspended in between.
//
// The limit applies to sending: after it not even the rest of a request is sent. The
// response to what was sent is still awaited, up to the timeout, because giving up
// would leave the outcome in doubt.
func (w *wire) gate(bytes int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.shut {
		return net.ErrClosed
	}
	now := w.clock.Now()
	closes := w.closes() // read after the clock, so that it includes all that is known by then
	limit, over := sooner(now, closes, w.deadline)
	if late(now, limit) {
		w.record.refused = over
		return over
	}
	if w.record.written {
		w.asked += bytes
		return nil
	}
	if !limit.IsZero() {
		// Deadlines of connections are in real time; see Client.before.
		if err := w.Conn.SetWriteDeadline(time.Now().Add(models.TimeLeft(now, limit))); err != nil {
			return err
		}
	}
	w.record.written, w.record.firstAt = true, now
	w.asked += bytes
	return nil
}

func (w *wire) Read(p []byte) (int, error) {
	n, err := w.Conn.Read(p)
	w.note(n, err)
	return n, err
}

func (w *wire) note(n int, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.record.read += n
	if n > 0 && !w.record.written {
		w.record.early = true
	}
	if err != nil && w.record.lost == nil && !w.shut {
		w.record.lost = err
	}
}

func (w *wire) firstByteAt() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.record.firstAt
}

// Close is called by net/http too, from its own goroutines.
func (w *wire) Close() error {
	w.seal()
	return w.Conn.Close()
}

// seal ends the recording and returns it. After it nothing can be written, so a
// record that states "nothing written" stays true although a goroutine of net/http
// may be about to write.
func (w *wire) seal() record {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.shut = true
	return w.record
}
