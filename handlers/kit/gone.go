package kit

import (
	"errors"
	"net"
	"syscall"

	"github.com/gofiber/fiber/v2"
)

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
