package trailfile

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// fileTimes holds the entries of a file to the rules of time, and to the one that every
// nonce is there once.
type fileTimes struct {
	youngest int64 // of the entries since the last gap, or since the clock was put back
	// Entries that are older than one before them, or younger than the checkpoint, until
	// an entry behind them explains it.
	back, future []lateEntry
	nonces       []nonceAt
}

// lateEntry is an entry whose time is a finding, if nothing explains it.
type lateEntry struct {
	at int64
	f  Finding
}

// maxLate is how many of them wait for an explanation; more than that is none.
const maxLate = 100_000

// toldWithin is how long after its clock was put right a server says so, in microseconds.
const toldWithin = 60 * 1_000_000

// nonceAt is a nonce and the entry that has it.
type nonceAt struct {
	nonce       [2]uint64
	n, id, line int64
}

// gap says that entries are not there, or are not what they were. One of them may be that
// in which the server says that its clock was put right.
func (t *fileTimes) gap() { t.youngest, t.back, t.future = 0, nil, nil }

func said(micro int64) string { return time.UnixMicro(micro).UTC().Format(timeFormat) }

// judge judges the time of an entry, and returns what is worth a remark.
func (t *fileTimes) judge(l *line, signed time.Time, f Finding) (remark string) {
	if l.clock != 0 {
		remark = fmt.Sprintf("it would have shown %s, and shows %s", said(l.clock), said(l.at))
		t.jumped(l)
	}
	if l.at > signed.UnixMicro()+tolerance && len(t.future) < maxLate {
		f.Code, f.Detail = FutureDated, fmt.Sprintf("it is of %s, the checkpoint of %s", said(l.at), signed.Format(timeFormat))
		t.future = append(t.future, lateEntry{l.at, f})
	}
	if l.at < t.youngest-tolerance {
		if len(t.back) < maxLate {
			f.Code, f.Detail = BackDated, fmt.Sprintf("it is of %s, one before it of %s", said(l.at), said(t.youngest))
			t.back = append(t.back, lateEntry{l.at, f})
		}
		return remark
	}
	t.youngest = max(t.youngest, l.at)
	return remark
}

// jumped takes the server's word that its clock was put back. It explains what was written
// by the clock as it was, and what was written by the new one just before it was said.
func (t *fileTimes) jumped(l *line) {
	if l.clock <= l.at || t.youngest > l.clock+tolerance {
		return
	}
	t.back = slices.DeleteFunc(t.back, func(e lateEntry) bool { return e.at <= l.at && e.at >= l.at-toldWithin })
	t.future = slices.DeleteFunc(t.future, func(e lateEntry) bool { return e.at <= l.clock+tolerance })
	t.youngest = 0
}

// end reports what is known only behind the last entry.
func (t *fileTimes) end(v *Verdict, whole bool) {
	for _, e := range slices.Concat(t.back, t.future) {
		if whole {
			v.found(e.f)
		}
	}
	slices.SortFunc(t.nonces, func(a, b nonceAt) int {
		return cmp.Or(cmp.Compare(a.nonce[0], b.nonce[0]), cmp.Compare(a.nonce[1], b.nonce[1]), cmp.Compare(a.n, b.n))
	})
	for i := 1; i < len(t.nonces); i++ {
		if a, b := t.nonces[i-1], t.nonces[i]; a.nonce == b.nonce {
			v.found(Finding{Code: BadCopy, N: b.n, ID: b.id, Line: b.line, Detail: fmt.Sprintf("of n %d, id %d", a.n, a.id)})
		}
	}
}
