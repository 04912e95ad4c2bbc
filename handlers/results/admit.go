package results

import (
	"math"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"veinte/models"
)

// Refusal is why a post is answered like a page that does not exist. It is a code for
// the trail; the answer does not say it.
type Refusal string

// The refusals.
const (
	WrongAddress    Refusal = "results.wrongSecret"     // no address of ours
	SharedEnded     Refusal = "results.sharedEnded"     // the shared one, after its last day
	OutsideNetworks Refusal = "results.outsideNetworks" // from where no terminal may post
)

func (r Refusal) Error() string { return string(r) }

// Unwrap makes it the error of a page that does not exist.
func (r Refusal) Unwrap() error { return fiber.ErrNotFound }

// Reason is the code for the trail.
func (r Refusal) Reason() string { return string(r) }

// How many posts a minute are taken; a bucket holds as many, so all may come at once.
// Behind one address there may be a shop, or every terminal of a merchant, each with
// its result of the same minute: the shared address takes twice that of 1,600. An own
// address says who posts, so it is limited by terminal, wherever it posts from; ten
// customers a minute are not a tenth of it. Addresses that are none of ours are for
// typing mistakes.
const (
	DefaultSharedPace = 3200
	ownPace           = 300
	unknownPace       = 60
)

// tooFast returns how long the sender should wait; 0: not at all.
func (e *Endpoint) tooFast(at address, from models.Actor, now time.Time) (wait time.Duration) {
	switch {
	case at.serial != "":
		_, wait = e.paces.Take("terminal "+string(at.serial), 1, ownPace, now)
	case at.shared:
		_, wait = e.paces.Take("shared "+from.Network(), 1, e.SharedPace, now)
	default:
		_, wait = e.paces.Take("unknown "+from.Network(), 1, unknownPace, now)
	}
	return wait
}

// later answers a sender that posts too fast as one whose post was not stored.
func (e *Endpoint) later(c *fiber.Ctx, from models.Actor, wait time.Duration) error {
	e.counts.add("tooFast")
	e.note(c, from, "posts come too fast")
	c.Set(fiber.HeaderRetryAfter, strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	return tryAgain(c, "Demasiados envíos seguidos. Reintenta.")
}

// tryAgain answers what was not stored.
func tryAgain(c *fiber.Ctx, message string) error {
	return c.Status(fiber.StatusServiceUnavailable).JSON(fiber.Map{"code": "99", "message": message})
}

// refuse counts and logs a refusal. The address that was tried is never written
// anywhere: it may be a right one with a letter missing.
func (e *Endpoint) refuse(c *fiber.Ctx, from models.Actor, why Refusal) error {
	e.counts.add(strings.TrimPrefix(string(why), "results."))
	e.note(c, from, "post refused", "reason", string(why))
	return why
}

// note logs once a minute for each source and message, so that a flood does not fill
// the log.
func (e *Endpoint) note(c *fiber.Ctx, from models.Actor, message string, more ...any) {
	if _, wait := e.logged.Take(message+" "+from.Network(), 1, 1, e.Clock.Now()); wait == 0 {
		e.Log.WarnContext(c.UserContext(), message, append(more, "from", from.Network())...)
	}
}

// permitted reports whether terminals may post from there.
func (e *Endpoint) permitted(from netip.Addr) bool {
	return len(e.Networks) == 0 || slices.ContainsFunc(e.Networks, func(n netip.Prefix) bool { return n.Contains(from) })
}
