package handlers_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers"
)

// TestOwnAddressByTheApplication: through every layer the own address of a terminal
// is its own only, and what is refused stands in the trail without the address.
func TestOwnAddressByTheApplication(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	own := ownAddresses.Path(h.Terminal.SerialNumber)
	body := `{"transType":"A","responseCode":"00","orderId":"PROPIA-1","amount":"77.00"}`
	h.visitor().send("POST", own, body, "Content-Type", "application/json").want(200)
	if got := h.text(`SELECT concat_ws(' ', s.serial_number, r.own_address, r.address_serial = s.serial_number)
		FROM sales s JOIN results r ON r.sale_id = s.id WHERE s.order_id = 'PROPIA-1'`); got != string(h.Terminal.SerialNumber)+" t t" {
		t.Errorf("a sale that names no terminal is recorded as %q, want the terminal of the address", got)
	}
	another := h.NewTerminal(h.Store).SerialNumber
	stolen := strings.Replace(own, string(h.Terminal.SerialNumber), string(another), 1)
	missing := h.visitor().send("POST", stolen, body, "Content-Type", "application/json").want(404)
	nowhere := h.visitor().get("/nowhere/" + strings.Repeat("x", 32))
	if a, b := missing.words(), nowhere.words(); a != b || nowhere.status != missing.status {
		t.Errorf("a wrong token is answered %d %q, a page that does not exist %d %q", missing.status, a, nowhere.status, b)
	}
	if got := h.text(`SELECT string_agg(concat_ws(' ', action, outcome, reason, after->>'request'), '; ') FROM audit_entries
		WHERE actor_role = 'anonymous'`); got != "access.denied denied results.wrongSecret POST /results/***" {
		t.Errorf("the trail says %q", got)
	}
	token := own[strings.LastIndexByte(own, '/')+1:]
	h.CheckSecretsStored(t, map[string]string{token: "the token of a terminal's address", masterKey: "the master key"})
}

// TestSecretAddressesAreNotShown: no error page and no log repeats the secret part of
// an address, whichever way it was asked for.
func TestSecretAddressesAreNotShown(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	h := newHouse(t, func(c *handlers.Config) {
		c.Logger = slog.New(slog.NewTextHandler(&log, nil))
		c.TakeResult = func(*fiber.Ctx) error { panic("a defect") }
	})
	token := ownAddresses.Path(h.Terminal.SerialNumber)
	token = token[strings.LastIndexByte(token, '/')+1:]
	cut := token[:len(token)-1] // also of an address that was cut
	shown := func(path string) string { return strings.Replace(path, cut, "…", 1) }
	administrator := h.administrator()
	own := ownAddresses.Path(h.Terminal.SerialNumber)
	for _, path := range []string{
		"/results/" + token, own, own + "/", "/" + own, strings.Replace(own, "/results", "/RESULTS", 1), own + "/more", own[:len(own)-1],
		strings.Replace(own, "/results/", "/results%2F", 1), strings.Replace(own, "/results/", "/%72esults/", 1),
		strings.Replace(own, "/results/", "/result/", 1), strings.Replace(own, "/results/", "/veinte/results/", 1),
		strings.Replace(own, "/results/", "/%2572esults/", 1), "/sales?q=" + own, "/nowhere?next=" + own,
	} {
		for _, method := range []string{"GET", "POST", "PUT", "HEAD", "OPTIONS"} {
			a := h.visitor().send(method, path, "{}", "Content-Type", "application/json")
			if strings.Contains(a.body, cut) || strings.Contains(http.Header(a.header).Get("Location"), cut) {
				t.Errorf("%s %s is answered with the secret", method, shown(path))
			}
		}
		// Who searches for it sees what they typed, and nobody else does.
		if a := administrator.get(path); !strings.Contains(path, "q=") && strings.Contains(a.body, cut) {
			t.Errorf("GET %s by an administrator is answered with the secret", shown(path))
		}
		if a := administrator.post(path, nil); strings.Contains(a.body, cut) {
			t.Errorf("POST %s by an administrator is answered with the secret", shown(path))
		}
	}
	if !strings.Contains(log.String(), "panic") {
		t.Errorf("the log says nothing of the panic: %s", log.String())
	}
	if strings.Contains(log.String(), cut) {
		t.Errorf("the log holds the secret:\n%s", log.String())
	}
	h.CheckSecretsStored(t, map[string]string{cut: "the token of a terminal's address"})
}
