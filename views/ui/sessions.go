package ui

import (
	"context"
	"time"

	"veinte/views/locale"
)

// SessionLine is an open session in a list.
type SessionLine struct {
	ID            int64
	Agent         string // the browser, as people call it; "" when it is not known
	Address       string
	Since, SeenAt time.Time
	Own           bool // on a device that its person said is theirs
	Current       bool // the reader's own
}

// DeviceLine is a browser in a list of those by which a person is known.
type DeviceLine struct {
	ID            int64
	Agent         string // as people call it; "" when it is not known
	Address       string // of the person's last sign-in there
	Since, UsedAt time.Time
	Own           bool // they said that it is theirs
	Open          bool // they have a session there
	Current       bool // the reader's own
}

// AgentWord is a browser as people call it.
func AgentWord(ctx context.Context, agent string) string {
	if agent == "" {
		return locale.T(ctx, "sessions.unknown")
	}
	return agent
}
