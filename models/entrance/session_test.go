package entrance_test

import (
	"errors"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/database"
	"veinte/models/entrance"
	"veinte/models/entrance/factors"
	"veinte/models/modelstest"
)

// signInOn signs in on a device, "" for an unknown one. own is the tick that it is theirs.
func signInOn(t *testing.T, o *modelstest.Office, device, email string, own bool) (*entrance.SignedIn, error) {
	t.Helper()
	place, err := o.Entrance.Admit(t.Context(), nobody(), device)
	if err != nil {
		return nil, err
	}
	defer place.Leave()
	return o.Entrance.SignIn(t.Context(), nobody(), place, entrance.Attempt{Email: email, Password: modelstest.Password, Own: own})
}

func mustSignIn(t *testing.T, o *modelstest.Office, device, email string, own bool) *entrance.SignedIn {
	t.Helper()
	in, err := signInOn(t, o, device, email, own)
	if err != nil || in.Token == "" {
		t.Fatalf("SignIn(%s, own device: %t) = %+v, %v, want a session", email, own, in, err)
	}
	return in
}

func lives(t *testing.T, o *modelstest.Office, in *entrance.SignedIn) bool {
	t.Helper()
	_, _, err := o.Entrance.SessionActor(t.Context(), in.Token)
	if err != nil && !errors.Is(err, models.ErrNotFound) {
		t.Fatalf("SessionActor() = %v", err)
	}
	living, wrong := o.Entrance.Living(t.Context(), []string{in.Token, "nobody's"})
	if _, there := living[in.Token]; wrong != nil || there != (err == nil) || len(living) > 1 {
		t.Errorf("Living() = %v, %v, want what SessionActor() says: %v", living, wrong, err)
	}
	return err == nil
}

// TestASessionRests: without an act of its person a session ends after half an hour, on a
// device that they said is theirs with their shift. What a page asks by itself is no act.
func TestASessionRests(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	ana := modelstest.User(t, o.DB, o.Clock.Now(), "ana@example.mx", models.Manager, o.Store)
	unknown, own := mustSignIn(t, o, "", ana.Email, false), mustSignIn(t, o, "", ana.Email, true)
	begun := o.Clock.Now()
	acts := func(in *entrance.SignedIn) {
		t.Helper()
		actor, _, err := o.Entrance.SessionActor(t.Context(), in.Token)
		if err == nil {
			err = o.Entrance.Saw(t.Context(), actor)
		}
		if err != nil {
			t.Fatalf("an act of hers = %v", err)
		}
	}
	o.Clock.Advance(entrance.IdleLife - time.Second)
	acts(unknown)
	o.Clock.Advance(entrance.IdleLife - time.Second)
	if !lives(t, o, unknown) {
		t.Errorf("%s after her last act the session has ended, want that it lives", entrance.IdleLife-time.Second)
	}
	o.Clock.Advance(time.Second) // looking was no act
	if lives(t, o, unknown) {
		t.Errorf("%s after her last act the session lives, want it ended", entrance.IdleLife)
	}
	o.Clock.Set(begun.Add(entrance.SessionLife - time.Second))
	if !lives(t, o, own) {
		t.Error("a second before the end of her shift the session on her own device has ended, want that it lives")
	}
	acts(own)
	o.Clock.Set(begun.Add(entrance.SessionLife))
	if lives(t, o, own) {
		t.Error("at the end of the shift the session lives, want it ended whatever was done")
	}
	if err := o.Operations.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	for reason, want := range map[string]int{"session.idle": 0, "session.expired": 2} {
		modelstest.Wants(t, reason, modelstest.Count(t, o.Owner,
			`SELECT count(*) FROM audit_entries WHERE action = 'session.ended' AND reason = $1`, reason), want)
	}
}

