package entrance

import (
	"context"
	"sync"
	"time"

	"veinte/models"
)

// ErrSignInBusy is the refusal of a sign-in for which there is no place: others wait.
var ErrSignInBusy = &models.Error{Kind: models.KindTooMany, Code: "error.signInBusy"}

// SignInRetry is after how long whoever found no place may try again.
const SignInRetry = 5 * time.Second

// A password costs 19 MiB and most of a core for some hundredths of a second, so few are
// computed at the same time and few wait: a line that is longer than its people's
// patience is computed for nobody. Strangers may use one of the two cores at most, so
// that a device that has signed in before finds the other free, and pages are answered.
const (
	strangersInLine = 8
	perNetwork      = 4 // of those, from one network
	devicesInLine   = 32
	devicesOfOne    = 12 // of those, from one network: a shop has few, and one person could collect many
	perDevice       = 1
	longestWait     = 8 * time.Second
	lookAround      = 100 * time.Millisecond // how often it is looked whether a client has hung up
)

// door lets people to the computing of their passwords, in two lanes: devices that have
// signed in before, which nobody can imitate, and everybody else.
type door struct {
	mu      sync.Mutex
	waiting map[string]int // by network, device and network of devices
	lanes   [2]int         // how many are in each
	slots   [2]chan struct{}
}

const (
	strangers = iota
	devices
)

func newDoor() *door {
	return &door{waiting: map[string]int{}, slots: [2]chan struct{}{make(chan struct{}, 1), make(chan struct{}, 1)}}
}

// Place is a place in the line of those who sign in.
type Place struct {
	door   *door
	lane   int
	as     []string // by what it is counted
	device *device  // nil: unknown
	once   sync.Once
}

// enter takes a place at once, or refuses. A device that already has its own counts as a
// stranger of its network, and so do more of one network than a shop has.
func (d *door) enter(known *device, network string) (*Place, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if known != nil {
		one, all := "device "+known.id, "devices of "+network
		if d.lanes[devices] < devicesInLine && d.waiting[one] < perDevice && d.waiting[all] < devicesOfOne {
			return d.take(devices, known, one, all), nil
		}
	}
	if d.lanes[strangers] >= strangersInLine || d.waiting[network] >= perNetwork {
		return nil, ErrSignInBusy
	}
	return d.take(strangers, known, network), nil
}

// full reports whether strangers find no place, from wherever they come.
func (d *door) full() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.lanes[strangers] >= strangersInLine
}

func (d *door) take(lane int, known *device, as ...string) *Place {
	d.lanes[lane]++
	for _, who := range as {
		d.waiting[who]++
	}
	return &Place{door: d, lane: lane, as: as, device: known}
}

// visit is where the one of this place signs in.
func (p *Place) visit(own bool) visit {
	v := visit{own: own}
	if p.device != nil {
		v.device = p.device.id
	}
	return v
}

// Leave gives the place back.
func (p *Place) Leave() {
	p.once.Do(func() {
		p.door.mu.Lock()
		defer p.door.mu.Unlock()
		p.door.lanes[p.lane]--
		for _, who := range p.as {
			if p.door.waiting[who]--; p.door.waiting[who] == 0 {
				delete(p.door.waiting, who)
			}
		}
	})
}

// rest frees the turn. While strangers wait, the next begins after as long again: so a
// flood of them has half of a core, and pages have the rest.
func (p *Place) rest(took time.Duration) {
	slot := p.door.slots[p.lane]
	p.door.mu.Lock()
	flooded := p.lane == strangers && p.door.lanes[strangers] > 1
	p.door.mu.Unlock()
	if !flooded {
		<-slot
		return
	}
	time.AfterFunc(took, func() { <-slot })
}

// compute runs f when it is this one's turn, unless the client has gone meanwhile or the
// wait was too long.
func (p *Place) compute(ctx context.Context, gone func() bool, f func() error) error {
	slot := p.door.slots[p.lane]
	ctx, cancel := context.WithTimeout(ctx, longestWait)
	defer cancel()
	look := time.NewTicker(lookAround)
	defer look.Stop()
	for {
		select {
		case slot <- struct{}{}:
			began := time.Now()
			defer func() { p.rest(time.Since(began)) }()
			if gone != nil && gone() {
				return ErrSignInBusy
			}
			return f()
		case <-look.C:
			if gone != nil && gone() {
				return ErrSignInBusy
			}
		case <-ctx.Done():
			return ErrSignInBusy
		}
	}
}
