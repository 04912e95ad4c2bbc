package entrance_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/descope/virtualwebauthn"

	"veinte/models"
	"veinte/models/entrance"
	"veinte/models/entrance/factors"
	"veinte/models/entrance/passkeys"
	"veinte/models/modelstest"
	"veinte/models/wiring"
)

// device is what keeps a person's passkey and signs with it.
type device struct {
	o    *modelstest.Office
	site virtualwebauthn.RelyingParty
	of   virtualwebauthn.Authenticator
	key  virtualwebauthn.Credential
}

const keyAddress = "https://veinte.example"

// withKeys is an office whose passkeys work, and whose supervisors are always asked for a
// second step.
func withKeys(t *testing.T) (*modelstest.Office, *models.User) {
	t.Helper()
	o := modelstest.NewOffice(t, func(c *wiring.Config) { c.Address = keyAddress })
	if err := o.Entrance.SetFactorRules(t.Context(), o.Admin, map[models.Role]factors.Ask{models.Supervisor: factors.Always}); err != nil {
		t.Fatalf("SetFactorRules() = %v", err)
	}
	return o, modelstest.User(t, o.DB, o.Clock.Now(), "sofia@example.mx", models.Supervisor)
}

func newDevice(o *modelstest.Office) *device {
	return &device{
		o: o, site: virtualwebauthn.RelyingParty{ID: "veinte.example", Name: "Veinte", Origin: keyAddress},
		of: virtualwebauthn.NewAuthenticator(), key: newKey(),
	}
}

// newKey draws the key of a device. The library leaves out zeros at the beginning of its
// numbers, so that one in a hundred keys cannot be read: another is drawn for it.
func newKey() virtualwebauthn.Credential {
	const whole = 77 // bytes of a key whose numbers have all of theirs
	for {
		if c := virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2); len(c.Key.AttestationData()) == whole {
			return c
		}
	}
}

// makes answers what a browser was asked to make a passkey with.
func (d *device) makes(t *testing.T, asked json.RawMessage) string {
	t.Helper()
	options, err := virtualwebauthn.ParseAttestationOptions(string(asked))
	if err != nil {
		t.Fatalf("options %s: %v", asked, err)
	}
	d.of.Options.UserHandle = []byte(options.UserID)
	return virtualwebauthn.CreateAttestationResponse(d.site, d.of, d.key, *options)
}

// signs answers what a browser was asked to sign, counting one more.
func (d *device) signs(t *testing.T, asked json.RawMessage) string {
	t.Helper()
	options, err := virtualwebauthn.ParseAssertionOptions(string(asked))
	if err != nil {
		t.Fatalf("options %s: %v", asked, err)
	}
	d.key.Counter++
	return virtualwebauthn.CreateAssertionResponse(d.site, d.of, d.key, *options)
}

// here is a person who is signed in, always in the same session.
func here(t *testing.T, o *modelstest.Office, u *models.User) models.Actor {
	t.Helper()
	actor := u.Actor()
	for range 2 {
		err := o.Owner.QueryRow(`SELECT id, device_id FROM sessions WHERE user_id = $1 AND user_agent = 'here'`, u.ID).
			Scan(&actor.Session.ID, &actor.Session.DeviceID)
		if err == nil {
			break
		}
		modelstest.Exec(t, o.Owner, fmt.Sprintf(`WITH d AS (INSERT INTO devices (token, created_at, user_agent)
				VALUES ('here %[1]d', now(), 'here') RETURNING id)
			INSERT INTO sessions (token_hash, user_id, device_id, created_at, seen_at, proved_at, expires_at, address, user_agent)
			SELECT sha256('here %[1]d'), %[1]d, id, now(), now(), '2000-01-01', now() + interval '9 years', '', 'here' FROM d`, u.ID))
	}
	return actor
}

// proof is the password in the browser of a session.
func proof(t *testing.T, o *modelstest.Office, text string) entrance.Proof {
	t.Helper()
	place, err := o.Entrance.Admit(t.Context(), nobody(), "")
	if err != nil {
		t.Fatalf("Admit() = %v", err)
	}
	t.Cleanup(place.Leave)
	place.Leave() // what it is counted by stays
	return entrance.Proof{Text: text, Browser: "session", Place: place}
}

