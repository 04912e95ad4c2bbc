package lab

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
)

// Build compiles the product with its crash points (-tags chaos) into a folder
// and returns the program's path. It needs the Go toolchain and this module as
// the working directory, as `go run` and `go test` have it.
func Build(ctx context.Context, dir string) (bin string, err error) {
	bin = filepath.Join(dir, "veinte-chaos")
	out, err := exec.CommandContext(ctx, "go", "build", "-tags", "chaos", "-ldflags", "-s -w", "-o", bin, "veinte/web").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build the product: %w\n%s", err, out)
	}
	return bin, nil
}
