package cancelapi

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// bakery is a token operation that counts: its tokens are "loaf-1", "loaf-2"...
type bakery struct {
	baked atomic.Int32
	life  time.Duration
	err   error
	hold  chan struct{} // when not nil, a fetch waits for it to close
}

func (b *bakery) fetch(ctx context.Context) (fetched, error) {
	n := b.baked.Add(1)
	if b.hold != nil {
		select {
		case <-b.hold:
		case <-ctx.Done():
		}
	}
	if ctx.Err() != nil {
		return fetched{}, ctx.Err()
	}
	return fetched{token: fmt.Sprintf("loaf-%d", n), life: b.life}, b.err
}

func (b *bakery) cache(clock *fakeClock) *tokenCache {
	return &tokenCache{fetch: b.fetch, clock: clock, timeout: 10 * time.Second}
}

func wantToken(tb testing.TB, c *tokenCache, want string) {
	tb.Helper()
	if got, err := c.Token(tb.Context()); got != want || err != nil {
		tb.Errorf("Token() = %q, %v; want %q", got, err, want)
	}
}

func TestFiftyWaitForOneToken(t *testing.T) {
	t.Parallel()
	b := &bakery{hold: make(chan struct{})}
	cache := b.cache(newFakeClock(nearly8))
	var all, started sync.WaitGroup
	started.Add(50)
	for range 50 {
		all.Go(func() {
			started.Done()
			wantToken(t, cache, "loaf-1")
		})
	}
	started.Wait()
	close(b.hold)
	all.Wait()
	if n := b.baked.Load(); n != 1 {
		t.Errorf("%d fetches for 50 callers, want 1", n)
	}
}

func TestFiftyRefusedWithOneTokenFetchOneFreshOne(t *testing.T) {
	t.Parallel()
	b := new(bakery)
	cache := b.cache(newFakeClock(nearly8))
	wantToken(t, cache, "loaf-1")
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			cache.Invalidate("loaf-1")
			wantToken(t, cache, "loaf-2")
		})
	}
	all.Wait()
	if n := b.baked.Load(); n != 2 {
		t.Errorf("%d fetches, want 2", n)
	}
}

func TestACallerWhoLeavesDoesNotStopTheFetch(t *testing.T) {
	t.Parallel()
	b := &bakery{hold: make(chan struct{})}
	cache := b.cache(newFakeClock(nearly8))
	hasty, leave := context.WithCancel(t.Context())
	leave()
	if _, err := cache.Token(hasty); !errors.Is(err, context.Canceled) {
		t.Errorf("Token() of a caller who left = %v, want %v", err, context.Canceled)
	}
	close(b.hold)
	wantToken(t, cache, "loaf-1")
}

func TestTokensEndBeforeTheyExpire(t *testing.T) {
	t.Parallel()
	tests := []struct {
		fact       string
		life, good time.Duration
	}{
		{"a minute early", 12 * time.Hour, 12*time.Hour - time.Minute},
		{"a tenth early when they are short", time.Minute, 54 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			clock := newFakeClock(nearly8)
			cache := (&bakery{life: tt.life}).cache(clock)
			wantToken(t, cache, "loaf-1")
			clock.add(tt.good - 1)
			wantToken(t, cache, "loaf-1")
			clock.add(1)
			wantToken(t, cache, "loaf-2")
		})
	}
}

func TestATokenWithoutALifeLivesUntilItIsRefused(t *testing.T) {
	t.Parallel()
	clock := newFakeClock(nearly8)
	cache := new(bakery).cache(clock)
	wantToken(t, cache, "loaf-1")
	clock.add(1000 * time.Hour)
	wantToken(t, cache, "loaf-1")
	cache.Invalidate("another")
	wantToken(t, cache, "loaf-1")
	cache.Invalidate("loaf-1")
	wantToken(t, cache, "loaf-2")
}

func TestAFailureIsNotRepeatedForASecond(t *testing.T) {
	t.Parallel()
	clock := newFakeClock(nearly8)
	b := &bakery{err: errors.New("the oven is cold")}
	cache := b.cache(clock)
	fails := func(baked int32) {
		t.Helper()
		if _, err := cache.Token(t.Context()); !errors.Is(err, b.err) || b.baked.Load() != baked {
			t.Errorf("Token() = %v after %d fetches; want %v after %d", err, b.baked.Load(), b.err, baked)
		}
	}
	fails(1)
	clock.add(tokenBackoff - 1)
	fails(1)
	clock.add(1)
	fails(2)
	clock.add(-time.Hour) // set back
	fails(3)
	b.err = nil
	clock.add(tokenBackoff)
	wantToken(t, cache, "loaf-4")
}

func TestAFetchEndsByItself(t *testing.T) {
	t.Parallel()
	cache := (&bakery{hold: make(chan struct{})}).cache(newFakeClock(nearly8))
	cache.timeout = 20 * time.Millisecond
	if _, err := cache.Token(t.Context()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Token() = %v, want %v", err, context.DeadlineExceeded)
	}
}

func TestAPanicIsAFailureWithoutItsWords(t *testing.T) {
	t.Parallel()
	cache := new(bakery).cache(newFakeClock(nearly8))
	cache.fetch = func(context.Context) (fetched, error) { panic("secret-word") }
	_, err := cache.Token(t.Context())
	if err == nil {
		t.Fatal("Token() = nil error")
	}
	wantNoSecret(t, err.Error(), "secret-word")
}
