package crashpoint_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"veinte/models/crashpoint"
)

// The released program cannot be armed: it does not even contain the variable's
// name. The program for the experiments can.
func TestOnlyExperimentsHavePoints(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		tags string
		want bool
	}{{"", false}, {"chaos", true}} {
		t.Run("tags="+tt.tags, func(t *testing.T) {
			t.Parallel()
			bin := filepath.Join(t.TempDir(), "veinte")
			out, err := exec.CommandContext(t.Context(), "go", "build", "-tags", tt.tags, "-o", bin, "veinte/web/veinte").CombinedOutput()
			if err != nil {
				t.Fatalf("build: %v\n%s", err, out)
			}
			program, err := os.ReadFile(bin)
			if err != nil {
				t.Fatal(err)
			}
			for _, variable := range []string{crashpoint.Variable, crashpoint.ClockErrorVariable, crashpoint.ClockBlindVariable} {
				if got := bytes.Contains(program, []byte(variable)); got != tt.want {
					t.Errorf("the program knows %s: %t, want %t", variable, got, tt.want)
				}
			}
		})
	}
}
