package e2e

import "syscall"

// childAttr puts a child into a group of its own, so that Ctrl-C is ours to
// pass on, and stops it when this process dies without doing so.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGINT}
}
