package entrance_test

import (
	"errors"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/entrance"
	"veinte/models/modelstest"
)

// whoIs is the person of a session, as their requests come.
func whoIs(t *testing.T, o *modelstest.Office, in *entrance.SignedIn) models.Actor {
	t.Helper()
	actor, _, err := o.Entrance.SessionActor(t.Context(), in.Token)
	if err != nil {
		t.Fatalf("SessionActor() = %v", err)
	}
	actor.Address = nobody().Address
	return actor
}

func devicesOf(t *testing.T, o *modelstest.Office, actor models.Actor, userID int64) []entrance.KnownDevice {
	t.Helper()
	known, err := o.Entrance.DevicesOf(t.Context(), actor, userID)
	if err != nil {
		t.Fatalf("DevicesOf(%d) = %v", userID, err)
	}
	return known
}

// TestPeopleSeeTheirDevices, the last used first and with when that was, and nobody else's:
// on a counter that they share each sees their own sign-ins.
func TestPeopleSeeTheirDevices(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	ana := modelstest.User(t, o.DB, o.Clock.Now(), "ana@example.mx", models.Manager, o.Store)
	eva := modelstest.User(t, o.DB, o.Clock.Now(), "eva@example.mx", models.Manager, o.Store)
	begun := o.Clock.Now()
	counter := mustSignIn(t, o, "", ana.Email, true)
	o.Clock.Advance(time.Hour)
	phone := mustSignIn(t, o, "", ana.Email, false)
	o.Clock.Advance(5 * time.Minute)
	if err := o.Entrance.Saw(t.Context(), whoIs(t, o, counter)); err != nil {
		t.Fatal(err)
	}
	here := whoIs(t, o, counter)
	known := devicesOf(t, o, here, ana.ID)
	if len(known) != 2 || known[0].ID != here.Session.DeviceID || known[1].ID != whoIs(t, o, phone).Session.DeviceID {
		t.Fatalf("DevicesOf() = %+v, want the counter, where she was last, and the phone", known)
	}
	if d := known[0]; !d.CreatedAt.Equal(begun) || !d.UsedAt.Equal(o.Clock.Now()) || d.Address != nobody().Address || !d.Own || !d.Open {
		t.Errorf("the counter = %+v, want since %s, used now, her own, with a session", d, begun)
	}
	// Eva's sign-in there ends Ana's, and is no use of it by Ana.
	o.Clock.Advance(time.Minute)
	other := mustSignIn(t, o, counter.Device, eva.Email, true)
	known = devicesOf(t, o, whoIs(t, o, phone), ana.ID)
	if d := known[len(known)-1]; len(known) != 2 || d.ID != here.Session.DeviceID || d.Open || !d.UsedAt.Equal(begun) {
		t.Errorf("the counter after a colleague's sign-in = %+v, want it used at %s, without a session", known, begun)
	}
	if got := devicesOf(t, o, whoIs(t, o, other), eva.ID); len(got) != 1 || !got[0].CreatedAt.Equal(o.Clock.Now()) {
		t.Errorf("her colleague's devices = %+v, want the counter, since now", got)
	}
	if _, err := o.Entrance.DevicesOf(t.Context(), whoIs(t, o, other), ana.ID); !errors.Is(err, models.ErrForbidden) {
		t.Errorf("DevicesOf() of a colleague = %v, want %v", err, models.ErrForbidden)
	}
	o.Clock.Advance(entrance.DeviceLife) // nothing was swept yet
	if got := devicesOf(t, o, o.Admin, ana.ID); len(got) != 0 {
		t.Errorf("after the life of a device %+v are listed, want none", got)
	}
}

// TestADeviceIsForgotten: it is unknown from then on, its session has ended, and a sign-in
// that waited there for its second step too; the others stay, and the trail says it.
func TestADeviceIsForgotten(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	ana := modelstest.User(t, o.DB, o.Clock.Now(), "ana@example.mx", models.Manager, o.Store)
	eva := modelstest.User(t, o.DB, o.Clock.Now(), "eva@example.mx", models.Manager, o.Store)
	here, there := mustSignIn(t, o, "", ana.Email, true), mustSignIn(t, o, "", ana.Email, true)
	colleague := mustSignIn(t, o, "", eva.Email, true)
	actor, gone := whoIs(t, o, here), whoIs(t, o, there).Session.DeviceID
	modelstest.Exec(t, o.Owner, `INSERT INTO sign_in_steps (token_hash, user_id, counted_by, known, device, created_at, expires_at)
		SELECT sha256(token::bytea), $1, 'x', true, token, now(), now() + interval '1 hour' FROM devices`, ana.ID)
	for whose, id := range map[string]int64{"a colleague's": whoIs(t, o, colleague).Session.DeviceID, "nobody's": 987654} {
		if err := o.Entrance.ForgetOwnDevice(t.Context(), actor, id); !errors.Is(err, models.ErrNotFound) {
			t.Errorf("ForgetOwnDevice(%s) = %v, want %v", whose, err, models.ErrNotFound)
		}
	}
	if err := o.Entrance.ForgetOwnDevice(t.Context(), actor, gone); err != nil {
		t.Fatalf("ForgetOwnDevice() = %v", err)
	}
	for whose, s := range map[string]struct {
		in   *entrance.SignedIn
		want bool
	}{"the one here": {here, true}, "the forgotten one": {there, false}, "a colleague's": {colleague, true}} {
		if got := lives(t, o, s.in); got != s.want {
			t.Errorf("the session of %s lives: %t, want %t", whose, got, s.want)
		}
	}
	if got := devicesOf(t, o, actor, ana.ID); len(got) != 1 || got[0].ID != actor.Session.DeviceID {
		t.Errorf("her devices = %+v, want the one here", got)
	}
	modelstest.Wants(t, "steps that wait", modelstest.Count(t, o.Owner, `SELECT count(*) FROM sign_in_steps`), 2)
	modelstest.Wants(t, "entries", modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'user.deviceForgotten'
		AND actor_id = $1 AND before->>'email' = $2 AND (before->>'sessions')::int = 1 AND (before->>'ownDevice')::boolean`,
		ana.ID, ana.Email), 1)
	if err := o.Entrance.ForgetOwnDevice(t.Context(), actor, gone); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("ForgetOwnDevice() again = %v, want %v", err, models.ErrNotFound)
	}
	again := mustSignIn(t, o, there.Device, ana.Email, false)
	if whoIs(t, o, again).Session.Own {
		t.Error("the forgotten browser is hers again without a word of hers")
	}
	modelstest.Wants(t, "sign-ins on a new device", modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries
		WHERE action = 'session.started' AND actor_id = $1 AND (after->>'newDevice')::boolean`, ana.ID), 3)
}

// TestAnAdministratorForgetsADevice of a person, and nobody else does.
func TestAnAdministratorForgetsADevice(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	ana := modelstest.User(t, o.DB, o.Clock.Now(), "ana@example.mx", models.Manager, o.Store)
	in := mustSignIn(t, o, "", ana.Email, true)
	id := whoIs(t, o, in).Session.DeviceID
	if err := o.Entrance.ForgetDeviceOf(t.Context(), o.Supervisor, ana.ID, id); !errors.Is(err, models.ErrForbidden) {
		t.Errorf("ForgetDeviceOf() by a supervisor = %v, want %v", err, models.ErrForbidden)
	}
	if err := o.Entrance.ForgetDeviceOf(t.Context(), o.Admin, ana.ID, id); err != nil {
		t.Fatalf("ForgetDeviceOf() = %v", err)
	}
	if lives(t, o, in) {
		t.Error("the session on the forgotten device lives, want it ended")
	}
}
