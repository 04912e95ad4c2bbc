package e2e

import (
	"context"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
)

// newPerson invites a manager for one test alone, who has chosen their password.
func (s *server) newPerson(t testing.TB, name, email string) login {
	t.Helper()
	who := login{email, "una frase de " + name}
	status, text := s.as(t, administrator).post(t, "/users/new", "/users",
		url.Values{"name": {name}, "email": {email}, "role": {manager}, "stores": {s.storeID(t, romaNorte)}})
	m := regexp.MustCompile(`data-testid="account-link"[^>]*>http://[^/]+(/password/[^<]+)<`).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("invite %s = %d without a link: %.500s", email, status, firstError(text))
	}
	path := html.UnescapeString(m[1])
	status, text = s.stranger(t).post(t, path, path, url.Values{"password": {who.password}, "again": {who.password}})
	if status != http.StatusSeeOther {
		t.Fatalf("choose a password by %s = %d: %s", path, status, firstError(text))
	}
	return who
}

// authenticator is the device of a tab that keeps passkeys, and verifies its person.
func (p *page) authenticator() (id webauthn.AuthenticatorID) {
	p.t.Helper()
	call(p, func(ctx context.Context) error {
		if _, err := chromedp.Call(ctx, webauthn.Enable, webauthn.EnableParams{}); err != nil {
			return err
		}
		made, err := chromedp.Call(ctx, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{
			Options: &webauthn.VirtualAuthenticatorOptions{
				Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal,
				HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
			},
		})
		id = made.AuthenticatorID
		return err
	})
	return id
}

// key is the one passkey of a device.
func (p *page) key(of webauthn.AuthenticatorID) (key *webauthn.Credential) {
	p.t.Helper()
	call(p, func(ctx context.Context) error {
		all, err := chromedp.Call(ctx, webauthn.GetCredentials, webauthn.GetCredentialsParams{AuthenticatorID: of})
		if err == nil && len(all.Credentials) != 1 {
			p.t.Errorf("the device has %d passkeys, want 1", len(all.Credentials))
		}
		if err == nil && len(all.Credentials) > 0 {
			key = all.Credentials[0]
		}
		return err
	})
	return key
}

// putKey adds a passkey to a device. The library's own type also asks for a kind of key that
// the device does not know.
var putKey = cdp.Command[putKeyParams, cdp.Empty]{Method: webauthn.CommandAddCredential}

type putKeyParams struct {
	AuthenticatorID webauthn.AuthenticatorID `json:"authenticatorId"`
	Credential      keyParams                `json:"credential"`
}

type keyParams struct {
	ID         []byte  `json:"credentialId"`
	Resident   bool    `json:"isResidentCredential"`
	Site       string  `json:"rpId"`
	PrivateKey []byte  `json:"privateKey"`
	Handle     []byte  `json:"userHandle"`
	SignCount  float64 `json:"signCount"`
}

// putBack makes the passkey of a device what it was before: a copy of then.
func (p *page) putBack(of webauthn.AuthenticatorID, key *webauthn.Credential) {
	p.t.Helper()
	call(p, func(ctx context.Context) error {
		gone := webauthn.RemoveCredentialParams{AuthenticatorID: of, CredentialID: key.CredentialID}
		if _, err := chromedp.Call(ctx, webauthn.RemoveCredential, gone); err != nil {
			return err
		}
		same := keyParams{key.CredentialID, true, key.RpID, key.PrivateKey, key.UserHandle, key.SignCount}
		_, err := chromedp.Call(ctx, putKey, putKeyParams{of, same})
		return err
	})
}

// named opens a page by the name of this machine: passkeys belong to a name.
func (p *page) named(path string) {
	p.t.Helper()
	name := strings.Replace(p.server.url, "127.0.0.1", "localhost", 1)
	p.watch.allow("request outside the origin: " + name + "/")
	p.do(chromedp.Navigate(name + path))
	p.whole()
}

// wantFit checks a page that has passkeys, which other tests open by a number and so without.
func (p *page) wantFit(what string) {
	p.t.Helper()
	if wide, small := p.tooWide(), p.tooSmall(); len(wide)+len(small) > 0 {
		p.t.Errorf("%s: too wide %q, too small %q", what, wide, small)
	}
	report(p.t, what, p.axe())
}

// wantRoom checks that a page fits its screen, on a phone also for a thumb, and what axe finds.
func (p *page) wantRoom(what string) {
	p.t.Helper()
	if p.screen.phone {
		p.wantFit(what)
		return
	}
	if wide := p.tooWide(); len(wide) > 0 {
		p.t.Errorf("%s: too wide %q", what, wide)
	}
	report(p.t, what, p.axe())
}

