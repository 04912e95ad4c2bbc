package trailfile

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"slices"
	"strconv"
	"time"
)

// Verify verifies an export, as FORMAT.md defines. It reads the file once from
// beginning to end. What it remembers is the nonce of each entry (40 bytes) and the last
// move of each cancellation. A file that cannot be read, or is not an export, has a verdict
// too.
func Verify(in io.Reader, c Check) *Verdict {
	e := &verification{check: c, v: &Verdict{}, sum: sha256.New(), number: 1}
	buffered := bufio.NewReaderSize(in, 1<<20)
	if e.header(buffered) {
		e.kept.open(c, e.attested, func(int64) bool { return true })
		e.body(buffered)
		e.kept.counted()
		e.kept.strangers(0)
	}
	return e.v.conclude()
}

// verification is the verifying of one file.
type verification struct {
	check  Check
	v      *Verdict
	sum    hash.Hash // of everything before the footer
	bytes  int64
	number int64 // of the next line
	tree   Edge
	moves  Moves
	kept   keptCheckpoints
	// attested are the notes that strangers have signed, as the header has them.
	attested []string
	last     [3]uint64 // era, transaction and number of the entry before
	times    fileTimes
	ended    bool // the footer was there
	partly   bool // the header states by which filters entries were left out
}

func (e *verification) wrong(code Code, detail string) {
	e.v.found(Finding{Code: code, N: -1, Line: e.number, Detail: detail})
}

// whole adds a finding that is about no single line.
func (e *verification) whole(code Code, detail string) {
	e.v.found(Finding{Code: code, N: -1, Detail: detail})
}

// header reads the first line and opens its checkpoint. It reports whether there
// is something to go on with.
func (e *verification) header(in *bufio.Reader) bool {
	text, err := in.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		e.wrong(NotExport, "its first line is longer than 1 MB")
		return false
	case err == io.EOF && len(text) == 0:
		e.whole(NotExport, "it is empty")
		return false
	case err != nil && err != io.EOF:
		e.whole(Unreadable, err.Error())
		return false
	}
	if bytes.HasSuffix(text, []byte("\r\n")) {
		e.wrong(NotExport, "a program has converted the ends of its lines (CR LF); get the file anew")
		return false
	}
	h, wrong := readHeader(text)
	if wrong != nil {
		e.wrong(NotExport, wrong.Error())
		return false
	}
	if err == io.EOF {
		e.wrong(Truncated, "its first line has no end")
		return false
	}
	e.sum.Write(text)
	e.bytes = int64(len(text))
	e.v.Origin, e.v.Complete, e.partly, e.attested = h.Origin, h.Complete, len(h.Filters) > 0, h.Attested
	return e.checkpoint(h)
}

func (e *verification) checkpoint(h Header) bool {
	c, err := Open(h.Checkpoint, e.check.Keys)
	if err != nil {
		e.wrong(codeOf(err), err.Error())
		if errors.Is(err, ErrNotCheckpoint) {
			return false
		}
		// What it claims shows whether the rest at least fits together.
		c, _ = Unverified(h.Checkpoint)
	}
	if h.Origin != c.Origin {
		e.wrong(NotAsAnnounced, fmt.Sprintf("its origin is %q, its checkpoint's %q", shorten(h.Origin), c.Origin))
	}
	e.v.Checkpoint, e.v.Size = c, c.Size
	e.kept = newKept(e.v, e.check, h.Checkpoint, err == nil)
	e.number = 2
	return true
}

// body reads entries and gaps up to the footer.
func (e *verification) body(in io.Reader) {
	b := readBlocks(in)
	defer b.close()
	for {
		k := b.next()
		if k == nil {
			return
		}
		more := e.block(k)
		if more && k.err != nil {
			e.end(k.err)
			return
		}
		if !more {
			return
		}
		e.bytes += int64(len(k.data))
		if e.check.Progress != nil {
			e.check.Progress(e.bytes)
		}
		b.release(k)
	}
}

// block processes the lines of a block. It reports whether what follows can be
// parsed.
func (e *verification) block(k *block) bool {
	hashed, at := 0, 0
	for i := range k.lines {
		l := &k.lines[i]
		if e.ended {
			e.wrong(BadLine, "something behind the footer")
			return false
		}
		if l.kind == footLine {
			e.sum.Write(k.data[hashed:at])
			e.footer(&l.foot)
		} else if !e.line(l) {
			return false
		}
		if at += l.length; l.kind == footLine {
			hashed = at
		}
		e.number++
	}
	e.sum.Write(k.data[hashed:at])
	return true
}

