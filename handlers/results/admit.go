package results

import (
	"math"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
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
func (e *Endpoint) tooFast(at address, from source, now time.Time) (wait time.Duration) {
	switch {
	case at.serial != "":
		_, wait = e.paces.Take("terminal "+string(at.serial), 1, ownPace, now)
	case at.shared:
		_, wait = e.paces.Take("shared "+from.network, 1, e.SharedPace, now)
	default:
		_, wait = e.paces.Take("unknown "+from.network, 1, unknownPace, now)
	}
	return wait
}

// later answers a sender that posts too fast as one whose post was not stored.
func (e *Endpoint) later(c *fiber.Ctx, from source, wait time.Duration) error {
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
func (e *Endpoint) refuse(c *fiber.Ctx, from source, why Refusal) error {
	e.counts.add(strings.TrimPrefix(string(why), "results."))
	e.note(c, from, "post refused", "reason", string(why))
	return why
}

// note logs once a minute for each source and message, so that a flood does not fill
// the log.
func (e *Endpoint) note(c *fiber.Ctx, from source, message string, more ...any) {
	if _, wait := e.logged.Take(message+" "+from.network, 1, 1, e.Clock.Now()); wait == 0 {
		e.Log.WarnContext(c.UserContext(), message, append(more, "from", from.network)...)
	}
}

// source is where a post came from.
type source struct {
	addr    netip.Addr
	network string // by which its pace is counted
}

func (s source) String() string {
	if !s.addr.IsValid() {
		return ""
	}
	return s.addr.String()
}

// source returns the sender's address: of the connection, or the last one of
// X-Forwarded-For that no proxy of ours has. What stands before that is the sender's
// own writing.
func (e *Endpoint) source(c *fiber.Ctx) source {
	addr, _ := netip.AddrFromSlice(c.Context().RemoteIP())
	addr = addr.Unmap()
	hops := strings.Split(strings.Join(c.GetReqHeaders()[fiber.HeaderXForwardedFor], ","), ",")
	for i := len(hops) - 1; i >= 0 && within(addr, e.Proxies); i-- {
		hop, ok := parseHop(strings.TrimSpace(hops[i]))
		if !ok {
			break
		}
		addr = hop
	}
	bits := 32
	if addr.Is6() {
		bits = 64 // one household's, or one shop's
	}
	network, err := addr.Prefix(bits)
	if err != nil {
		return source{addr: addr}
	}
	return source{addr: addr, network: network.Masked().String()}
}

// parseHop reads an address, to which some proxies add the port.
func parseHop(text string) (netip.Addr, bool) {
	addr, err := netip.ParseAddr(text)
	if err != nil {
		var withPort netip.AddrPort
		withPort, err = netip.ParseAddrPort(text)
		addr = withPort.Addr()
	}
	return addr.Unmap().WithZone(""), err == nil
}

// permitted reports whether terminals may post from there.
func (e *Endpoint) permitted(from source) bool {
	return len(e.Networks) == 0 || within(from.addr, e.Networks)
}

func within(addr netip.Addr, networks []netip.Prefix) bool {
	for _, n := range networks {
		if n.Contains(addr) {
			return true
		}
	}
	return false
}
