package jobs

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// TestAStopIsNoError: only what is canceled with the server is no error; a job that took
// too long is one.
func TestAStopIsNoError(t *testing.T) {
	var text bytes.Buffer
	log := newQueueLog(slog.New(slog.NewTextHandler(&text, nil))).With("queue", "timers").WithGroup("job")
	stopped, stop := context.WithCancel(t.Context())
	stop()
	late, end := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer end()
	for _, tt := range []struct {
		ctx  context.Context
		want string
	}{{t.Context(), "level=ERROR"}, {late, "level=ERROR"}, {stopped, "level=INFO"}} {
		text.Reset()
		log.ErrorContext(tt.ctx, "Error committing transaction", "error", "conn closed")
		if !strings.Contains(text.String(), tt.want) || !strings.Contains(text.String(), `queue=timers job.error="conn closed"`) {
			t.Errorf("logged %q, want it with %s", text.String(), tt.want)
		}
	}
}
