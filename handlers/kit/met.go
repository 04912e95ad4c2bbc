package kit

import (
	"crypto/sha256"
	"sync"
)

// met remembers who read a page a moment ago, by session. It grants nothing: a page that is
// made by it is sent only when the session still says the same.
type met struct {
	mu sync.Mutex
	of map[[sha256.Size]byte]found
}

// maxMet is how many are remembered. Then all are met anew, at a round trip each.
const maxMet = 10_000

func (m *met) reader(token string) (found, bool) {
	if token == "" {
		return found{}, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	f, ok := m.of[sha256.Sum256([]byte(token))]
	f.Token = token
	return f, ok
}

func (m *met) remember(f found) {
	key := sha256.Sum256([]byte(f.Token))
	f.Token = "" // no secret stays in memory
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.of == nil || len(m.of) >= maxMet {
		m.of = map[[sha256.Size]byte]found{}
	}
	m.of[key] = f
}
