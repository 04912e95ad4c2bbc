package ui

import (
	"context"
)

// FrameKey is the key of the page that a page of the gallery stands in.
type FrameKey struct{}

// inFrame is the page as its frame needs it: on the gallery it can be switched to
// another language, and nothing on it asks the server by itself.
func (p Page) inFrame(ctx context.Context) Page {
	if frame, ok := ctx.Value(FrameKey{}).(Page); ok {
		p.CSRF, p.Path, p.Demo, p.Still = frame.CSRF, frame.Path, frame.Demo, true
	}
	return p
}

// LookedAt reports whether the page is only looked at.
func (p Page) LookedAt(ctx context.Context) bool { return p.inFrame(ctx).Still }
