package crashpoint_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

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

// passesVariable makes this test program one that passes a point twice and says so, while
// its other threads are awake.
const passesVariable = "VEINTE_TEST_PASSES"

func TestMain(m *testing.M) {
	if os.Getenv(passesVariable) == "" {
		os.Exit(m.Run())
	}
	for range 4 {
		go func() {
			for {
				time.Sleep(time.Millisecond)
			}
		}()
	}
	crashpoint.Here(crashpoint.AfterDial)
	fmt.Println("1 point passed")
	crashpoint.Here(crashpoint.AfterDial)
	fmt.Println("2 points passed")
}

// A process that stands still at a point stops there and not a moment later, until it is
// told to go on. Then it goes on at once: it does not even use its processor meanwhile.
// Which of its threads the kernel picks is chance, so there are several processes.
func TestAFrozenProcessGoesOn(t *testing.T) {
	t.Parallel()
	bin := filepath.Join(t.TempDir(), "freezes")
	out, err := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-tags", "chaos", "-o", bin, ".").CombinedOutput()
	if err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	for n := range 6 {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			freezeOnce(t, bin)
		})
	}
}

func freezeOnce(t *testing.T, bin string) {
	t.Helper()
	said, err := os.Create(filepath.Join(t.TempDir(), "said"))
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	says := func(want string) {
		t.Helper()
		if got, err := os.ReadFile(said.Name()); err != nil || string(got) != want {
			t.Errorf("it says %q, %v, want %q", got, err, want)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, bin)
	cmd.Env, cmd.Stdout = []string{crashpoint.FreezeVariable + "=afterDial:2", passesVariable + "=on"}, said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(cmd.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
		t.Fatalf("the process is not frozen: %v, %v", status, err)
	}
	says("1 point passed\n")
	if err := cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("up to a minute after it was told to go on: %v", err)
	}
	if used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(); used > 200*time.Millisecond {
		t.Errorf("it used its processor for %s", used)
	}
	says("1 point passed\n2 points passed\n")
}