// TestWhatRestsIsSwept: a session that nobody uses is not only refused. It is in the trail.
func TestWhatRestsIsSwept(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	ana := modelstest.User(t, o.DB, o.Clock.Now(), "ana@example.mx", models.Manager, o.Store)
	mustSignIn(t, o, "", ana.Email, false)
	own := mustSignIn(t, o, "", ana.Email, true)
	o.Clock.Advance(entrance.IdleLife)
	if err := o.Operations.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !lives(t, o, own) {
		t.Error("the sweep ended a session on an own device")
	}
	modelstest.Wants(t, "entries", modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries
		WHERE action = 'session.ended' AND reason = 'session.idle' AND on_behalf_of = $1`, ana.Name), 1)
}

// TestThatSomebodyIsThereIsWrittenOnceAMinute, however much they do.
func TestThatSomebodyIsThereIsWrittenOnceAMinute(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	ana := modelstest.User(t, o.DB, o.Clock.Now(), "ana@example.mx", models.Manager, o.Store)
	in := mustSignIn(t, o, "", ana.Email, false)
	begun := o.Clock.Now()
	for _, tt := range []struct{ after, seen time.Duration }{
		{59 * time.Second, 0}, {time.Minute, time.Minute}, {119 * time.Second, time.Minute}, {2 * time.Minute, 2 * time.Minute},
	} {
		o.Clock.Set(begun.Add(tt.after))
		for range 2 {
			actor, _, err := o.Entrance.SessionActor(t.Context(), in.Token)
			if err == nil {
				err = o.Entrance.Saw(t.Context(), actor)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		actor, _, err := o.Entrance.SessionActor(t.Context(), in.Token)
		if got := actor.Session.SeenAt.Sub(begun); err != nil || got != tt.seen {
			t.Errorf("an act after %s: seen after %s, %v, want %s", tt.after, got, err, tt.seen)
		}
	}
}

// TestASignInEndsTheOneBefore on its device, whoever had it, and leaves those on others.
func TestASignInEndsTheOneBefore(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	ana := modelstest.User(t, o.DB, o.Clock.Now(), "ana@example.mx", models.Manager, o.Store)
	eva := modelstest.User(t, o.DB, o.Clock.Now(), "eva@example.mx", models.Manager, o.Store)
	counter, phone := mustSignIn(t, o, "", ana.Email, true), mustSignIn(t, o, "", ana.Email, true)
	again := mustSignIn(t, o, counter.Device, ana.Email, false)
	if lives(t, o, counter) || !lives(t, o, again) || !lives(t, o, phone) {
		t.Error("after she signs in again at the counter, only that session there and the one on her phone live; got another answer")
	}
	actor, _, err := o.Entrance.SessionActor(t.Context(), again.Token)
	if err != nil || !actor.Session.Own {
		t.Errorf("her own device without the tick = %+v, %v, want that it stays hers", actor.Session, err)
	}
	of := mustSignIn(t, o, counter.Device, eva.Email, false)
	if lives(t, o, again) || !lives(t, o, of) || !lives(t, o, phone) {
		t.Error("after a colleague signs in at the counter, hers there has ended and the one on her phone lives; got another answer")
	}
	if actor, _, err := o.Entrance.SessionActor(t.Context(), of.Token); err != nil || actor.Session.Own {
		t.Errorf("the colleague's device = %+v, %v, want that it is not hers: she did not say so", actor.Session, err)
	}
	modelstest.Wants(t, "entries", modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries
		WHERE action = 'session.ended' AND reason = 'session.replaced' AND on_behalf_of = $1`, ana.Name), 2)
}