// registers adds the device's passkey to a person who is signed in.
func (d *device) registers(t *testing.T, u *models.User) []string {
	t.Helper()
	asked, err := d.o.Entrance.AskOwn(t.Context(), here(t, d.o, u), "session")
	if err != nil {
		t.Fatalf("AskOwn() = %v", err)
	}
	recovery, err := d.o.Entrance.AddPasskey(t.Context(), here(t, d.o, u), proof(t, d.o, modelstest.Password), "Teléfono", d.makes(t, asked))
	if err != nil {
		t.Fatalf("AddPasskey() = %v", err)
	}
	return recovery
}

func (d *device) asked(t *testing.T, browser string) json.RawMessage {
	t.Helper()
	asked, err := d.o.Entrance.AskPasskey(t.Context(), browser)
	if err != nil {
		t.Fatalf("AskPasskey() = %v", err)
	}
	return asked
}

func (d *device) signIn(t *testing.T) (*entrance.SignedIn, error) {
	t.Helper()
	return passkeyIn(t, d.o, "browser", d.signs(t, d.asked(t, "browser")))
}

func passkeyIn(t *testing.T, o *modelstest.Office, browser, answer string) (*entrance.SignedIn, error) {
	t.Helper()
	place, err := o.Entrance.Admit(t.Context(), nobody(), "")
	if err != nil {
		t.Errorf("Admit() = %v", err)
		return nil, err
	}
	defer place.Leave()
	return o.Entrance.PasskeySignIn(t.Context(), nobody(), place, browser, answer)
}

// A passkey signs in without a password, and is the second step after one; the trail says
// so, and has nothing of the key.
func TestAPasskeySignsIn(t *testing.T) {
	t.Parallel()
	o, u := withKeys(t)
	d := newDevice(o)
	if got := d.registers(t, u); len(got) != factors.Recoveries {
		t.Errorf("AddPasskey() of the first factor = %d recovery codes, want %d", len(got), factors.Recoveries)
	}
	in, err := d.signIn(t)
	if err != nil {
		t.Fatalf("PasskeySignIn() = %v", err)
	}
	if actor, _, err := o.Entrance.SessionActor(t.Context(), in.Token); err != nil || actor.UserID != u.ID {
		t.Errorf("SessionActor() = %+v, %v, want user %d", actor, err, u.ID)
	}
	half := password(t, o, u.Email, "")
	if half.Step == "" || half.Setup {
		t.Fatalf("SignIn() with the password = %+v, want a second step with what they have", half)
	}
	asked, err := o.Entrance.AskStep(t.Context(), half.Step)
	if err != nil || !strings.Contains(string(asked), "allowCredentials") {
		t.Fatalf("AskStep() = %s, %v, want the person's keys", asked, err)
	}
	if _, err := o.Entrance.TakeStep(t.Context(), nobody(), half.Step, entrance.Given{Passkey: d.signs(t, asked)}); err != nil {
		t.Errorf("TakeStep() = %v", err)
	}
	got := modelstest.Texts(t, o.Owner, `SELECT action FROM audit_entries
		WHERE action LIKE 'user.passkey%' OR action = 'session.started' ORDER BY id`)
	if want := "user.passkeyAdded, user.passkeyUsed, session.started, user.passkeyUsed, session.started"; !sameTexts(got, want) {
		t.Errorf("entries %q, want %q", got, want)
	}
	ways := modelstest.Texts(t, o.Owner, `SELECT after->>'way' FROM audit_entries WHERE action = 'session.started' ORDER BY id`)
	if !sameTexts(ways, "passkey, both") {
		t.Errorf("sign-ins by %q, want by the passkey alone and after the password", ways)
	}
	for _, secret := range []string{fmt.Sprintf("%x", d.key.ID), fmt.Sprintf("%x", d.of.Options.UserHandle)} {
		modelstest.Wants(t, "entries with something of a key", modelstest.Count(t, o.Owner,
			`SELECT count(*) FROM audit_entries e WHERE e::text LIKE '%' || $1 || '%'`, secret), 0)
	}
}

