package api

import (
	"maps"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"
)

// header is a documented header of a response. A test holds both ways: what is
// documented is sent, and what is sent is documented.
type header struct {
	name      string
	sometimes bool // not every such response has it; its description says when it does
}

// paceHeaders say what is left of the pace of a key.
var paceHeaders = []string{"RateLimit", "RateLimit-Policy"}

// successHeaders are those of a response that did what was asked. own are the
// operation's.
func successHeaders(own ...header) []header {
	all := append([]header{{name: "X-Request-Id"}}, own...)
	for _, name := range paceHeaders {
		all = append(all, header{name: name})
	}
	return all
}

// problemHeaders are those of a problem with a status. Without a valid key there is no
// pace, and some problems come before the key is known.
func problemHeaders(status int) []header {
	all := []header{{name: "X-Request-Id"}, {name: "Content-Language"}}
	switch status {
	case http.StatusUnauthorized:
		return append(all, header{name: "WWW-Authenticate"})
	case http.StatusForbidden:
		all = append(all, header{"WWW-Authenticate", true})
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		all = append(all, header{name: "Retry-After"})
	case http.StatusConflict:
		all = append(all, header{"Retry-After", true})
	}
	early := status == http.StatusRequestEntityTooLarge || status == http.StatusTooManyRequests || status >= http.StatusInternalServerError
	for _, name := range paceHeaders {
		all = append(all, header{name, early})
	}
	return all
}

// documentedHeaders describes headers in the document.
func documentedHeaders(list []header) map[string]*huma.Param {
	all := map[string]*huma.Param{}
	for _, h := range list {
		all[h.name] = &huma.Param{
			Description: "api.header." + h.name, Required: !h.sometimes, Schema: &huma.Schema{Type: huma.TypeString},
		}
	}
	return all
}

// ownHeaders are the headers of a response so far, by name.
func ownHeaders(c *fiber.Ctx) map[string]string {
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

// repeatable are the headers that a response has got since before, for its repeats.
func repeatable(before, now map[string]string) map[string]string {
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
