package kit

import (
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"veinte/handlers/api"
	"veinte/models"
	"veinte/views/ui"
)

// maxForm is the largest form that is read.
const maxForm = 64 << 10

// CheckInput refuses what PostgreSQL cannot store, in any part of a request:
// NUL and invalid UTF-8. What a program sends is judged by the API, and a
// terminal's post is answered whatever it holds.
func (k *Kit) CheckInput(c *fiber.Ctx) error {
	if api.Owns(c.Path()) {
		return c.Next() // it has its own judge
	}
	path, err := url.PathUnescape(string(c.Request().URI().PathOriginal()))
	if err != nil || !storable(path) {
		return ErrBadInput
	}
	if strings.HasPrefix(path, "/results/") {
		return c.Next()
	}
	ok := true
	check := func(args *fasthttp.Args) {
		for key, value := range args.All() {
			ok = ok && storable(string(key)) && storable(string(value))
		}
	}
	check(c.Request().URI().QueryArgs())
	if c.Method() == fiber.MethodPost && IsUpload(c) {
		c.Request().URI().SetQueryString("") // see below
	} else if c.Method() == fiber.MethodPost {
		// The body as it came: c.Body would first inflate what is compressed, and
		// a megabyte can be a thousand times that.
		if len(c.BodyRaw()) > maxForm {
			return fiber.ErrRequestEntityTooLarge
		}
		if len(c.BodyRaw()) > 0 && !strings.HasPrefix(c.Get(fiber.HeaderContentType), fiber.MIMEApplicationForm) {
			return ErrBadInput
		}
		check(c.Request().PostArgs())
		// A form's fields come in its body. Those of an address would win over
		// them, and addresses are kept in histories and logs.
		c.Request().URI().SetQueryString("")
	}
	if !ok {
		return ErrBadInput
	}
	return c.Next()
}

func storable(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// ParamID reads the id of a path. What is not an id is not there.
func ParamID(c *fiber.Ctx) (int64, error) {
	id, err := strconv.ParseInt(c.Params("id"), 10, 64)
	if err != nil || id <= 0 {
		return 0, ErrNoPage
	}
	return id, nil
}

// QueryID reads an optional id of the query; a wrong one is an id of nothing.
func QueryID(c *fiber.Ctx, name string) (int64, error) {
	id := ChosenID(c.Query(name))
	if id == NoID {
		return 0, models.ErrNotFound
	}
	return id, nil
}

// NoID is the id of nothing: what a form sends that is no id is looked for and
// not found, so that its field says so and the rest of the form is kept.
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

// FormVersion reads the version of a thing as the person saw it. Without one,
// the form is not ours.
func FormVersion(c *fiber.Ctx) (int, error) {
	v, err := strconv.ParseInt(c.FormValue("version"), 10, 32)
	if err != nil || v <= 0 {
		return 0, ErrBadInput
	}
	return int(v), nil
}

// LocalPath accepts a path of ours to go on to; anything else is "/".
func LocalPath(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(s, "/") ||
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

// Clip bounds a search: nobody types more, and it goes into addresses.
func Clip(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most])
	}
	return s
}

// Versioned reads the id of the path and the version that the person saw.
func Versioned(c *fiber.Ctx) (id int64, version int, err error) {
	if id, err = ParamID(c); err != nil {
		return 0, 0, err
	}
	version, err = FormVersion(c)
	return id, version, err
}
