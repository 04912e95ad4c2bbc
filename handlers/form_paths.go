package handlers

import (
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
)

// withFormPaths adds GET routes for addresses that only accept forms. A browser
// stays at the address of a refused form, and users reload it, bookmark it, or
// return to it after signing in. Each route leads to the nearest page above it. It
// is inserted next to its form's route because the first match wins.
func withFormPaths(table []route) []route {
	isPage := func(path string) bool {
		return slices.ContainsFunc(table, func(r route) bool { return r.method == fiber.MethodGet && r.path == path })
	}
	var all []route
	for _, r := range table {
		all = append(all, r)
		if r.method != fiber.MethodPost || r.can == kit.Machine || isPage(r.path) {
			continue
		}
		levels, above := 0, r.path
		for ; !isPage(above); above = parent(above) {
			levels++
		}
		all = append(all, route{fiber.MethodGet, r.path, r.can, leadUp(levels)})
	}
	return all
}

// leadUp redirects to the page that is levels above the requested one.
func leadUp(levels int) fiber.Handler {
	return func(c *fiber.Ctx) error {
		to := strings.TrimSuffix(c.Path(), "/")
		for range levels {
			to = parent(to)
		}
		return c.Redirect(to, fiber.StatusSeeOther)
	}
}

// parent is the path without its last part.
func parent(path string) string { return path[:max(1, strings.LastIndexByte(path, '/'))] }
