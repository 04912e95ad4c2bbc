package handlers

import (
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"veinte/models"
)

// securityTextPath is where RFC 9116 puts it.
const securityTextPath = "/.well-known/security.txt"

// securityTextHolds is how long what it says holds. A server that is still there says
// it anew; one that was left alone is believed for this long only.
const securityTextHolds = 90 * 24 * time.Hour

// securityText handles GET /.well-known/security.txt: whom to tell of a weakness, where
// the operator has set it.
func (h *Handlers) securityText(c *fiber.Ctx) error {
	if len(h.config.SecurityContacts) == 0 {
		return models.ErrNotFound
	}
	var text strings.Builder
	for _, contact := range h.config.SecurityContacts {
		text.WriteString("Contact: " + contact + "\n")
	}
	// The start of a day, so that its bytes change once a day and not with each request.
	expires := h.Clock.Now().UTC().Truncate(24 * time.Hour).Add(securityTextHolds)
	text.WriteString("Expires: " + expires.Format(time.RFC3339) + "\nPreferred-Languages: es, en\n")
	// Without BASE_URL nothing is said of where it stands: a Host header is the visitor's word.
	if base := strings.TrimRight(h.config.API.BaseURL, "/"); strings.HasPrefix(base, "https://") {
		text.WriteString("Canonical: " + base + securityTextPath + "\n")
	}
	c.Set(fiber.HeaderContentType, "text/plain; charset=utf-8")
	return c.SendString(text.String())
}
