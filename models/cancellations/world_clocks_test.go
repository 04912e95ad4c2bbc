package cancellations_test

import (
	"time"

	"veinte/models"
)

// tolerance is how far a server's clock may be off without anybody knowing.
const tolerance = 2 * time.Second

// anyServer is for what happens on whichever server gets it.
const anyServer = -1

// serverClocks are those of the two servers.
type serverClocks struct {
	off    [2]time.Duration // undetected
	wrong  time.Duration    // of the second server, which knows: it goes by the database's time
	server int              // that acts
}

// setClocks sets the servers' clocks. On some days one is wrong by more than may be.
func (w *world) setClocks() {
	for i := range w.clocks.off {
		w.clocks.off[i] = w.within(2*tolerance) - tolerance
	}
	if w.chance(30) {
		w.apart++
		w.clocks.wrong = []time.Duration{-90 * time.Second, 20 * time.Second, 90 * time.Second, 10 * time.Minute}[w.rand.IntN(4)]
	}
}

// readClock has a server look at its clock.
func (w *world) readClock(server int) {
	if server == anyServer {
		server = w.rand.IntN(len(w.clocks.off))
	}
	w.clocks.server = server
	w.ref.now = w.now.Add(w.clocks.off[server])
	if server == 1 && w.mistake == "clock" {
		w.ref.now = w.now.Add(w.clocks.wrong)
	}
}

// leaves reports whether the server leaves the cancellation to the other one: its clock
// is wrong, and the window closes soon, or has closed.
func (w *world) leaves(c *refCancellation) bool {
	return w.clocks.server == 1 && w.clocks.wrong != 0 && w.mistake != "clock" && c.state == models.Requested &&
		w.ref.closes.Sub(w.ref.now) < 2*w.clocks.wrong.Abs()
}