// TestTenSessionsAPerson: the eleventh ends the one that was not used for longest.
func TestTenSessionsAPerson(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	ana := modelstest.User(t, o.DB, o.Clock.Now(), "ana@example.mx", models.Manager, o.Store)
	var all []*entrance.SignedIn
	for n := range 11 {
		o.Clock.Advance(time.Minute)
		if n == 10 { // the first is used, so the second is the oldest
			actor, _, err := o.Entrance.SessionActor(t.Context(), all[0].Token)
			if err == nil {
				err = o.Entrance.Saw(t.Context(), actor)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		all = append(all, mustSignIn(t, o, "", ana.Email, false))
	}
	for n, in := range all {
		if got, want := lives(t, o, in), n != 1; got != want {
			t.Errorf("session %d lives: %t, want %t", n, got, want)
		}
	}
	modelstest.Wants(t, "entries", modelstest.Count(t, o.Owner,
		`SELECT count(*) FROM audit_entries WHERE action = 'session.ended' AND reason = 'session.tooMany'`), 1)
}

// TestOnlyAnOwnDeviceSavesTheCode: having signed in somewhere once is not enough.
func TestOnlyAnOwnDeviceSavesTheCode(t *testing.T) {
	t.Parallel()
	o, _ := twoSteps(t)
	ana := modelstest.User(t, o.DB, o.Clock.Now(), "ana@example.mx", models.Manager, o.Store)
	in, err := signInOn(t, o, "", ana.Email, false)
	if err != nil {
		t.Fatal(err)
	}
	step, err := o.Entrance.SecondStep(t.Context(), in.Step)
	if err != nil {
		t.Fatal(err)
	}
	a := app{o, step.Secret.Key()}
	taken, err := o.Entrance.TakeStep(t.Context(), nobody(), in.Step, entrance.Given{Code: a.code(t, 0)})
	if err != nil {
		t.Fatal(err)
	}
	o.Clock.Advance(time.Minute)
	in, err = signInOn(t, o, taken.Device, ana.Email, true)
	if err != nil || in.Step == "" {
		t.Fatalf("a device on which she has signed in = %+v, %v, want that a code is asked", in, err)
	}
	taken, err = o.Entrance.TakeStep(t.Context(), nobody(), in.Step, entrance.Given{Code: a.code(t, 0)})
	if err != nil {
		t.Fatal(err)
	}
	if in, err = signInOn(t, o, taken.Device, ana.Email, false); err != nil || in.Step != "" {
		t.Errorf("her own device = %+v, %v, want that no code is asked", in, err)
	}
	if err := o.Entrance.SetFactorRules(t.Context(), o.Admin, map[models.Role]factors.Ask{models.Manager: factors.Always}); err != nil {
		t.Fatal(err)
	}
	if in, err = signInOn(t, o, taken.Device, ana.Email, false); err != nil || in.Step == "" {
		t.Errorf("her own device where the rule is always = %+v, %v, want that a code is asked", in, err)
	}
}

// TestWhenAPersonProvedWhoTheyAre is that of the sign-in, until it is noted anew.
func TestWhenAPersonProvedWhoTheyAre(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	ana := modelstest.User(t, o.DB, o.Clock.Now(), "ana@example.mx", models.Manager, o.Store)
	begun := o.Clock.Now()
	in := mustSignIn(t, o, "", ana.Email, true)
	actor := func() models.Actor {
		t.Helper()
		a, _, err := o.Entrance.SessionActor(t.Context(), in.Token)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if got := actor().Session.ProvedAt; !got.Equal(begun) {
		t.Errorf("proved at %s, want the sign-in's %s", got, begun)
	}
	o.Clock.Advance(time.Hour)
	if err := o.DB.InTx(t.Context(), func(tx database.Tx) error { return o.Entrance.Prove(tx, actor()) }); err != nil {
		t.Fatalf("Prove() = %v", err)
	}
	inside := func(of models.Actor) (at time.Time, err error) {
		err = o.DB.InTx(t.Context(), func(tx database.Tx) error {
			at, err = o.Entrance.ProvedAt(tx, of)
			return err
		})
		return at, err
	}
	if at, err := inside(actor()); err != nil || !at.Equal(o.Clock.Now()) || !actor().Session.ProvedAt.Equal(at) {
		t.Errorf("ProvedAt() = %s, %v, want %s", at, err, o.Clock.Now())
	}
	other := actor()
	other.UserID = o.Manager.UserID
	if _, err := inside(other); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("ProvedAt() of another person's session = %v, want %v", err, models.ErrNotFound)
	}
}

// TestOldDevicesAreForgotten: those beyond twenty, and those of which nothing was seen for
// half a year.
func TestOldDevicesAreForgotten(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	ana := modelstest.User(t, o.DB, o.Clock.Now(), "ana@example.mx", models.Manager, o.Store)
	modelstest.Exec(t, o.Owner, `INSERT INTO devices (token, created_at, user_agent) SELECT 'd' || n, $1, '' FROM generate_series(1, 25) n`,
		o.Clock.Now().Add(-time.Hour))
	modelstest.Exec(t, o.Owner, `INSERT INTO known_devices (user_id, device_id, created_at, signed_in_at, address)
		SELECT $1, id, created_at, created_at, '' FROM devices`, ana.ID)
	in := mustSignIn(t, o, "", ana.Email, false)
	modelstest.Wants(t, "known devices", modelstest.Count(t, o.Owner, `SELECT count(*) FROM known_devices`), 20)
	if actor, _, err := o.Entrance.SessionActor(t.Context(), in.Token); err != nil || actor.Session.DeviceID == 0 {
		t.Errorf("the newest device = %+v, %v, want it known", actor.Session, err)
	}
	o.Clock.Advance(entrance.DeviceLife + time.Second)
	for range 2 { // the session first
		if err := o.Operations.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	const left = `SELECT (SELECT count(*) FROM known_devices) + (SELECT count(*) FROM devices)`
	modelstest.Wants(t, "devices", modelstest.Count(t, o.Owner, left), 0)
}

// TestASessionThatExpiresIsInTheTrail although no request uses it.
func TestASessionThatExpiresIsInTheTrail(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	u := modelstest.User(t, o.DB, o.Clock.Now(), "ana@example.mx", models.Manager, o.Store)
	if _, err := signInOn(t, o, "", u.Email, true); err != nil {
		t.Fatal(err)
	}
	ended := `SELECT count(*) FROM audit_entries WHERE action = 'session.ended' AND reason = 'session.expired' AND on_behalf_of = $1`
	for _, tt := range []struct {
		after time.Duration
		want  int
	}{{entrance.SessionLife - time.Second, 0}, {time.Second, 1}, {0, 1}} {
		o.Clock.Advance(tt.after)
		if err := o.Operations.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := modelstest.Count(t, o.Owner, ended, u.Name); got != tt.want {
			t.Errorf("after another %s the trail tells of %d ends, want %d", tt.after, got, tt.want)
		}
	}
}
