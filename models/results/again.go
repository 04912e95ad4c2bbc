package results

import (
	"context"
	"time"

	"veinte/models/goroutine"
)

// againAfter are the waits before a stored post whose reading failed is read again. A
// cashier looks for the sale at once; the sweep comes only after pendingAfter.
var againAfter = []time.Duration{100 * time.Millisecond, 300 * time.Millisecond, 800 * time.Millisecond, 1600 * time.Millisecond}

// interpretAgain reads a post again in the background, a few times within three
// seconds: a deadlock, or a sale that somebody holds, passes in less. What fails then
// too is left to the sweep.
func (s *Service) interpretAgain(ctx context.Context, id int64) {
	goroutine.Go(s.log, "reading a result again", func() {
		for _, wait := range againAfter {
			time.Sleep(wait)
			if s.Interpret(ctx, id) == nil {
				return
			}
		}
	})
}
