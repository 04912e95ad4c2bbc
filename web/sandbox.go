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
