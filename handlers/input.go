package handlers

import (
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"veinte/handlers/api"
	"veinte/models"
)

// maxForm is the largest form that is read.
const maxForm = 64 << 10

// checkInput refuses what PostgreSQL cannot store, in any part of a request:
// NUL and invalid UTF-8. What a program sends is judged by the API, and a
// terminal's post is answered whatever it holds.
func (h *Handlers) checkInput(c *fiber.Ctx) error {
	if api.Owns(c.Path()) {
		return c.Next() // it has its own judge
	}
	path, err := url.PathUnescape(string(c.Request().URI().PathOriginal()))
	if err != nil || !storable(path) {
		return errBadInput
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
	if c.Method() == fiber.MethodPost && isUpload(c) {
		c.Request().URI().SetQueryString("") // see below
	} else if c.Method() == fiber.MethodPost {
		// The body as it came: c.Body would first inflate what is compressed, and
		// a megabyte can be a thousand times that.
		if len(c.BodyRaw()) > maxForm {
			return fiber.ErrRequestEntityTooLarge
		}
		if len(c.BodyRaw()) > 0 && !strings.HasPrefix(c.Get(fiber.HeaderContentType), fiber.MIMEApplicationForm) {
			return errBadInput
		}
		check(c.Request().PostArgs())
		// A form's fields come in its body. Those of an address would win over
		// them, and addresses are kept in histories and logs.
		c.Request().URI().SetQueryString("")
	}
	if !ok {
		return errBadInput
	}
	return c.Next()
}

func storable(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// paramID reads the id of a path. What is not an id is not there.
func paramID(c *fiber.Ctx) (int64, error) {
	id, err := strconv.ParseInt(c.Params("id"), 10, 64)
	if err != nil || id <= 0 {
		return 0, errNoPlace
	}
	return id, nil
}

// queryID reads an optional id of the query; a wrong one is an id of nothing.
func queryID(c *fiber.Ctx, name string) (int64, error) {
	id := chosenID(c.Query(name))
	if id == noID {
		return 0, models.ErrNotFound
	}
	return id, nil
}

// noID is the id of nothing: what a form sends that is no id is looked for and
// not found, so that its field says so and the rest of the form is kept.
const noID = -1

// chosenID reads an optional id; 0 when none was chosen.
func chosenID(s string) int64 {
	if s == "" {
		return 0
	}
	id, err := strconv.ParseInt(s, 10, 64)
	if err != nil || id <= 0 {
		return noID
	}
	return id
}

// formVersion reads the version of a thing as the person saw it. Without one,
// the form is not ours.
func formVersion(c *fiber.Ctx) (int, error) {
	v, err := strconv.ParseInt(c.FormValue("version"), 10, 32)
	if err != nil || v <= 0 {
		return 0, errBadInput
	}
	return int(v), nil
}

// localPath accepts a path of ours to go on to; anything else is "/".
func localPath(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(s, "/") ||
		strings.HasPrefix(s, "//") || strings.ContainsAny(s, "\\\r\n\t") {
		return "/"
	}
	return s
}
