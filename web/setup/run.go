package setup

import (
	"context"
	"os"
	"os/exec"
	"strings"
)

// run runs a program with these variables and no others, and returns what it said on
// standard error.
func run(ctx context.Context, env []string, name string, args ...string) (said string, err error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, env...)
	var errs strings.Builder
	cmd.Stderr = &errs
	err = cmd.Run()
	if said = strings.TrimSpace(errs.String()); err != nil && said == "" {
		said = err.Error() // it did not even run
	}
	return said, err
}
