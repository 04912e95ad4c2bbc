package lineage

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// Sent is an attempt that this process has committed and may have sent.
type Sent struct {
	CancellationID int64
	Number         int
	KeyHash        string
	OrderID        string
	SerialNumber   models.SerialNumber
	At             time.Time
}

// The memory of what was sent is bounded: a sale can be canceled on its day only, and
// a process sends no more than that in some hours.
const (
	rememberFor  = 24 * time.Hour
	rememberMost = 20000
)

// memory is what this process has sent, oldest first.
type memory struct {
	mu   sync.Mutex
	sent []Sent
}

// Remember stores what this process is about to send.
func (s *Service) Remember(sent Sent) {
	m := &s.sent
	m.mu.Lock()
	defer m.mu.Unlock()
	old := 0
	for old < len(m.sent) && (len(m.sent)-old >= rememberMost || sent.At.Sub(m.sent[old].At) > rememberFor) {
		old++
	}
	m.sent = append(slices.Delete(m.sent, 0, old), sent)
}

func (m *memory) all() []Sent {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.sent)
}

// forget leaves out what was found to be missing: it is recorded.
func (m *memory) forget(lost []Sent) {
	if len(lost) == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sent = slices.DeleteFunc(m.sent, func(x Sent) bool {
		return slices.ContainsFunc(lost, func(l Sent) bool { return l.KeyHash == x.KeyHash })
	})
}

// missing returns what this process has sent and the database does not have.
func (s *Service) missing(ctx context.Context) ([]Sent, error) {
	all := s.sent.all()
	if len(all) == 0 {
		return nil, nil
	}
	hashes := make([]string, len(all))
	for i := range all {
		hashes[i] = all[i].KeyHash
	}
	rows, err := database.Rows[struct{ Hash string }](ctx, s.DB.Pool(), `SELECT h.hash FROM unnest($1::text[]) AS h(hash)
		WHERE NOT EXISTS (SELECT FROM attempts WHERE key_hash = h.hash)`, hashes)
	if err != nil {
		return nil, fmt.Errorf("compare what was sent with the database: %w", err)
	}
	gone := make(map[string]bool, len(rows))
	for _, r := range rows {
		gone[r.Hash] = true
	}
	return slices.DeleteFunc(all, func(x Sent) bool { return !gone[x.KeyHash] }), nil
}
