package setup

import (
	"context"
	"fmt"
	"net"
	"runtime"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"

	"veinte/models/goroutine"
)

// dialAs connects as another user of this system: PostgreSQL asks the kernel who has
// connected to its socket. The user belongs to a thread, which ends with the goroutine
// that it is locked to.
func dialAs(uid int) pgconn.DialFunc {
	return func(ctx context.Context, network, addr string) (conn net.Conn, err error) {
		err = <-goroutine.Result(nil, "connecting as another user", func() error {
			runtime.LockOSThread() // never unlocked: this thread must not serve others
			keep := ^uintptr(0)
			if _, _, errno := syscall.RawSyscall(syscall.SYS_SETRESUID, keep, uintptr(uid), keep); errno != 0 {
				return fmt.Errorf("become user %d: %w", uid, errno)
			}
			var dialer net.Dialer
			var failed error
			conn, failed = dialer.DialContext(ctx, network, addr)
			return failed
		})
		return conn, err
	}
}
