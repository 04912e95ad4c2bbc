package lab

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// BuildForChaos returns the product with its crash points: the program that
// VEINTE_CHAOS_BIN names, else one built into the folder.
func BuildForChaos(ctx context.Context, dir string) (bin string, err error) {
	if named := os.Getenv("VEINTE_CHAOS_BIN"); named != "" {
		return named, nil
	}
	return Build(ctx, dir, "-tags", "chaos")
}

// Build compiles the product into a folder and returns the program's path. Flags are
// the compiler's. It needs the Go toolchain and this module as the working
// directory, as with `go run` and `go test`. It builds the product's own module,
// with the released versions of its dependencies.
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
