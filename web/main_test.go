package web

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"veinte/models/modelstest"
)

// program is the built binary that tests start as processes of their own.
var program string

func TestMain(m *testing.M) {
	if os.Getenv(receiverVariable) != "" {
		runReceiver()
		return
	}
	if os.Getenv(proxyVariable) != "" {
		runProxy()
		return
	}
	dir, err := os.MkdirTemp("", "veinte-program-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	program = filepath.Join(dir, "veinte")
	if out, err := exec.Command("go", "build", "-ldflags", "-s -w", "-o", program, "./veinte").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build: %v\n%s", err, out)
		os.Exit(1)
	}
	code := modelstest.Run(m)
	_ = os.RemoveAll(dir)
	os.Exit(code)
}
