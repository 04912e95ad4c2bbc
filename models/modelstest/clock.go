package modelstest

import (
	"sync"
	"testing"
	"time"

	"veinte/models"
)

// Clock is a clock that does not advance until it is set.
type Clock struct {
	mu    sync.Mutex
	now   time.Time
	wrong time.Duration
}

var _ models.Clock = (*Clock)(nil)

// NewClock returns a clock that shows the instant.
func NewClock(now time.Time) *Clock { return &Clock{now: now} }

// Now returns the instant that the clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Set puts the clock to an instant.
func (c *Clock) Set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

// Advance moves the clock on.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// At reads an instant as RFC 3339, such as 2026-11-20T12:00:00-06:00.
func At(tb testing.TB, s string) time.Time {
	tb.Helper()
	at, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		tb.Fatalf("instant %q: %v", s, err)
	}
	return at
}

// Skew moves the clock ahead by mistake: the database's does not go with it.
func (c *Clock) Skew(ahead time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now, c.wrong = c.now.Add(ahead), c.wrong+ahead
}

// Shift is how far the clock is from the real one on purpose.
func (c *Clock) Shift() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Until(c.now.Add(-c.wrong))
}

// SetClockOffset has the office's database hold how far the office's clock is from its
// own: the clock stands still, so this holds for some seconds.
func SetClockOffset(tb testing.TB, o *Office) {
	tb.Helper()
	Exec(tb, o.Owner, `INSERT INTO installation (kind, marked_at, clock_offset)
		SELECT 'demo', $1::timestamptz, $1::timestamptz - clock_timestamp()
		ON CONFLICT (one) DO UPDATE SET clock_offset = excluded.clock_offset`, o.Clock.Now())
}
