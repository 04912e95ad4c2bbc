package kit

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"net"
	"time"

	"github.com/gofiber/fiber/v2"

	"veinte/models/audit/export"
	"veinte/models/goroutine"
)

// exportStall is how long a file waits for a client that does not read. A client that
// vanished without a word is noticed after that time, once the network's buffers are full.
const exportStall = 20 * time.Second

// Pipe sends a file piece by piece. A client that stops reading is treated as
// disconnected.
type Pipe struct {
	out  *bufio.Writer
	conn net.Conn
	// sum hashes what was written, and sent counts it, where somebody asks for that.
	sum  hash.Hash
	sent int64
}

// Write sends a piece at once. The server's own deadline is for short responses, so
// each piece gets a new one.
func (p *Pipe) Write(b []byte) (int, error) {
	_ = p.conn.SetWriteDeadline(time.Now().Add(exportStall))
	n, err := p.out.Write(b)
	if err == nil {
		err = p.out.Flush()
	}
	if err != nil {
		return n, fmt.Errorf("%w: %w", export.ErrReaderGone, err)
	}
	if p.sum != nil {
		p.sum.Write(b)
	}
	p.sent += int64(n)
	return n, nil
}

// Stream sends a file that run writes. If run fails, the connection is closed
// without the end of the body, so that browsers and programs report an incomplete
// file.
func (k *Kit) Stream(c *fiber.Ctx, name, kind string, run func(context.Context, *Pipe) error) {
	Attach(c, name, kind)
	c.Set("X-Accel-Buffering", "no") // proxies of that family would gather it first
	conn, ctx := c.Context().Conn(), context.WithoutCancel(c.UserContext())
	logger, answer, gone := k.Logger, k.Live.Begin(ReaderOf(c)), Gone(c)
	endTurn := takeTurn(c)
	c.Context().SetBodyStreamWriter(func(w *bufio.Writer) {
		defer endTurn()
		defer answer.End()
		ctx, left := k.untilGone(ctx, gone)
		defer left()
		ctx, end := k.whileServing(ctx, answer)
		defer end()
		defer func() {
			if p := recover(); p != nil {
				logger.ErrorContext(ctx, "panic in a file", "file", name, "value", p)
				_ = conn.Close()
			}
		}()
		if err := run(ctx, &Pipe{out: w, conn: conn}); err != nil {
			_ = conn.Close()
			if cause := context.Cause(ctx); cause != nil {
				err = cause // why the database's question was broken off
			}
			if !errors.Is(err, export.ErrReaderGone) && !errors.Is(err, export.ErrAccessEnded) {
				logger.WarnContext(ctx, "a file was not sent to its end", "file", name, "error", err)
			}
		}
	})
}

// whileServing returns a context that ends when the server stops, or when whoever gets the
// answer may not have the rest.
func (k *Kit) whileServing(ctx context.Context, answer *Answer) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	goroutine.Go(k.Logger, "waiting for the end of a file", func() {
		select {
		case <-k.Stopping:
			cancel(export.ErrStopping)
		case <-answer.Over():
			cancel(export.ErrAccessEnded)
		case <-ended:
		}
	})
	return ctx, func() { close(ended); cancel(nil) }
}

// StreamFile sends a CSV file other than of the trail, after it is recorded in the
// trail, and records its SHA-256 when all of it was handed over. A HEAD request gets no rows and leaves no entry.
func (k *Kit) StreamFile(c *fiber.Ctx, file export.FileExport, name string, run func(context.Context, *Pipe) error) error {
	if c.Method() == fiber.MethodHead {
		c.Set(fiber.HeaderContentType, CSV)
		return nil
	}
	if err := k.NoteFile(c.UserContext(), Actor(c), file); err != nil {
		return err
	}
	actor := Actor(c)
	k.Stream(c, name, CSV, func(ctx context.Context, out *Pipe) error {
		out.sum = sha256.New()
		if err := run(ctx, out); err != nil {
			return err
		}
		return k.NoteFileSent(context.WithoutCancel(ctx), actor, file, hex.EncodeToString(out.sum.Sum(nil)), out.sent)
	})
	return nil
}

// CSV is the media type of CSV files.
const CSV = "text/csv; charset=utf-8"

// FileTypes are the media types of exported files.
var FileTypes = map[export.Format]string{
	export.CSV:   CSV,
	export.JSONL: "application/jsonl; charset=utf-8",
	export.XLSX:  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
