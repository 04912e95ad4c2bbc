package localpg

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"veinte/models/goroutine"
)

// maxSocketPath is the longest path of a socket file, in bytes without the final NUL.
const maxSocketPath = 107

// dieWithParent makes the kernel stop the child in order when our program is killed
// and cannot do it itself. See spawn for a pitfall.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGINT }

// worksIn reports whether the process lives and has dir as its working directory, as
// every process of a server has its data directory. A process id alone proves
// nothing, because ids are reused.
func worksIn(pid int, dir string, a account) (works bool) {
	a.lookAs(func() { works = sameDir(filepath.Join("/proc", strconv.Itoa(pid), "cwd"), dir) })
	return works
}

// serversIn lists the server processes that work in dir, including those without a
// postmaster, which cannot be found otherwise.
func serversIn(dir string, a account) (pids []int) {
	a.lookAs(func() {
		processes, _ := filepath.Glob("/proc/[0-9]*") // the pattern is well formed
		for _, process := range processes {
			// The name excludes a shell in which somebody changed to
			// that directory.
			name, _ := os.ReadFile(filepath.Join(process, "comm"))
			if strings.TrimSpace(string(name)) != "postgres" || !sameDir(filepath.Join(process, "cwd"), dir) {
				continue
			}
			if pid, err := strconv.Atoi(filepath.Base(process)); err == nil {
				pids = append(pids, pid)
			}
		}
	})
	return pids
}

func sameDir(a, b string) bool {
	x, err := os.Stat(a) // fails for an ended process, a zombie or another user's
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// lookAs runs look with the account's file permissions. Root without the capability
// SYS_PTRACE, as in a container, may not read the working directory of another
// user's process; that user may. The permissions belong to a thread, which ends with
// the goroutine it is locked to.
func (a account) lookAs(look func()) {
	if !a.switched {
		look()
		return
	}
	done := make(chan struct{})
	var failed error
	go func() {
		defer goroutine.Recover(nil, "looking for postgres", func(err error) { failed = err; close(done) })
		runtime.LockOSThread() // never unlocked: this thread must not serve others
		_ = syscall.Setfsgid(a.gid)
		_ = syscall.Setfsuid(a.uid)
		look()
		close(done)
	}()
	<-done
	if failed != nil {
		panic(failed) // a failed check must not look like an empty result
	}
}