const passkeyButton = "form[action='/login/passkey'] button[type=submit]"

// endSession presses what a phone has in its person's menu.
func (p *page) endSession() {
	p.t.Helper()
	if p.screen.phone {
		p.press("[popovertarget=me]")
	}
	p.press("form[action='/logout'] button")
}

func (p *page) signOut() {
	p.t.Helper()
	p.named("/account/factors")
	p.endSession()
	p.at("/login")
}

func (p *page) wantSays(selector, words string) {
	p.t.Helper()
	p.see(selector)
	if got := p.text(selector); !strings.Contains(got, words) {
		p.t.Errorf("%s says %q, want %q", selector, got, words)
	}
}

// TestAPasskeyInTheBrowser: it is registered in the account, signs in without a password and
// after one, proves that it is still them, and is refused once there is a copy; then it is
// removed.
func TestAPasskeyInTheBrowser(t *testing.T) {
	t.Parallel()
	who := shared.newPerson(t, "Pilar Llave", "pilar.llave@demo.mx")
	p := shared.open(t, phone)
	p.watch.allow("status of 422")
	device := p.authenticator()
	p.named("/login")
	p.signInHere(who)
	p.at("/sales")
	p.named("/account")
	p.press(id("own-factors"))
	p.at("/account/factors")

	add := id("add")
	p.press("details:has(" + add + ") > summary")
	p.fill(add+" [name=name]", "Teléfono de Pilar")
	p.fill(add+" [name=proof]", "no es esta frase")
	p.press(add + " button[type=submit]")
	p.wantSays("#e-proof-add", "No es tu contraseña")
	p.until("the name as it was typed", has(add+" [name=name]")+`?.value === "Teléfono de Pilar"`)
	p.fill(add+" [name=proof]", who.password)
	p.press(add + " button[type=submit]")
	p.see(id("recovery-codes"))
	recovery := p.text(id("recovery-codes") + " code")
	p.named("/account/factors")
	p.wantSays(id("passkey"), "Teléfono de Pilar")
	p.press(id("passkey") + " summary")
	p.wantFit("the page of the factors")
	copied := p.key(device)

	p.named("/account/factors")
	p.endSession()
	p.at("/sales") // the list below the address offers the passkey, and this device takes it
	p.onEveryPage(`PublicKeyCredential.isConditionalMediationAvailable = async () => false`)
	p.signOut()
	p.wantFit("the sign-in page")
	p.press(passkeyButton) // which account, the passkey says
	p.at("/sales")

	p.signOut()
	p.signInHere(who)
	p.at("/login/code")
	p.wantFit("the second step")
	p.press(id("step-passkey") + " button[type=submit]")
	p.at("/sales")

	p.named("/account/factors")
	p.press("details:has(" + id("recovery") + ") > summary")
	p.press(id("recovery") + " button[data-sign]")
	p.see(id("recovery-codes"))
	if now := p.text(id("recovery-codes") + " code"); now == recovery {
		t.Error("the new recovery codes are the old ones")
	} else {
		recovery = now
	}

	p.signOut()
	p.putBack(device, copied)
	p.press(passkeyButton)
	p.wantSays("[data-error-summary]", "una copia de esa llave")
	p.signInHere(who)
	p.at("/login/code")
	p.fill(id("recovery-form")+" [name=code]", recovery)
	p.press(id("recovery-form") + " button[type=submit]")
	p.at("/sales")
	p.named("/account/factors")
	p.wantSays(id("passkey"), "No se acepta desde")
	p.wantFit("the page of a copied passkey")
	p.press(id("passkey") + " summary")
	p.fill(id("passkey")+" [name=proof]", who.password)
	p.press(id("passkey") + " button[type=submit]")
	p.see(id("flash"))
	p.until("no passkey", "!"+has(id("passkey")))
}

// TestPasskeysWithoutJavaScript: the page says what to do, and the password signs in.
func TestPasskeysWithoutJavaScript(t *testing.T) {
	t.Parallel()
	who := shared.newPerson(t, "Pablo Plano", "pablo.plano@demo.mx")
	p := shared.open(t, desk)
	p.watch.allow("status of 422")
	p.withoutScripts()
	p.named("/login")
	p.press(passkeyButton)
	p.wantSays("[data-error-summary]", "necesitan JavaScript")
	p.signInHere(who)
	p.at("/sales")
}

// signInHere signs in by the form of the page that is open.
func (p *page) signInHere(who login) {
	p.t.Helper()
	p.fill("form[action='/login'] input[name=email]", who.email)
	p.fill("form[action='/login'] input[name=password]", who.password)
	p.press("form[action='/login'] button[type=submit]")
}
