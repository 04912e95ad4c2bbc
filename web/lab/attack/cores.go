package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// coreOfStrangers is set for a run whose strangers have a core for themselves.
const coreOfStrangers = "ATTACK_STRANGERS_CORE"

func strangersCore() (core string, apart bool) {
	core = os.Getenv(coreOfStrangers)
	return core, core != ""
}

// apart begins the program anew on all cores but the last, with all that it starts but the
// strangers, who come from other machines. It returns where cores cannot be shared out, and
// in that run. Of two cores the server and PostgreSQL then have one.
func apart() {
	taskset, err := exec.LookPath("taskset")
	last := runtime.NumCPU() - 1
	if _, done := strangersCore(); err != nil || done || last < 1 {
		return
	}
	env := append(os.Environ(), fmt.Sprintf("%s=%d", coreOfStrangers, last))
	args := append([]string{"taskset", "-c", fmt.Sprintf("0-%d", last-1)}, os.Args...)
	if err := syscall.Exec(taskset, args, env); err != nil {
		fmt.Fprintln(os.Stderr, "attack: the strangers share the server's cores:", err)
	}
}

// cores is how long the processors worked for whom, in seconds.
type cores struct{ server, strangers, own float64 }

// used reads what they have worked so far. What is left of the processors is
// PostgreSQL's, or idle.
func (s *shop) used() cores {
	var own, children syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &own)
	_ = syscall.Getrusage(syscall.RUSAGE_CHILDREN, &children) // strangers that are done
	return cores{s.at.CPU().Seconds(), cpu(&children).Seconds(), cpu(&own).Seconds()}
}

func cpu(u *syscall.Rusage) time.Duration {
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func (c cores) since(before cores) cores {
	return cores{c.server - before.server, c.strangers - before.strangers, c.own - before.own}
}

func (c cores) print(lasted time.Duration) {
	n := lasted.Seconds() * float64(runtime.NumCPU()) / 100
	fmt.Printf("flood: of %d processors the server had %.0f %%, the strangers %.0f %%, who measures %.0f %%\n",
		runtime.NumCPU(), c.server/n, c.strangers/n, c.own/n)
}
