package handlers_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"veinte/handlers"
)

var expiresLine = regexp.MustCompile(`(?m)^Expires: (\S+)$`)

// Whoever finds a weakness reads whom to tell, without signing in, and what is said
// holds for less than a year, as RFC 9116 asks.
func TestSecurityTextSaysWhomToTell(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(c *handlers.Config) {
		c.SecurityContacts = []string{"mailto:seguridad@tienda.example", "https://tienda.example/seguridad"}
	})
	a := h.visitor().get("/.well-known/security.txt")
	a.want(200)
	for _, lines := range []string{
		"Contact: mailto:seguridad@tienda.example\nContact: https://tienda.example/seguridad\n", "Preferred-Languages: es, en\n",
	} {
		if !strings.Contains(a.body, lines) {
			t.Errorf("it says\n%s\nwant in it\n%s", a.body, lines)
		}
	}
	if got := a.header.Get("Content-Type"); got != "text/plain; charset=utf-8" {
		t.Errorf("Content-Type = %q, want plain text", got)
	}
	found := expiresLine.FindAllStringSubmatch(a.body, -1)
	if len(found) != 1 {
		t.Fatalf("Expires stands %d times, want once:\n%s", len(found), a.body)
	}
	expires, err := time.Parse(time.RFC3339, found[0][1])
	if now := h.Clock.Now(); err != nil || expires.Before(now.AddDate(0, 1, 0)) || expires.After(now.AddDate(1, 0, 0)) {
		t.Errorf("it expires %v (%v), want within a year of %v", expires, err, now)
	}
	h.Clock.Advance(24 * time.Hour)
	if later := h.visitor().get("/.well-known/security.txt"); later.body == a.body {
		t.Errorf("a day later it expires no later:\n%s", later.body)
	}
}

// Where the operator has set nobody, there is no such page.
func TestNoSecurityTextUnlessTheOperatorSetsIt(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(c *handlers.Config) { c.SecurityContacts = nil })
	h.visitor().get("/.well-known/security.txt").want(404)
}
