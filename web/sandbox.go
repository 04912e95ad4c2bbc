package web

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"veinte/models/goroutine"
	"veinte/web/cancelapi"
	"veinte/web/sandbox"
)

type sandboxCommand struct {
	sandbox.Config `embed:""`
	UntilEOF       bool `name:"until-eof" hidden:"" help:"End when standard input does: how a parent's death is noticed."`
}

func (s *sandboxCommand) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if s.UntilEOF {
		goroutine.Go(nil, "waiting for the end of the standard input", func() {
			defer cancel()
			_, _ = io.Copy(io.Discard, os.Stdin)
		})
	}
	s.Logger = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	box, err := sandbox.New(s.Config)
	if err != nil {
		return fmt.Errorf("start sandbox: %w", err)
	}
	ended := goroutine.Result(nil, "serving the sandbox", func() error { return box.Run(ctx) })
	// The address is known once the sandbox listens.
	for box.Addr() == "" {
		select {
		case err := <-ended:
			return err
		case <-time.After(5 * time.Millisecond):
		}
	}
	fmt.Println("http://" + box.Addr())
	return <-ended
}

// sandboxProcess is the sandbox of the payment service and its terminals. It is a
// program of its own, so that it cannot share our mistakes.
type sandboxProcess struct {
	url   string
	cmd   *exec.Cmd
	stdin io.Closer // closing it lets the child notice that we ended
}

// demoSecrets are random for each run, and unknown outside this machine.
type demoSecrets struct{ results, username, password, clientID, clientSecret string }

func newDemoSecrets() demoSecrets {
	return demoSecrets{results: rand.Text(), username: "demo", password: rand.Text(), clientID: "veinte-demo", clientSecret: rand.Text()}
}

// useSandbox points the settings at a sandbox and nowhere else.
func (s *settings) useSandbox(base string, secrets demoSecrets) {
	s.CancelBaseURL, s.TokenURL = base, ""
	s.CancelPath, s.InquiryPath = cancelapi.DefaultCancelPath, cancelapi.DefaultInquiryPath
	s.TokenMode, s.TokenUsername, s.TokenPassword = "password", secrets.username, secrets.password
	s.TokenClientID, s.TokenClientSecret = secrets.clientID, secrets.clientSecret
	if s.ResultsSecret == "" {
		s.ResultsSecret = secrets.results // the sandbox gets it at every start
	}
}

func startSandbox(secrets demoSecrets, ledger string, offset time.Duration) (*sandboxProcess, error) {
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
	stdin, inErr := cmd.StdinPipe()
	stdout, outErr := cmd.StdoutPipe()
	if err := errors.Join(inErr, outErr); err != nil {
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
func (p *sandboxProcess) control(ctx context.Context, method, path string, body any) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("sandbox %s: %w", path, err)
		}
	}()
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, p.url+path, bytes.NewReader(b))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= http.StatusBadRequest {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 500))
		return fmt.Errorf("%s: %s", resp.Status, text)
	}
	return nil
}