// line processes an entry or a gap.
func (e *verification) line(l *line) bool {
	f := Finding{Code: l.wrong, N: l.n, ID: l.id, Line: e.number, Detail: l.detail}
	switch {
	case l.kind == badLine:
		if f.N = -1; l.wrong == BadLine && e.tree.Size < e.v.Size {
			f.N = e.tree.Size // the number expected there
		}
		e.v.found(f)
		return false
	case l.n > e.tree.Size:
		e.v.found(Finding{Code: BadOrder, N: e.tree.Size, Line: e.number, Detail: fmt.Sprintf("n %d stands in its place", l.n)})
		return false
	case l.n < e.tree.Size:
		f.Code, f.Detail = BadOrder, fmt.Sprintf("n %d is due here", e.tree.Size)
		e.v.found(f)
		return false
	case l.n >= e.v.Size || l.gap.To > e.v.Size:
		f.Code, f.Detail = BadOrder, fmt.Sprintf("the checkpoint has %d entries", e.v.Size)
		e.v.found(f)
		return false
	case l.wrong != "":
		e.v.found(f)
	}
	if l.kind == entryLine {
		e.v.Entries++
		e.rules(l, f)
		e.move(l, f)
		e.add(l.amount, f)
		e.tree.Add(l.hash)
		if e.check.Entry != nil {
			e.check.Entry(l.n, l.hash)
		}
		e.kept.reach(&e.tree)
		return true
	}
	if e.v.Complete {
		f.Code, f.Detail = NotAsAnnounced, "it calls itself complete, and leaves entries out here"
		e.v.found(f)
	}
	e.moves.Gap()
	e.times.gap()
	e.v.LeftOut += l.gap.To - l.gap.From
	for _, h := range l.gap.Hashes {
		e.tree.AddSubtree(Subtree(e.tree.Size, l.gap.To), h, nil)
		e.kept.reach(&e.tree)
	}
	return true
}

// rules judges the place of an entry in the order of commits, and its time. Of one that is
// not what was sealed nothing is known.
func (e *verification) rules(l *line, f Finding) {
	if l.wrong == BadBytes || l.wrong == BadEntry {
		e.times.gap()
		return
	}
	if place := [3]uint64{uint64(l.era), l.txid, uint64(l.id)}; slices.Compare(e.last[:], place[:]) >= 0 {
		f.Code, f.Detail = BadOrder, "its era, transaction and number are not behind those of the entry before it"
		e.v.found(f)
	} else {
		e.last = place
	}
	e.kept.judge.Entry(l.n, l.id, e.number, time.UnixMicro(l.at).UTC())
	if l.named {
		e.times.nonces = append(e.times.nonces, nonceAt{l.nonce, l.n, l.id, e.number})
	}
	if remark := e.times.judge(l, e.v.Checkpoint.Time, f); remark != "" {
		e.v.remark(Finding{Code: ClockPutRight, N: l.n, ID: l.id, Line: e.number, Detail: remark})
	}
}

// move compares what an entry says of a cancellation with its last move.
func (e *verification) move(l *line, f Finding) {
	switch {
	case l.wrong == BadBytes || l.wrong == BadEntry:
		e.moves.Gap()
	case l.move.Cancellation != 0:
		l.move.N = l.n
		if f.Detail = e.moves.Judge(l.move); f.Detail != "" {
			f.Code = BadMove
			e.v.found(f)
		}
	}
}

func (e *verification) add(amount int64, f Finding) {
	sum, ok := sumOf(e.v.Amount, amount)
	if !ok {
		f.Code, f.Detail = BadEntry, "the sum of the amounts is more than can be counted with"
		e.v.found(f)
		return
	}
	e.v.Amount = sum
}

// sumOf adds an amount; false, and the sum as it was, when that is more than can be counted with.
func sumOf(sum, amount int64) (int64, bool) {
	if amount > 0 && sum > math.MaxInt64-amount || amount < 0 && sum < math.MinInt64-amount {
		return sum, false
	}
	return sum + amount, true
}

// footer compares the file with its last line.
func (e *verification) footer(f *footer) {
	e.ended = true
	switch {
	case f.Entries != e.v.Entries:
		e.wrong(BadFooter, fmt.Sprintf("it tells of %d entries, the file has %d", f.Entries, e.v.Entries))
	case f.Amount != strconv.FormatInt(e.v.Amount, 10):
		e.wrong(BadFooter, fmt.Sprintf("it tells of %s centavos, the entries of %d", shorten(f.Amount), e.v.Amount))
	case f.SHA256 != hex.EncodeToString(e.sum.Sum(nil)):
		e.wrong(BadFooter, "its SHA-256 is not that of the file: something was changed")
	}
}

// end is for a file of which every line was understood.
func (e *verification) end(err error) {
	e.times.end(e.v, e.ended)
	if e.tree.Size == e.v.Size {
		e.kept.end()
	}
	switch {
	case errors.Is(err, errLongLine):
		e.line(&line{wrong: BadLine, detail: err.Error()})
	case err != io.EOF:
		e.wrong(Unreadable, err.Error())
	case !e.ended:
		e.wrong(Truncated, fmt.Sprintf("%d of %d entries are there", e.tree.Size, e.v.Size))
	case e.tree.Size != e.v.Size:
		e.whole(BadOrder, fmt.Sprintf("the file ends with n %d, the checkpoint has %d entries", e.tree.Size-1, e.v.Size))
	case e.tree.Root() != e.v.Checkpoint.Root:
		e.whole(BadRoot, e.narrowed())
	case !e.partly && (e.v.LeftOut > 0 || !e.v.Complete):
		e.whole(Unexplained, fmt.Sprintf("left out: %d entries", e.v.LeftOut))
	}
}

// narrowed states what else is known when only the root is wrong.
func (e *verification) narrowed() string {
	text := fmt.Sprintf("%s, signed was %s; something from n %d to n %d is not what it was",
		e.tree.Root(), e.v.Checkpoint.Root, e.kept.right, e.v.Size-1)
	if e.v.Compared == 0 {
		text += "; checkpoints kept elsewhere say more closely where"
	}
	return text
}

const timeFormat = "2006-01-02 15:04:05Z"
