//go:build !linux

package lab

import "syscall"

// dieWithParent does nothing: only Linux has the signal.
func dieWithParent() *syscall.SysProcAttr { return nil }

// childrenOf returns none: elsewhere a postmaster's children notice its end
// themselves.
func childrenOf(int) []int { return nil }
