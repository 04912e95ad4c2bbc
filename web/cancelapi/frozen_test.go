package cancelapi

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"veinte/models"
)

// frozenVariable makes this test program a process that is frozen while it sends an
// order to the address that the variable names.
const frozenVariable = "VEINTE_TEST_FROZEN"

// frozenWait is the deadline of its attempt.
const frozenWait = 500 * time.Millisecond

// frozenChild sends one order and stops itself with SIGSTOP between connecting and the
// first byte. It prints its deadline before, and the reply afterwards.
func frozenChild(address string) {
	client, err := New(Config{BaseURL: "http://" + address, Tokens: StaticToken(testToken), Timeout: 2 * time.Second})
	if err != nil {
		panic(err)
	}
	order := anOrder(func(o *models.Order) { o.Deadline = time.Now().Add(frozenWait) })
	client.dialer.connect = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		fmt.Println(order.Deadline.UnixNano())
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		for time.Now().Before(order.Deadline) {
			runtime.Gosched() // another thread takes the signal, a moment later
		}
		return conn, err
	}
	// No timer ends it: those of a suspended machine stand still.
	_ = json.NewEncoder(os.Stdout).Encode(client.Cancel(context.Background(), order))
}

// TestAFrozenProcessSendsNothingLate stops a real process between connecting and the
// first byte, until its attempt's deadline is past, and has it go on. What arrives is
// counted by the other side.
func TestAFrozenProcessSendsNothingLate(t *testing.T) {
	t.Parallel()
	for range 3 {
		heard := make(chan int64, 1)
		address := listen(t, func(conn net.Conn) {
			n, _ := io.Copy(io.Discard, conn)
			heard <- n
		})
		child := exec.CommandContext(t.Context(), os.Args[0])
		child.Env = append(os.Environ(), frozenVariable+"="+address)
		child.Stderr = os.Stderr
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(out)
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("the child said nothing: %v", err)
		}
		nanos, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
		if err != nil {
			t.Fatalf("the child said %q", line)
		}
		<-time.After(time.Until(time.Unix(0, nanos).Add(frozenWait)))
		if err := child.Process.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		var got models.Reply
		if err := json.NewDecoder(lines).Decode(&got); err != nil {
			t.Fatalf("the child's reply: %v", err)
		}
		if err := child.Wait(); err != nil {
			t.Fatal(err)
		}
		wantReply(t, got, models.MeaningNotSent, models.DetailInterrupted)
		if n := <-heard; n != 0 {
			t.Errorf("%d bytes left %s after the deadline", n, frozenWait)
		}
	}
}
