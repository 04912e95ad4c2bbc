package operations

import (
	"context"
	"errors"
)

// Sweeper repairs what one part of the product left unfinished, after a restored
// backup, a lost task or a dead process.
type Sweeper func(context.Context) error

// Sweep runs each part once, in order. A failure does not stop the others.
func Sweep(ctx context.Context, parts []Sweeper) error {
	failures := make([]error, 0, len(parts))
	for _, sweep := range parts {
		failures = append(failures, sweep(ctx))
	}
	return errors.Join(failures...)
}

// Sweep runs all sweepers, as if all tasks had just come due.
func (s *Service) Sweep(ctx context.Context) error { return Sweep(ctx, s.sweepers) }
