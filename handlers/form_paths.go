package handlers

import (
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
)

// withFormPaths adds the addresses that only forms are sent to, for those who open
// one as a page: a browser keeps the address of a form that was refused, and people
// reload it, keep it, or come back to it from the sign-in. Each leads to the nearest
// page above it, and stands where its form does: what is matched first wins.
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

// leadUp answers with the page so many levels above the one that was asked for.
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
