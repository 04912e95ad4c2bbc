//go:build unix && !linux

package localpg

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// maxSocketPath is the longest path of a socket file, in bytes without the final NUL.
const maxSocketPath = 103

// dieWithParent does nothing: only Linux signals a child when its parent dies. On
// other systems a server outlives a killed program until the next start heals it.
func dieWithParent(*syscall.SysProcAttr) {}

// worksIn reports whether the process lives and has dir as its working directory, as
// a postmaster has its data directory. A process id alone proves nothing, because
// ids are reused.
func worksIn(pid int, dir string, _ account) bool {
	out, err := output("lsof", "-a", "-p", strconv.Itoa(pid), "-d", "cwd", "-Fn")
	if err != nil {
		return false
	}
	for line := range strings.Lines(out) {
		if path, found := strings.CutPrefix(strings.TrimSpace(line), "n"); found {
			x, xErr := os.Stat(path)
			y, yErr := os.Stat(dir)
			return xErr == nil && yErr == nil && os.SameFile(x, y)
		}
	}
	return false
}

// serversIn finds nothing on this system. Server processes without a postmaster end
// by themselves soon, and launch retries until they have.
func serversIn(string, account) []int { return nil }
