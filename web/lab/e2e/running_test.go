package e2e

import (
	"bytes"
	"slices"
	"sync"
)

// started are the servers that run now.
var started servers

type servers struct {
	mu  sync.Mutex
	now []*server
}

func (r *servers) add(s *server) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = append(r.now, s)
}

func (r *servers) remove(s *server) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = slices.DeleteFunc(r.now, func(other *server) bool { return other == s })
}

func (r *servers) all() []*server {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.now)
}

// tabs closes what is open on a server: a page asks on while its server stops.
type tabs struct {
	mu    sync.Mutex
	close []func()
}

func (o *tabs) add(shut func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.close = append(o.close, shut)
}

// lockedBuffer is written by the process and read by tests.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
