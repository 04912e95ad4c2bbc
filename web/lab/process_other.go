//go:build !linux

package lab

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// dieWithParent does nothing: only Linux has the signal.
func dieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{} }

// ChildrenOf returns none: elsewhere a postmaster's children notice its end
// themselves.
func ChildrenOf(int) []int { return nil }

// stopped reports whether a process is stopped by a signal.
func stopped(pid int) bool {
	state, err := exec.Command("ps", "-o", "state=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && strings.HasPrefix(strings.TrimSpace(string(state)), "T")
}
