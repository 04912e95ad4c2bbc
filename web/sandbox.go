package web

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"veinte/models/goroutine"
	"veinte/web/sandbox"
)

type sandboxCommand struct {
	Addr         string        `default:"127.0.0.1:8021" help:"Where to listen; port 0 takes a free one, which is printed."`
	Ledger       string        `default:"sandbox.jsonl" help:"Append-only file of everything received; empty for none."`
	ResponseURL  string        `name:"response-url" help:"Where terminals post, such as http://127.0.0.1:8020/results/SECRET."`
	AccessToken  string        `env:"SANDBOX_ACCESS_TOKEN" help:"A token that is always good."`
	Username     string        `env:"SANDBOX_USERNAME" help:"Of the token operation."`
	Password     string        `env:"SANDBOX_PASSWORD" help:"Of the token operation."`
	ClientID     string        `env:"SANDBOX_CLIENT_ID" help:"Of the token operation."`
	ClientSecret string        `env:"SANDBOX_CLIENT_SECRET" help:"Of the token operation."`
	ClockOffset  time.Duration `help:"How far the service's clock is from the real one."`
	Latency      time.Duration `default:"150ms" help:"Typical time to acknowledge."`
	ResultDelay  time.Duration `default:"4s" help:"Typical time a terminal takes to post its result."`
	AnyHour      bool          `name:"any-hour" hidden:"" help:"Terminals cancel at any hour of any day, for experiments that run at night."`
	UntilEOF     bool          `name:"until-eof" hidden:"" help:"End when standard input does: how a parent's death is noticed."`
}

// Run serves until ctx ends.
func (s *sandboxCommand) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if s.UntilEOF {
		goroutine.Go(nil, "waiting for the end of the standard input", func() {
			defer cancel()
			_, _ = io.Copy(io.Discard, os.Stdin)
		})
	}
	box, err := sandbox.New(sandbox.Config{
		Addr: s.Addr, Ledger: s.Ledger, ResponseURL: s.ResponseURL, AccessToken: s.AccessToken,
		Username: s.Username, Password: s.Password, ClientID: s.ClientID, ClientSecret: s.ClientSecret,
		ClockOffset: s.ClockOffset, AnyHour: s.AnyHour, Latency: s.Latency, ResultDelay: s.ResultDelay,
		Logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
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
