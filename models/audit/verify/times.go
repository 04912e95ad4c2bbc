package verify

import (
	"fmt"
	"time"

	"veinte/models/audit/sealing"
)

// tooOld is by how much an entry may be older than what was sealed before it, or
// younger than its own checkpoint: clocks of several machines differ, and a
// transaction takes time.
const tooOld = 10 * time.Minute

// leafTimes finds entries whose times are older or younger than their position in
// the trail allows.
type leafTimes struct {
	youngest time.Time        // entry so far
	before   storedCheckpoint // the last checkpoint that the leaves have passed
	caughtUp bool             // it had sealed everything there was
}

// passed processes a checkpoint that the leaves have reached. A checkpoint with
// fewer entries than a full batch had sealed everything there was: what follows it
// was written later.
func (t *leafTimes) passed(c *storedCheckpoint) {
	t.caughtUp = c.size-t.before.size < sealing.MaxSealed
	t.before = *c
}

// judge checks the time of a leaf against its own checkpoint, nil when it has none.
func (t *leafTimes) judge(at time.Time, own *storedCheckpoint) (code, detail string) {
	switch {
	case own != nil && at.After(own.at.Add(tooOld)):
		return FindFutureDated, fmt.Sprintf("its checkpoint is of %s", own.at.UTC().Format(time.RFC3339))
	case at.Before(t.youngest.Add(-tooOld)):
		return FindBackDated, fmt.Sprintf("an entry before it is of %s", t.youngest.UTC().Format(time.RFC3339))
	case own != nil && t.caughtUp && own.era == t.before.era && at.Before(t.before.at.Add(-tooOld)):
		return FindBackDated, fmt.Sprintf("the checkpoint before it is of %s", t.before.at.UTC().Format(time.RFC3339))
	}
	if at.After(t.youngest) {
		t.youngest = at
	}
	return "", ""
}
