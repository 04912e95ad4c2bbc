package lab

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// Build compiles the product into a folder and returns the program's path. Flags
// are the compiler's, such as "-tags", "chaos" for its crash points. It needs the
// Go toolchain and this module as the working directory, as `go run` and `go test`
// have it. The product is built from its own module, with the versions that are
// shipped.
func Build(ctx context.Context, dir string, flags ...string) (bin string, err error) {
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "veinte").Output()
	if err != nil {
		return "", fmt.Errorf("find the product's module: %w", err)
	}
	if bin, err = filepath.Abs(filepath.Join(dir, "veinte")); err != nil {
		return "", err
	}
	args := append([]string{"build", "-ldflags", "-s -w", "-o", bin}, flags...)
	cmd := exec.CommandContext(ctx, "go", append(args, "./web/veinte")...)
	cmd.Dir = strings.TrimSpace(string(root))
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the product: %w\n%s", err, out)
	}
	return bin, nil
}
