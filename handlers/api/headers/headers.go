// Package headers has the headers of responses: which each has, for the document, and which
// belong to what was done rather than to one request.
package headers

import (
	"maps"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"
)

// Header is a documented header of a response. A test holds both ways: what is
// documented is sent, and what is sent is documented.
type Header struct {
	Name      string
	Sometimes bool // not every such response has it; its description says when it does
}

// Pace say what is left of the pace of a key.
var Pace = []string{"RateLimit", "RateLimit-Policy"}

// OfSuccess are those of a response that did what was asked. own are the
// operation's.
func OfSuccess(own ...Header) []Header {
	all := append([]Header{{Name: "X-Request-Id"}}, own...)
	for _, name := range Pace {
		all = append(all, Header{Name: name})
	}
	return all
}

// OfProblem are those of a problem with a status. Without a valid key there is no
// pace, and some problems come before the key is known.
func OfProblem(status int) []Header {
	all := []Header{{Name: "X-Request-Id"}, {Name: "Content-Language"}}
	switch status {
	case http.StatusUnauthorized:
		return append(all, Header{Name: "WWW-Authenticate"})
	case http.StatusForbidden:
		all = append(all, Header{"WWW-Authenticate", true})
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		all = append(all, Header{Name: "Retry-After"})
	case http.StatusConflict:
		all = append(all, Header{"Retry-After", true})
	}
	early := status == http.StatusRequestEntityTooLarge || status == http.StatusTooManyRequests || status >= http.StatusInternalServerError
	for _, name := range Pace {
		all = append(all, Header{name, early})
	}
	return all
}

// Documented describes headers in the document.
func Documented(list []Header) map[string]*huma.Param {
	all := map[string]*huma.Param{}
	for _, h := range list {
		all[h.Name] = &huma.Param{
			Description: "api.header." + h.Name, Required: !h.Sometimes, Schema: &huma.Schema{Type: huma.TypeString},
		}
	}
	return all
}

// Own are the headers of a response so far, by name.
func Own(c *fiber.Ctx) map[string]string {
	all := map[string]string{}
	for name, value := range c.Response().Header.All() {
		all[string(name)] = string(value)
	}
	return all
}

// ofRequest are headers that belong to one request, and not to what was done by it.
var ofRequest = []string{
	"RateLimit", "RateLimit-Policy", "X-Request-Id", fiber.HeaderContentType, fiber.HeaderContentLength, fiber.HeaderDate,
}

// Repeatable are the headers that a response has got since before, for its repeats.
func Repeatable(before, now map[string]string) map[string]string {
	maps.DeleteFunc(now, func(name, value string) bool {
		for _, one := range ofRequest {
			if strings.EqualFold(name, one) {
				return true
			}
		}
		return before[name] == value
	})
	return now
}
