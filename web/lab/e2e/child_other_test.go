//go:build !linux

package e2e

import "syscall"

// childAttr puts a child into a group of its own, so that Ctrl-C is ours to
// pass on.
func childAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
