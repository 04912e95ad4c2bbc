package cancelapi

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"veinte/models"
	"veinte/models/goroutine"
	"veinte/models/operations"
)

const (
	// tokenBackoff is how long a failure to fetch a token is returned again
	// without another try. Many waiting orders must not overload a token
	// operation that is down, or get the account locked.
	tokenBackoff = time.Second

	// tokenMargin is how long before its expiry a token is no longer used, at
	// most a tenth of its life: it must still be valid when the service reads
	// it.
	tokenMargin = time.Minute
)

// fetched is a token and its remaining life; 0 means that it is unknown.
type fetched struct {
	token string
	life  time.Duration
}

// tokenCache caches one token and fetches a new one when needed, once for all
// callers that wait for it.
type tokenCache struct {
	unprinted
	fetch   func(ctx context.Context) (fetched, error)
	clock   models.Clock
	timeout time.Duration // of one fetch
	host    string        // of the token operation

	mu       sync.Mutex
	token    string
	until    time.Time // zero: until the service refuses it
	ends     time.Time // as stated by the service; zero: it stated nothing
	failure  error     // of the last fetch; nil when it succeeded
	failedAt time.Time
	flight   *flight                                   // nil while nothing is being fetched
	dates    func(date string, began, ended time.Time) // called with the dates of responses; nil: nobody needs them
}

// flight is a fetch in progress. Its result may be read once done is closed.
type flight struct {
	done  chan struct{}
	token string
	err   error
}

// Token implements TokenSource. A caller who stops waiting does not cancel the fetch
// for the others.
func (c *tokenCache) Token(ctx context.Context) (string, error) {
	token, flight, err := c.cached(ctx)
	if flight == nil {
		return token, err
	}
	select {
	case <-flight.done:
		return flight.token, flight.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// cached returns the cached token or failure, else the flight to wait for.
func (c *tokenCache) cached(ctx context.Context) (string, *flight, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.clock.Now()
	if c.token != "" && (c.until.IsZero() || now.Before(c.until)) {
		return c.token, nil, nil
	}
	if c.flight != nil {
		return "", c.flight, nil
	}
	// A clock that was set back must not prolong the back-off.
	if since := now.Sub(c.failedAt); c.failure != nil && since >= 0 && since < tokenBackoff {
		return "", nil, c.failure
	}
	c.flight = &flight{done: make(chan struct{})}
	flying, f := context.WithoutCancel(ctx), c.flight
	goroutine.Go(nil, "fetching a token", func() { c.fly(flying, f) })
	return "", c.flight, nil
}

// fly fetches for all callers, so it has its own timeout and does not end with the
// caller who started it.
func (c *tokenCache) fly(ctx context.Context, f *flight) {
	ctx, stop := context.WithTimeout(ctx, c.timeout)
	defer stop()
	got, err := c.fetchSafely(ctx)

	c.mu.Lock()
	defer c.mu.Unlock()
	defer close(f.done)
	f.token, f.err = got.token, err
	c.flight, c.failure, c.failedAt = nil, err, c.clock.Now()
	c.store(got)
}

// store sets a token as the current one; an empty one clears it.
func (c *tokenCache) store(got fetched) {
	c.token, c.until, c.ends = got.token, time.Time{}, time.Time{}
	if got.life > 0 {
		c.ends = c.clock.Now().Add(got.life)
		c.until = c.ends.Add(-min(tokenMargin, got.life/10))
	}
}

// Renew always fetches a new token and stores it, because the service may invalidate
// the older one from then on. When fetching fails, the older one stays.
func (c *tokenCache) Renew(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, c.timeout)
	defer stop()
	got, err := c.fetchSafely(ctx)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failure = nil
	c.store(got)
	return nil
}

// State implements renewer.
func (c *tokenCache) State() operations.TokenState {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := operations.TokenState{Fetched: true, Ends: c.ends}
	s.Cached = c.token != "" && (c.until.IsZero() || c.clock.Now().Before(c.until))
	if c.failure != nil {
		s.FailedAt = c.failedAt
	}
	return s
}

func (c *tokenCache) fetchSafely(ctx context.Context) (got fetched, err error) {
	defer func() {
		if recover() != nil { // the panic's value may contain secrets
			got, err = fetched{}, errors.New("fetching a token panicked")
		}
	}()
	got, err = c.fetch(ctx)
	if err == nil {
		err = checkToken(got.token)
	}
	if err != nil {
		return fetched{}, err
	}
	return got, nil
}

// datedTransport reports the Date headers of its responses.
type datedTransport struct {
	http.RoundTripper
	cache *tokenCache
}

// RoundTrip measures from before it connects, so the measured round trip is longer
// than the real one. That error is on the safe side.
func (t datedTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	began := t.cache.clock.Now()
	resp, err := t.RoundTripper.RoundTrip(req)
	if err != nil {
		return resp, err
	}
	ended := t.cache.clock.Now()
	t.cache.mu.Lock()
	report := t.cache.dates
	t.cache.mu.Unlock()
	if report != nil {
		report(resp.Header.Get("Date"), began, ended)
	}
	return resp, nil
}

// Invalidate implements TokenSource.
func (c *tokenCache) Invalidate(token string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.token == token {
		c.token = ""
	}
}
