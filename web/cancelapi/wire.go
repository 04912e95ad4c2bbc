package cancelapi

import (
	"bytes"
	"net"
	"sync"
	"time"

	"veinte/models"
	"veinte/models/crashpoint"
)

// wire is a connection that remembers what can be proven about one request:
// whether a byte of it may have left, and how the answer ended. Below it TLS is
// already up, so all that passes is HTTP.
type wire struct {
	net.Conn
	clock  models.Clock
	closes func() time.Time // from when on it is too late, as known now; zero: no limit

	mu     sync.Mutex
	taken  bool
	shut   bool // by our side; what fails from then on says nothing about theirs
	record record
}

// record is what a wire saw.
type record struct {
	written bool      // a byte of the request left, or may have
	firstAt time.Time // when
	refused bool      // the gate closed: it was too late to write
	read    int       // bytes of the answer
	early   bool      // some came before the request: they answer something else
	lost    error     // the first failure that was not our doing
}

func (w *wire) take() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	first := !w.taken
	w.taken = true
	return first
}

// Write asks the gate first. That the request may have left is noted before the
// bytes are handed over, because a write that fails may have sent some.
func (w *wire) Write(p []byte) (int, error) {
	if err := w.gate(); err != nil {
		return 0, err
	}
	n, err := w.write(p)
	w.note(0, err)
	return n, err
}

// write hands the bytes over in one piece, as they came; only where a crash is
// to fall between header and body are there two.
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

// gate looks at the clock at the last possible moment. Connecting may have
// taken long, or the process may have been stopped in between.
//
// The limit is for bytes that leave: after it none does, not even the rest
// of a request. The answer to what did leave is waited for beyond it, up to the
// timeout: not to listen would unsend nothing and leave a doubt.
func (w *wire) gate() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.shut {
		return net.ErrClosed
	}
	now := w.clock.Now()
	closes := w.closes() // after the clock, so that nothing known by then is left out
	if late(now, closes) {
		w.record.refused = true
		return errTooLate
	}
	if w.record.written {
		return nil
	}
	if !closes.IsZero() {
		// Deadlines of connections are in real time; see Client.before.
		if err := w.Conn.SetWriteDeadline(time.Now().Add(closes.Sub(now))); err != nil {
			return err
		}
	}
	w.record.written, w.record.firstAt = true, now
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

// seal ends the recording and returns it. After it not a byte can be written,
// so a record that says "nothing written" stays true although a goroutine of
// net/http may be on its way to write.
func (w *wire) seal() record {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.shut = true
	return w.record
}
