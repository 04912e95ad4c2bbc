package export

import (
	"time"
)

// zoneCache puts instants into a zone. The same instant is asked for twice.
type zoneCache struct {
	zone     *time.Location
	of, then time.Time
}

func (z *zoneCache) in(t time.Time) time.Time {
	if !t.Equal(z.of) {
		z.of, z.then = t, t.In(z.zone)
	}
	return z.then
}
