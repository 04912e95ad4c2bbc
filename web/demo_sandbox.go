package web

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// sandboxProcess is the sandbox of the payment service and its terminals. It is a
// program of its own, so that it cannot share our mistakes.
type sandboxProcess struct {
	url   string
	cmd   *exec.Cmd
	stdin io.Closer // closing it lets the child notice that we ended
}

func startSandbox(ctx context.Context, secrets demoSecrets, ledger string, offset time.Duration) (*sandboxProcess, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	cmd := exec.Command(self, "sandbox", "--addr", "127.0.0.1:0", "--ledger", ledger, "--until-eof", "--clock-offset="+offset.String())
	cmd.Env = append(os.Environ(),
		"SANDBOX_USERNAME="+secrets.username, "SANDBOX_PASSWORD="+secrets.password,
		"SANDBOX_CLIENT_ID="+secrets.clientID, "SANDBOX_CLIENT_SECRET="+secrets.clientSecret)
	cmd.Stderr = os.Stderr
	// Ctrl-C must not stop the sandbox: we stop it last.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start sandbox: %w", err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start sandbox: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start sandbox: %w", err)
	}
	url, err := bufio.NewReader(stdout).ReadString('\n')
	p := &sandboxProcess{url: strings.TrimSpace(url), cmd: cmd, stdin: stdin}
	if err != nil {
		p.stop()
		return nil, fmt.Errorf("start sandbox: it ended: %w", err)
	}
	return p, nil
}

func (p *sandboxProcess) stop() {
	_ = p.stdin.Close()
	_ = p.cmd.Wait() // its exit status is of no interest
}

// control sends a JSON request to the sandbox's control endpoints.
func (p *sandboxProcess) control(ctx context.Context, method, path string, body any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("sandbox %s: %w", path, err)
	}
	req, err := http.NewRequestWithContext(ctx, method, p.url+path, bytes.NewReader(b))
	if err != nil {
		return fmt.Errorf("sandbox %s: %w", path, err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("sandbox %s: %w", path, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode >= http.StatusBadRequest {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 500))
		return fmt.Errorf("sandbox %s: %s: %s", path, resp.Status, text)
	}
	return nil
}
