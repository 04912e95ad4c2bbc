package kit

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"veinte/handlers/api"
	"veinte/models"
	"veinte/views/ui"
)

// maxForm is the largest form that is read.
const maxForm = 64 << 10

// CheckInput refuses what PostgreSQL cannot store, in any part of a request: NUL and
// invalid UTF-8. The API checks what programs send, and a terminal's post is
// accepted whatever it contains.
func (k *Kit) CheckInput(c *fiber.Ctx) error {
	if api.Owns(c.Path()) {
		return c.Next() // it has its own judge
	}
	path, err := url.PathUnescape(string(c.Request().URI().PathOriginal()))
	if err != nil || !models.Storable(path) {
		return ErrBadInput
	}
	if strings.HasPrefix(path, "/results/") {
		return c.Next()
	}
	ok := true
	check := func(args *fasthttp.Args) {
		for key, value := range args.All() {
			ok = ok && models.Storable(string(key)) && models.Storable(string(value))
		}
	}
	check(c.Request().URI().QueryArgs())
	if c.Method() == fiber.MethodPost && IsUpload(c) {
		c.Request().URI().SetQueryString("") // see below
	} else if c.Method() == fiber.MethodPost {
		// The body as received: c.Body would first inflate a compressed body, which
		// could make it a thousand times larger.
		if len(c.BodyRaw()) > maxForm {
			return fiber.ErrRequestEntityTooLarge
		}
		if len(c.BodyRaw()) > 0 && !strings.HasPrefix(c.Get(fiber.HeaderContentType), fiber.MIMEApplicationForm) {
			return ErrBadInput
		}
		check(c.Request().PostArgs())
		// A form's fields come in its body. Fields in the address would override
		// them, and addresses are stored in histories and logs.
		c.Request().URI().SetQueryString("")
	}
	if !ok {
		return ErrBadInput
	}
	return c.Next()
}

// WithID gives a handler the id of the path. An invalid id is not found.
func WithID(handle func(c *fiber.Ctx, id int64) error) fiber.Handler {
	return func(c *fiber.Ctx) error {
		id := ChosenID(c.Params("id"))
		if id <= 0 {
			return ErrNoPage
		}
		return handle(c, id)
	}
}

// QueryID reads an optional id of the query; an invalid one becomes NoID.
func QueryID(c *fiber.Ctx, name string) (int64, error) {
	id := ChosenID(c.Query(name))
	if id == NoID {
		return 0, models.ErrNotFound
	}
	return id, nil
}

// NoID is an id that does not exist. An invalid id in a form becomes NoID and is not
// found, so its field shows the error and the rest of the form stays.
const NoID = -1

// ChosenID reads an optional id; 0 when none was chosen.
func ChosenID(s string) int64 {
	if s == "" {
		return 0
	}
	id, err := strconv.ParseInt(s, 10, 64)
	if err != nil || id <= 0 {
		return NoID
	}
	return id
}

// ChosenIDs reads the ids of a form's field that may be chosen more than once.
func ChosenIDs(c *fiber.Ctx, name string) (ids []int64) {
	for _, id := range c.Request().PostArgs().PeekMulti(name) {
		ids = append(ids, ChosenID(string(id)))
	}
	return ids
}

// Query reads fields of the address.
func Query(c *fiber.Ctx) func(name string) string {
	return func(name string) string { return c.Query(name) }
}

// Form reads fields of the body.
func Form(c *fiber.Ctx) func(name string) string {
	return func(name string) string { return c.FormValue(name) }
}

// FormVersion reads the version of a thing as the person saw it. Without one,
// the form is not ours.
func FormVersion(c *fiber.Ctx) (int, error) {
	v, err := strconv.ParseInt(c.FormValue("version"), 10, 32)
	if err != nil || v <= 0 {
		return 0, ErrBadInput
	}
	return int(v), nil
}

// longestPath is longer than any page of ours with all that can be typed into it; a head
// has 20 KB at most, and such a path is also stored while somebody signs in.
const longestPath = 8000

// LocalPath accepts a path of this site to redirect to; anything else is "/".
func LocalPath(s string) string {
	u, err := url.Parse(s)
	if err != nil || len(s) > longestPath || u.IsAbs() || u.Host != "" || !strings.HasPrefix(s, "/") ||
		strings.HasPrefix(s, "//") || strings.ContainsAny(s, "\\\r\n\t") {
		return "/"
	}
	return s
}

// ChartBy reads by what bars are drawn: by amount unless asked otherwise.
func ChartBy(c *fiber.Ctx) ui.ChartBy {
	if by := ui.ChartBy(c.Query("by")); by == ui.ChartSales {
		return by
	}
	return ui.ChartAmount
}

// Clip limits the length of a search: users type no more, and it goes into
// addresses.
func Clip(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most])
	}
	return s
}
