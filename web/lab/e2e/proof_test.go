package e2e

import (
	"net/http"
	"net/url"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"
)

// longAgo has everybody have signed in long ago: in the database, since the demo's clock goes
// no faster than ours.
func (s *server) longAgo(t testing.TB) {
	t.Helper()
	at, err := filepath.Glob(filepath.Join(s.dir, "postgres", "*", "run"))
	if err != nil || len(at) != 1 {
		t.Fatalf("the socket of the demo's database is in %q, %v", at, err)
	}
	conn, err := pgx.Connect(t.Context(), "user=postgres dbname=veinte host="+at[0])
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), `UPDATE sessions SET proved_at = '2000-01-01'`); err != nil {
		t.Fatal(err)
	}
}

// chooseSix sells six and opens the sheet that cancels them.
func (p *page) chooseSix(place terminal) {
	p.t.Helper()
	var six []string
	for range 6 {
		six = append(six, p.server.box.sell(p.t, place.serial, "150.00", nil))
	}
	p.named("/sales?store=" + p.server.storeID(p.t, romaNorte))
	p.chooseSales(six...)
	p.press(id("several"))
	p.see(id("several-form"))
	p.press("input[name=reason][value=chargedTwice]")
}

// TestAProofInTheBrowser: six sales are canceled at once after a sign-in of long ago, with the
// password, which is wrong at first, and then with a passkey. Five are without either.
func TestAProofInTheBrowser(t *testing.T) {
	t.Parallel()
	s := ownServer(t, noon)
	if status, text := s.as(t, administrator).post(t, "/users", "/users/proof", url.Values{"ask": {"on"}}); status != http.StatusSeeOther {
		t.Fatalf("ask for proofs = %d: %s", status, firstError(text))
	}
	place, sofia := s.newTerminal(t, romaNorte), s.logins[supervisor]
	p := s.open(t, phone)
	p.watch.allow("status of 422")
	p.authenticator()
	p.named("/login")
	p.signInHere(sofia)
	p.at("/today")

	s.longAgo(t)
	p.chooseSix(place)
	p.fill("[name=proof]", "no es esta frase")
	p.press(id("confirm"))
	p.wantSays("#e-proof-several", "No es tu contraseña")
	p.until("the field with the focus", `document.activeElement === document.querySelector("[name=proof]")`)
	p.until("the reason that was chosen", has("input[name=reason][value=chargedTwice]")+".checked")
	p.wantFit("the sheet that asks for a proof")
	p.fill("[name=proof]", sofia.password)
	p.press(id("confirm"))
	p.see(id("several-outcome"))

	p.named("/account/factors")
	add := id("add")
	p.press("details:has(" + add + ") > summary")
	p.fill(add+" [name=name]", "Teléfono de Sofía")
	p.fill(add+" [name=proof]", sofia.password)
	p.press(add + " button[type=submit]")
	p.see(id("recovery-codes"))

	s.longAgo(t)
	p.chooseSix(place)
	p.press("[data-sign]")
	p.see(id("several-outcome"))
}
