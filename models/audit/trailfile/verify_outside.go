package trailfile

import (
	"errors"
	"fmt"
	"slices"
)

// outside opens the checkpoints that were stored elsewhere.
func (e *verification) outside() {
	for i, text := range e.check.Checkpoints {
		c, err := Open(text, e.check.Keys)
		which := fmt.Sprintf("checkpoint %d of those given", i+1)
		switch {
		case errors.Is(err, ErrUnknownKey):
			e.whole(UnknownKey, which+": "+err.Error())
		case err != nil:
			e.whole(NoCheckpoint, which+": "+err.Error())
		case c.Origin != e.v.Checkpoint.Origin:
			e.whole(NoCheckpoint, fmt.Sprintf("%s is of another trail, %s", which, c.Origin))
		case c.Size > e.v.Size:
			e.whole(NotComparable, fmt.Sprintf("%s has %d entries and is from %s, the file's has %d: the file is older, or the trail was cut since; verify a new export",
				which, c.Size, c.Time.Format(timeFormat), e.v.Size))
		default:
			e.kept = append(e.kept, c)
		}
	}
	slices.SortStableFunc(e.kept, func(a, b Checkpoint) int { return int(max(-1, min(1, a.Size-b.Size))) })
	e.compare()
}

const timeFormat = "2006-01-02 15:04:05Z"

// compare compares the tree with the checkpoints of its size.
func (e *verification) compare() {
	for len(e.kept) > 0 && e.kept[0].Size <= e.tree.Size {
		c := e.kept[0]
		e.kept = e.kept[1:]
		switch {
		case c.Size < e.tree.Size:
			e.whole(NotComparable, fmt.Sprintf("the one of %d entries ends among entries that were left out; verify a complete export", c.Size))
		case c.Root != e.tree.Root():
			e.v.Compared++
			e.whole(OtherTrail, fmt.Sprintf("that of %d entries, %s: something from n %d to n %d is not what it was", c.Size, c.Time.Format(timeFormat), e.good, c.Size-1))
		default:
			e.v.Compared++
			e.good = c.Size
		}
	}
}
