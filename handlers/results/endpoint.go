package results

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"log/slog"
	"net/netip"
	"time"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/client"
	"veinte/handlers/pace"
	"veinte/models"
	"veinte/models/addresses"
)

// Receiver stores a post and applies it.
type Receiver interface {
	Receive(ctx context.Context, p models.Post) error
}

// Deliveries recognizes what we have delivered ourselves.
type Deliveries interface {
	Signed(ctx context.Context, id, timestamp, signature string, body []byte) (bool, error)
}

// Config is what the endpoint needs. Without a secret there is no shared address, and
// without keys no terminal has one of its own.
type Config struct {
	Receiver   Receiver
	Deliveries Deliveries // nil: nothing is delivered
	Clock      models.Clock
	Log        *slog.Logger
	// Keys recognize the own address of a terminal, /results/:serial/:token.
	Keys *addresses.Keys
	// Secret opens the shared address, /results/:secret.
	Secret string
	// SharedEnds is the instant from which the shared address is like a page that
	// does not exist; zero: it does not end.
	SharedEnds time.Time
	// Networks are those from which terminals may post; none: from anywhere.
	Networks []netip.Prefix
	// SharedPace is how many posts a minute are taken from one source at the shared
	// address; 0: DefaultSharedPace.
	SharedPace int
}

// Endpoint is where terminals post.
type Endpoint struct {
	Config
	secret [sha256.Size]byte
	paces  *pace.Limiter[string] // by source, or by terminal at its own address
	logged *pace.Limiter[string]
	counts counts
}

// New makes the endpoint.
func New(c Config) *Endpoint {
	if c.SharedPace == 0 {
		c.SharedPace = DefaultSharedPace
	}
	return &Endpoint{
		Config: c, secret: sha256.Sum256([]byte(c.Secret)), paces: pace.New[string](), logged: pace.New[string](),
	}
}

// maxBody is the largest post that is read; real ones are about two kilobytes.
const maxBody = 64 << 10

// received is the reply that a terminal expects; without it, it shows its user an
// error.
var received = fiber.Map{"code": "00", "message": "Recibido"}

// Handle handles POST /results/:serial/:token, the own address of a terminal, and
// POST /results/:secret, which all share. Results have no signature: the address is
// the only proof of who posts. A wrong one gets the same response as a page that does
// not exist, as a *Refusal.
//
// Every other post gets 200 and 00, also unknown, duplicate, test and unreadable ones.
// Only a post that could not be stored, or that came too fast, gets 503, so that the
// terminal offers its user to send it again and no result is lost.
func (e *Endpoint) Handle(c *fiber.Ctx) error {
	now, addr := e.Clock.Now(), client.Of(c)
	from := models.Actor{Address: client.Text(addr)}
	if !e.permitted(addr) {
		return e.refuse(c, from, OutsideNetworks)
	}
	at, why := e.recognize(c, now)
	if wait := e.tooFast(at, from, now); wait > 0 {
		return e.later(c, from, wait)
	}
	if why != "" {
		return e.refuse(c, from, why)
	}
	post := e.read(c, at, now)
	if err := e.seeForwarded(c, &post); err != nil {
		return e.notStored(c, err)
	}
	post.Address = from.Address
	if err := e.Receiver.Receive(c.UserContext(), post); err != nil {
		return e.notStored(c, err)
	}
	e.counts.add(at.kind(e.Keys, &post))
	return c.JSON(received)
}

// notStored answers a post that is lost unless the terminal sends it again.
func (e *Endpoint) notStored(c *fiber.Ctx, err error) error {
	e.counts.add("notStored")
	e.Log.ErrorContext(c.UserContext(), "result not stored", "error", err)
	return tryAgain(c, "No se pudo guardar. Reintenta.")
}

// address is where a post came: the own address of a terminal, or the shared one.
type address struct {
	serial models.SerialNumber // "": the shared one, or none of ours
	key    string              // id of the master that made it
	shared bool
}

// recognize returns the address of a request, and why it is none.
func (e *Endpoint) recognize(c *fiber.Ctx, now time.Time) (address, Refusal) {
	if token := c.Params("token"); token != "" {
		serial, key, ok := e.Keys.Recognize(c.Params("serial"), token)
		if !ok {
			return address{}, WrongAddress
		}
		return address{serial: serial, key: key}, ""
	}
	got := sha256.Sum256([]byte(c.Params("secret")))
	switch {
	case e.Secret == "" || subtle.ConstantTimeCompare(got[:], e.secret[:]) != 1:
		return address{}, WrongAddress
	case !e.SharedEnds.IsZero() && !now.Before(e.SharedEnds):
		return address{}, SharedEnded
	}
	return address{shared: true}, ""
}

// read reads the post. One that names no terminal is of the terminal at whose own
// address it came. One that names another terminal is nobody's evidence.
func (e *Endpoint) read(c *fiber.Ctx, at address, now time.Time) models.Post {
	post := models.Post{Kind: models.ResultUnreadable}
	// The body as received: c.Body would first inflate a compressed body, which
	// could make a few kilobytes a thousand times larger.
	if body := c.BodyRaw(); len(body) <= maxBody {
		post = Read(body, now)
		if c.Get(fiber.HeaderContentEncoding) == "" { // else an id of ours in it cannot be seen
			post.Raw, post.ContentType = Forwardable(body), c.Get(fiber.HeaderContentType)
		}
	}
	if at.serial != "" {
		if post.SerialNumber == "" {
			post.SerialNumber = string(at.serial)
		}
		post.AddressSerial, post.AddressKey = string(at.serial), at.key
		post.OwnAddress = post.SerialNumber == post.AddressSerial
	}
	return post
}

// forwardedBy is the header of a forwarded post. Such a post is stored like any other
// and not forwarded again: otherwise results endpoints that forward to themselves or
// to each other would loop. Anybody can send the header, so it counts with our
// signature only; without one the post is told apart by its content.
const forwardedBy = "X-Veinte-Delivery"

func (e *Endpoint) seeForwarded(c *fiber.Ctx, post *models.Post) error {
	if c.Get(forwardedBy) == "" {
		return nil
	}
	post.SaysForwarded = true
	body := c.BodyRaw()
	if e.Deliveries == nil || len(body) > maxBody {
		return nil
	}
	ours, err := e.Deliveries.Signed(c.UserContext(), c.Get("Webhook-Id"), c.Get("Webhook-Timestamp"), c.Get("Webhook-Signature"), body)
	post.Forwarded, post.SaysForwarded = ours, !ours
	return err
}
