package kit

import (
	"context"
	"errors"
	"net"
	"syscall"
	"time"

	"github.com/gofiber/fiber/v2"

	"veinte/models/audit/export"
	"veinte/models/database"
	"veinte/models/goroutine"
)

// Looks makes a request that only reads: its questions take the connections of pages,
// unless it is a step of a click, and end when its client hangs up.
func (k *Kit) Looks(handler fiber.Handler, click bool) fiber.Handler {
	return func(c *fiber.Ctx) error {
		ctx := c.UserContext()
		if !click {
			ctx = database.ForPage(ctx)
		}
		ctx, end := k.untilGone(ctx, Gone(c))
		defer end()
		c.SetUserContext(ctx)
		return handler(c)
	}
}

// goneBeat is how often it is looked whether a client is still there. Most answers take
// less, and nobody looks.
const goneBeat = 250 * time.Millisecond

// untilGone returns a context that is canceled when a client has hung up. What outlives
// the request, such as a value that is kept for all, is not canceled by its end.
func (k *Kit) untilGone(ctx context.Context, gone func() bool) (context.Context, func()) {
	ctx, hangUp := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	watch := time.AfterFunc(goneBeat, func() {
		defer goroutine.Recover(k.Logger, "waiting for the end of a client")
		tick := time.NewTicker(goneBeat)
		defer tick.Stop()
		for !gone() {
			select {
			case <-ended:
				return
			case <-tick.C:
			}
		}
		hangUp(export.ErrReaderGone)
	})
	return ctx, func() { watch.Stop(); close(ended) }
}

// Gone returns whether a request's client has hung up, so that nothing is computed for
// nobody. It looks at the connection without taking anything from it. What cannot be
// looked at is there.
func Gone(c *fiber.Ctx) func() bool {
	conn := c.Context().Conn()
	if inner, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = inner.NetConn()
	}
	socket, ok := conn.(syscall.Conn)
	if !ok {
		return func() bool { return false }
	}
	return func() bool {
		raw, err := socket.SyscallConn()
		if err != nil {
			return true // it is closed
		}
		gone := false
		err = raw.Control(func(fd uintptr) {
			var next [1]byte
			n, _, err := syscall.Recvfrom(int(fd), next[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
			gone = n == 0 && err == nil || err != nil && !errors.Is(err, syscall.EAGAIN) && !errors.Is(err, syscall.EINTR)
		})
		return gone || err != nil
	}
}
