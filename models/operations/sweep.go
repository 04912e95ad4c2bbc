package operations

import (
	"context"
	"errors"
)

// Sweeper looks after what one part of the product left behind: a restored backup,
// a lost task, a process that died.
type Sweeper func(context.Context) error

// Sweep has each part look once, in order. One that fails holds up no other.
func Sweep(ctx context.Context, parts []Sweeper) error {
	failures := make([]error, 0, len(parts))
	for _, sweep := range parts {
		failures = append(failures, sweep(ctx))
	}
	return errors.Join(failures...)
}

// Sweep looks after everything, as if all its tasks had just come due.
func (s *Service) Sweep(ctx context.Context) error { return Sweep(ctx, s.sweepers) }