func sameTexts(got []string, want string) bool {
	left := map[string]int{}
	for _, g := range got {
		left[g]++
	}
	for _, w := range strings.Split(want, ", ") {
		left[w]--
	}
	for _, n := range left {
		if n != 0 {
			return false
		}
	}
	return true
}

// What was signed counts once, in the browser that was asked, for what it was asked for,
// within five minutes, for this site, and as the key of its person.
func TestWhatAPasskeySignedCountsOnce(t *testing.T) {
	t.Parallel()
	o, u := withKeys(t)
	d := newDevice(o)
	d.registers(t, u)
	eva := modelstest.User(t, o.DB, o.Clock.Now(), "eva@example.mx", models.Supervisor)
	other := newDevice(o)
	other.registers(t, eva)
	in := func(browser, answer string) error {
		_, err := passkeyIn(t, o, browser, answer)
		return err
	}
	step := func(answer string) error {
		_, err := o.Entrance.TakeStep(t.Context(), nobody(), password(t, o, u.Email, "").Step, entrance.Given{Passkey: answer})
		return err
	}
	twice := d.signs(t, d.asked(t, "browser"))
	if err := in("browser", twice); err != nil {
		t.Fatalf("PasskeySignIn() = %v", err)
	}
	late := d.signs(t, d.asked(t, "browser"))
	o.Clock.Advance(passkeys.Life + time.Second)
	own := d.asked(t, "browser")
	elsewhere := *d
	elsewhere.site.Origin = "https://veinte.example.evil.test"
	hash := *d
	hash.site.ID = "evil.test"
	unverified := *d
	unverified.of.Options.UserNotVerified = true
	forged := *d
	forged.key = newKey()
	forged.key.ID = d.key.ID
	stranger := newDevice(o)
	stranger.of.Options.UserHandle = d.of.Options.UserHandle
	evas := *other
	evas.of.Options.UserHandle = d.of.Options.UserHandle
	for _, tt := range []struct {
		name string
		err  error
		want *models.Error
	}{
		{"a second time", in("browser", twice), passkeys.ErrOver},
		{"too late", in("browser", late), passkeys.ErrOver},
		{"in another browser", in("another", d.signs(t, d.asked(t, "browser"))), passkeys.ErrOver},
		{"for the other purpose", step(d.signs(t, d.asked(t, "browser"))), passkeys.ErrOver},
		{
			"a challenge of somebody's own",
			in("browser", d.signs(t, json.RawMessage(`{"challenge":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}`))), passkeys.ErrOver,
		},
		{"another site", in("browser", elsewhere.signs(t, own)), passkeys.ErrOtherSite},
		{"the key of another site", in("browser", hash.signs(t, own)), passkeys.ErrOtherSite},
		{"nobody was verified", in("browser", unverified.signs(t, own)), passkeys.ErrWrong},
		{"another key with its id", in("browser", forged.signs(t, own)), passkeys.ErrWrong},
		{"a key that nobody has", in("browser", stranger.signs(t, own)), passkeys.ErrUnknown},
		{"a key as that of another person", in("browser", evas.signs(t, own)), passkeys.ErrWrong},
		{"another person's in the step", step(other.signs(t, own)), passkeys.ErrUnknown},
		{"nonsense", in("browser", `{"id": 7`), passkeys.ErrWrong},
		{"far too much", in("browser", strings.Repeat("x", 40<<10)), passkeys.ErrWrong},
	} {
		if !modelstest.IsError(tt.err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, tt.err, tt.want)
		}
	}
	d.key.Counter += 100
	if _, err := d.signIn(t); err != nil {
		t.Errorf("PasskeySignIn() after all of it = %v", err)
	}
	modelstest.Wants(t, "sessions", modelstest.Count(t, o.Owner, "SELECT count(*) FROM sessions WHERE user_agent <> 'here'"), 2)
}

// Of several uses of what was signed at the same time one wins.
func TestOfTwoUsesOfASignatureOneWins(t *testing.T) {
	t.Parallel()
	o, u := withKeys(t)
	d := newDevice(o)
	d.registers(t, u)
	answer := d.signs(t, d.asked(t, "browser"))
	var won atomic.Int32
	modelstest.AtOnce(4, func(int) {
		if _, err := passkeyIn(t, o, "browser", answer); err == nil {
			won.Add(1)
		}
	})
	modelstest.Wants(t, "sessions", int(won.Load()), 1)
}

