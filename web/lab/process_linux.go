package lab

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// dieWithParent makes the kernel stop the child when this program is killed and
// cannot do it itself.
func dieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// ChildrenOf lists the processes whose parent is pid.
func ChildrenOf(pid int) (children []int) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is well formed
	for _, stat := range stats {
		if fields := statOf(stat); len(fields) > 1 && fields[1] == strconv.Itoa(pid) {
			if child, err := strconv.Atoi(filepath.Base(filepath.Dir(stat))); err == nil {
				children = append(children, child)
			}
		}
	}
	return children
}

// statOf returns the state and the parent of a process, and what follows, from its file;
// none when it has ended.
func statOf(file string) []string {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	// The name before them is in parentheses and may contain any character.
	return strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
}

// stopped reports whether a process is stopped by a signal.
func stopped(pid int) bool {
	fields := statOf("/proc/" + strconv.Itoa(pid) + "/stat")
	return len(fields) > 0 && fields[0] == "T"
}
