package sandbox

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// childLedger, when set, makes the test binary a sandbox to be killed.
const childLedger = "SANDBOX_TEST_CHILD_LEDGER"

func TestMain(m *testing.M) {
	if path := os.Getenv(childLedger); path != "" {
		child(path)
		return
	}
	status := m.Run()
	if left := leftGoroutines(); status == 0 && left != "" {
		fmt.Fprintf(os.Stderr, "goroutines left after every sandbox was closed:\n%s\n", left)
		status = 1
	}
	os.Exit(status)
}

// leftGoroutines returns the stacks of sandbox goroutines that have not ended after
// a moment.
func leftGoroutines() string {
	var left []string
	for range 100 {
		stacks := make([]byte, 1<<22)
		stacks = stacks[:runtime.Stack(stacks, true)]
		left = nil
		for stack := range strings.SplitSeq(string(stacks), "\n\n") {
			if strings.Contains(stack, "sandbox.(*") {
				left = append(left, stack)
			}
		}
		if left == nil {
			break
		}
		<-time.After(20 * time.Millisecond)
	}
	return strings.Join(left, "\n\n")
}

// child runs a sandbox and prints its address on standard output.
func child(path string) {
	s, err := New(Config{Addr: "127.0.0.1:0", AccessToken: static, Ledger: path})
	if err != nil {
		panic(err)
	}
	go func() {
		for s.Addr() == "" {
			runtime.Gosched()
		}
		fmt.Println(s.Addr())
	}()
	if err := s.Run(context.Background()); err != nil {
		panic(err)
	}
}

// TestKill kills a sandbox under load: every request with a response must be in its
// ledger, and the ledger must open again.
func TestKill(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger.jsonl")
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), childLedger+"="+path)
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	b := &bundle{tb: t, url: "http://" + strings.TrimSpace(address)}
	b.control("PUT", "/control/terminals/"+serial, `{"merchantId":"`+store+`"}`, 200)
	answered := flood(t, b, func() {
		if err := command.Process.Kill(); err != nil {
			t.Error(err)
		}
	})
	var killed *exec.ExitError
	if err := command.Wait(); !errors.As(err, &killed) {
		t.Fatalf("child ended with %v, want a kill", err)
	}

	b = start(t, noon, func(c *Config) { c.Ledger = path })
	stored := map[string]bool{}
	for _, line := range b.lines(kindRequest) {
		stored[line.OrderID] = true
	}
	for _, order := range answered {
		if !stored[order] {
			t.Errorf("order %s was answered and is not in the ledger", order)
		}
	}
	if b.sandbox.ledger.garbage > 1 {
		t.Errorf("%d unreadable lines, want at most the last", b.sandbox.ledger.garbage)
	}
}

// flood sends orders from several clients until they fail, and calls kill
// after the first hundred answers. It returns the orders that were answered.
func flood(t *testing.T, b *bundle, kill func()) []string {
	var mu sync.Mutex
	var answered []string
	var group sync.WaitGroup
	for client := range 4 {
		group.Go(func() {
			for i := 0; ; i++ {
				order := fmt.Sprintf("o-%d-%d", client, i)
				response, err := b.send("POST", cancelPath, body(order), orderHeaders)
				if err != nil {
					return
				}
				response.Body.Close()
				mu.Lock()
				answered = append(answered, order)
				if len(answered) == 100 {
					kill()
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	if len(answered) < 100 {
		t.Fatalf("only %d orders were answered before the kill", len(answered))
	}
	return answered
}