// A key whose count goes back is in two hands: it is refused from then on, whoever has it,
// and the trail says so. It still counts as a factor, so nobody sets up an app instead.
func TestACopiedPasskeyIsRefused(t *testing.T) {
	t.Parallel()
	o, u := withKeys(t)
	d := newDevice(o)
	codes := d.registers(t, u)
	copied := *d
	for range 3 {
		if _, err := d.signIn(t); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := copied.signIn(t); !modelstest.IsError(err, passkeys.ErrCloned) {
		t.Errorf("PasskeySignIn() with a copy = %v, want %v", err, passkeys.ErrCloned)
	}
	if _, err := d.signIn(t); !modelstest.IsError(err, passkeys.ErrCloned) {
		t.Errorf("PasskeySignIn() with the first = %v, want %v", err, passkeys.ErrCloned)
	}
	modelstest.Wants(t, "alarms", modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries
		WHERE action = 'user.passkeyCloned' AND outcome = 'denied' AND after->>'email' = $1`, u.Email), 1)
	if in := password(t, o, u.Email, ""); in.Setup {
		t.Error("whose key was copied may set up an app with the password alone")
	}
	if _, err := take(t, o, u, codes[0]); err != nil {
		t.Errorf("TakeStep() with a recovery code = %v", err)
	}
}

// Whoever has no right to sign in has none with a passkey: disabled, access over, the key
// removed, the factors reset.
func TestAPasskeyOpensNothingToWhoMayNot(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*modelstest.Office, *models.User) error{
		"disabled": func(o *modelstest.Office, u *models.User) error {
			return o.Accounts.DisableUser(t.Context(), o.Admin, u.ID, 1)
		},
		"factors reset": func(o *modelstest.Office, u *models.User) error {
			return o.Entrance.ResetFactors(t.Context(), o.Admin, u.ID)
		},
		"key removed": func(o *modelstest.Office, u *models.User) error {
			newDevice(o).registers(t, u) // another stays
			own, err := o.Entrance.OwnFactors(t.Context(), here(t, o, u))
			if err != nil {
				return err
			}
			return o.Entrance.RemovePasskey(t.Context(), here(t, o, u), proof(t, o, modelstest.Password), own.Keys[0].ID)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, u := withKeys(t)
			d := newDevice(o)
			d.registers(t, u)
			answer := d.signs(t, d.asked(t, "browser")) // before it, used after it
			if err := end(o, u); err != nil {
				t.Fatal(err)
			}
			_, err := passkeyIn(t, o, "browser", answer)
			if !modelstest.IsError(err, passkeys.ErrUnknown) {
				t.Errorf("PasskeySignIn() = %v, want %v", err, passkeys.ErrUnknown)
			}
			modelstest.Wants(t, "sessions", modelstest.Count(t, o.Owner, "SELECT count(*) FROM sessions WHERE user_agent <> 'here'"), 0)
		})
	}
}

// Who has to set up a second step may set up a passkey, and is then asked for it.
func TestAPasskeyIsSetUpAtTheFirstSignIn(t *testing.T) {
	t.Parallel()
	o, u := withKeys(t)
	d := newDevice(o)
	in := password(t, o, u.Email, "")
	asked, err := o.Entrance.AskStep(t.Context(), in.Step)
	if err != nil {
		t.Fatalf("AskStep() = %v", err)
	}
	given := entrance.Given{Passkey: d.makes(t, asked), Name: "Llave"}
	taken, err := o.Entrance.TakeStep(t.Context(), nobody(), in.Step, given)
	if err != nil || len(taken.Recovery) != factors.Recoveries {
		t.Fatalf("TakeStep() = %+v, %v, want recovery codes", taken, err)
	}
	if _, err := o.Entrance.TakeStep(t.Context(), nobody(), in.Step, given); !errors.Is(err, entrance.ErrStepOver) {
		t.Errorf("TakeStep() again = %v, want %v", err, entrance.ErrStepOver)
	}
	if _, err := take(t, o, u, "123456"); !modelstest.IsError(err, factors.ErrWrong) {
		t.Errorf("TakeStep() with a code and no app = %v, want %v", err, factors.ErrWrong)
	}
}
