package results

import (
	"maps"
	"sync"

	"veinte/models"
	"veinte/models/addresses"
)

// counts are the posts since the process began, by what became of them.
type counts struct {
	mu sync.Mutex
	n  map[string]int64
}

func (c *counts) add(kind string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == nil {
		c.n = map[string]int64{}
	}
	c.n[kind]++
}

// Counts returns how many posts there were: own, olderKey, otherTerminal and shared by
// the address at which they came and were stored; wrongSecret, sharedEnded,
// outsideNetworks, tooFast and notStored by why they were not.
func (e *Endpoint) Counts() map[string]int64 {
	e.counts.mu.Lock()
	defer e.counts.mu.Unlock()
	all := map[string]int64{
		"own": 0, "olderKey": 0, "otherTerminal": 0, "shared": 0, "wrongSecret": 0, "sharedEnded": 0, "outsideNetworks": 0,
		"tooFast": 0, "notStored": 0,
	}
	maps.Copy(all, e.counts.n)
	return all
}

// kind is how a stored post is counted.
func (a address) kind(keys *addresses.Keys, p *models.Post) string {
	switch {
	case a.shared:
		return "shared"
	case !p.OwnAddress:
		return "otherTerminal"
	case a.key != keys.Newest():
		return "olderKey"
	}
	return "own"
}
