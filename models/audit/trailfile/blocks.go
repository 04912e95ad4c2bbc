package trailfile

import (
	"bytes"
	"errors"
	"io"
	"runtime"

	"veinte/models/goroutine"
)

// MaxLine is how long a line of an export may be, in bytes, its newline included. The longest that
// the product writes is some hundred kilobytes.
const MaxLine = 16 << 20

// blockLength is how much of a file is understood at once.
const blockLength = 512 << 10

// block is a piece of the file that ends with a line, and its parsed lines.
type block struct {
	data  []byte
	lines []line
	err   error // what ended the reading; io.EOF when all was read
	done  chan struct{}
}

// blocks reads a file and parses its lines on every core, a few blocks ahead of the
// consumer. It needs the memory of a few blocks.
type blocks struct {
	in    io.Reader
	order chan *block // in the order of the file
	work  chan *block
	free  chan *block
	stop  chan struct{}
	// failed is why the reading ended without a last block; known once order is closed.
	failed error
}

func readBlocks(in io.Reader) *blocks {
	workers := runtime.GOMAXPROCS(0)
	ahead := 2*workers + 2
	b := &blocks{
		in: in, order: make(chan *block, ahead), work: make(chan *block, ahead), free: make(chan *block, ahead),
		stop: make(chan struct{}),
	}
	for range ahead {
		b.free <- &block{data: make([]byte, 0, blockLength)}
	}
	for range workers {
		goroutine.Go(nil, "reading entries", b.understand)
	}
	goroutine.Go(nil, "reading a file of entries", b.read)
	return b
}

// close ends the reading; it does not wait for a read that is under way.
func (b *blocks) close() { close(b.stop) }

// next waits for the next block; nil after the last.
func (b *blocks) next() *block {
	k, ok := <-b.order
	if !ok && b.failed != nil {
		return &block{err: b.failed} // not the file's end
	}
	if !ok {
		return nil
	}
	<-k.done
	return k
}

func (b *blocks) release(k *block) {
	if cap(k.data) > 2*blockLength {
		k.data = make([]byte, 0, blockLength) // a long line was in it
	}
	b.free <- k
}

var errLongLine = errors.New("a line is longer than 16 MiB, which no entry is")

// read cuts the file behind the last newline of each block.
func (b *blocks) read() {
	defer close(b.order)
	defer close(b.work)
	defer goroutine.Recover(nil, "reading a file of entries", func(err error) { b.failed = err })
	var rest []byte // begins the next block
	for {
		var k *block
		select {
		case k = <-b.free:
		case <-b.stop:
			return
		}
		k.done, k.lines = make(chan struct{}), k.lines[:0]
		k.data = append(k.data[:0], rest...)
		k.data, k.err = fill(b.in, k.data)
		end := bytes.LastIndexByte(k.data, '\n') + 1
		if k.err == io.EOF {
			end = len(k.data)
		}
		rest = append(rest[:0], k.data[end:]...)
		k.data = k.data[:end]
		if over := k.err != nil; !b.hand(k) || over {
			return
		}
	}
}

func (b *blocks) hand(k *block) bool {
	select {
	case b.work <- k:
	case <-b.stop:
		return false
	}
	select {
	case b.order <- k:
		return true
	case <-b.stop:
		return false
	}
}

// fill reads until the block is full and has a newline.
func fill(in io.Reader, data []byte) ([]byte, error) {
	for from := 0; ; {
		if len(data) == cap(data) {
			if bytes.IndexByte(data[from:], '\n') >= 0 {
				return data, nil
			}
			if from = len(data); from > MaxLine {
				return data, errLongLine
			}
			data = append(data, make([]byte, len(data))...)[:len(data)]
		}
		n, err := in.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if err != nil {
			return data, err
		}
	}
}

func (b *blocks) understand() {
	r := &lineReader{}
	for k := range b.work {
		k.understand(r)
	}
}

// understand reads the lines of a block. A panic is the block's error, for whoever
// waits for it.
func (k *block) understand(r *lineReader) {
	defer close(k.done)
	defer goroutine.Recover(nil, "reading entries", func(err error) { k.err = err })
	for rest := k.data; len(rest) > 0; {
		text, after, whole := bytes.Cut(rest, []byte{'\n'})
		k.lines = append(k.lines, line{})
		l := &k.lines[len(k.lines)-1]
		switch {
		case len(text) > MaxLine || whole && len(text) == MaxLine:
			*l = line{length: len(text) + 1, n: -1, wrong: BadLine, detail: errLongLine.Error()}
		case !whole:
			*l = line{length: len(text), n: -1, wrong: Truncated, detail: "its last line has no end"}
		default:
			r.read(text, l)
		}
		if rest = after; l.kind == badLine {
			break // what follows is not read
		}
	}
}
