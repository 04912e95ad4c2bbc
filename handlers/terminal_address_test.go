package handlers_test

import (
	"encoding/csv"
	"fmt"
	"strings"
	"testing"

	"veinte/handlers"
	"veinte/models"
	"veinte/models/addresses"
	"veinte/models/modelstest"
	"veinte/models/terminals"
	"veinte/models/wiring"
)

// TestShowAddress: the address that the page shows is the one at which the terminal's
// posts count as its own, and nothing but the answer to the form holds it.
func TestShowAddress(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	admin := h.administrator()
	path := fmt.Sprintf("/terminals/%d", h.Terminal.ID)
	own := ownAddresses.Path(h.Terminal.SerialNumber)
	page := admin.get(path).want(200)
	page.says("Todavía no se sabe en qué dirección publica")
	if strings.Contains(page.body, own) {
		t.Error("the page of a terminal holds its address")
	}
	shown := admin.post(path+"/address", nil).want(200)
	shown.says("http://veinte.test" + own)
	if len(shown.attrs("qr", "viewBox")) != 1 {
		t.Error("the page has no QR code")
	}
	if got := shown.header.Get("Referrer-Policy") + " " + shown.header.Get("Cache-Control"); got != "no-referrer no-store" {
		t.Errorf("Referrer-Policy and Cache-Control are %q", got)
	}
	if got := h.text(`SELECT string_agg(concat_ws(' ', actor_role, outcome, serial_number), '; ') FROM audit_entries
		WHERE action = 'terminal.addressShown'`); got != "administrator success "+string(h.Terminal.SerialNumber) {
		t.Errorf("the trail says %q", got)
	}
	// A reload, or the address after signing in, leads to the terminal's page.
	admin.get(path + "/address").wantTo(path)

	body := `{"transType":"A","responseCode":"00","orderId":"PROPIA-2","amount":"12.00"}`
	h.visitor().send("POST", own, body, "Content-Type", "application/json").want(200)
	admin.get(path).want(200).says("Publica en su propia dirección.")
	h.visitor().send("POST", "/results/"+secret, strings.Replace(body, "{", `{"terminalId":"`+string(h.Terminal.SerialNumber)+`",`, 1),
		"Content-Type", "application/json").want(200)
	admin.get(path).want(200).says("Su último envío llegó a la dirección común.")
	admin.get("/terminals/health?problem=sharedAddress").want(200).says("Publica en la dirección común")
	h.CheckSecretsStored(t, map[string]string{own[len(own)-32:]: "the token of a terminal's address"})
}

// TestAddressesPage: how many post where, what holds for the shared address, and the
// file of all addresses.
func TestAddressesPage(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(c *handlers.Config) { c.Shared = models.SharedAddress{Open: true, Own: true, Until: "2026-12-31"} })
	h.exec(`UPDATE terminals SET label = '=1+1' WHERE id = $1`, h.Terminal.ID)
	posts := []models.Post{h.SalePost(h.NewTerminal(h.Store).SerialNumber, 100), h.SalePost(h.NewTerminal(h.Store).SerialNumber, 100)}
	posts[1].AddressSerial, posts[1].AddressKey, posts[1].OwnAddress = posts[1].SerialNumber, "00000000", true
	for _, p := range posts {
		h.Post(p)
	}
	retired := h.NewTerminal(h.Store)
	h.must(h.Terminals.RetireTerminal(t.Context(), h.Admin, retired.ID, 1))
	admin := h.administrator()
	page := admin.get("/terminals/addresses").want(200)
	if got := strings.Join(page.attrs("address-use", "data-terminals"), " "); got != "1 1 1 0" {
		t.Errorf("shared, older, unknown and own are %s, want 1 1 1 0", got)
	}
	page.says("La dirección común vale hasta el")
	admin.get("/settings/connection").want(200).says("La dirección común vale hasta el")
	admin.get("/settings/rules").want(200).says("La dirección común vale hasta el")

	file := admin.post("/terminals/addresses/export", nil).want(200)
	if got := file.header.Get("Content-Type") + " " + file.header.Get("Referrer-Policy"); got != "text/csv; charset=utf-8 no-referrer" {
		t.Errorf("the file's headers are %q", got)
	}
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(file.body, "\ufeff"))).ReadAll()
	if err != nil || len(rows) != 4 {
		t.Fatalf("the file is %q (%v), want a head and three terminals", file.body, err)
	}
	for _, row := range rows[1:] {
		if want := "http://veinte.test" + ownAddresses.Path(models.SerialNumber(row[0])); row[4] != want {
			t.Errorf("%s has %s, want %s", row[0], row[4], want)
		}
		if row[0] == string(retired.SerialNumber) {
			t.Error("the file has a retired terminal")
		}
		if row[0] == string(h.Terminal.SerialNumber) && row[1] != "'=1+1" {
			t.Errorf("a label that a spreadsheet would reckon is written %q", row[1])
		}
	}
	if got := h.text(`SELECT string_agg(concat_ws(' ', outcome, after->>'terminals'), '; ') FROM audit_entries
		WHERE action = 'terminal.addressesExported'`); got != "success 3" {
		t.Errorf("the trail says %q, want that three were taken", got)
	}
}

// TestAllAddressesAtOnce: 1,600 terminals in one file.
func TestAllAddressesAtOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.exec(`INSERT INTO terminals (serial_number, label, created_at)
		SELECT (3300000000 + n)::text, 'Caja ' || n, now() FROM generate_series(1, 1599) n`)
	file := h.administrator().post("/terminals/addresses/export", nil).want(200)
	if n := strings.Count(file.body, "/results/"); n != 1600 || strings.Count(file.body, "\n") != 1601 {
		t.Errorf("the file has %d addresses in %d lines, want 1600 in 1601", n, strings.Count(file.body, "\n"))
	}
}

// TestNoAddresses: without a master key nothing is shown, and the pages say what to
// ask for. A retired terminal shows none either.
func TestNoAddresses(t *testing.T) {
	t.Parallel()
	h := newHouseOf(t, modelstest.NewOffice(t, func(c *wiring.Config) { c.Addresses = (*addresses.Keys)(nil) }))
	admin := h.administrator()
	path := fmt.Sprintf("/terminals/%d", h.Terminal.ID)
	page := admin.get(path).want(200)
	page.says("RESULTS_KEYS_FILE")
	if len(page.attrs("address-form", "action")) != 0 {
		t.Error("a terminal without an address of its own offers to show it")
	}
	admin.post(path+"/address", nil).want(409).says("RESULTS_KEYS_FILE")
	admin.post("/terminals/addresses/export", nil).want(409).says("RESULTS_KEYS_FILE")
	if n := h.count(`SELECT count(*) FROM audit_entries WHERE action LIKE 'terminal.address%' AND outcome = 'success'`); n != 0 {
		t.Errorf("%d entries say that an address was shown", n)
	}
	// Nobody posts where they should not: there is no other address.
	h.Post(h.SalePost(h.Terminal.SerialNumber, 100))
	list, err := h.Terminals.Health(t.Context(), h.Admin, terminals.HealthFilter{Kind: terminals.ProblemSharedAddress})
	if err != nil || list.Total() != 0 {
		t.Errorf("Health() = %+v, %v, want no problem", list, err)
	}

	with := newHouse(t)
	with.must(with.Terminals.RetireTerminal(t.Context(), with.Admin, with.Terminal.ID, 1))
	with.administrator().post(fmt.Sprintf("/terminals/%d/address", with.Terminal.ID), nil).want(409)
}
