package entrance_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/entrance"
	"veinte/models/modelstest"
)

// told lists the kinds of what the person of a session is told, the newest first.
func told(t *testing.T, o *modelstest.Office, in *entrance.SignedIn) []models.AccountNotice {
	t.Helper()
	actor := whoIs(t, o, in)
	all, err := o.Accounts.NoticesOf(t.Context(), actor)
	if err != nil {
		t.Fatalf("NoticesOf() = %v", err)
	}
	if actor.Session.Told != (len(all) > 0) {
		t.Errorf("the session says that there are notices: %t, and there are %d", actor.Session.Told, len(all))
	}
	return all
}

func kinds(all []models.AccountNotice) string {
	var said []string
	for i := range all {
		said = append(said, string(all[i].Kind))
	}
	return fmt.Sprint(said)
}

func wantKinds(t *testing.T, o *modelstest.Office, where string, in *entrance.SignedIn, want ...string) []models.AccountNotice {
	t.Helper()
	all := told(t, o, in)
	if got := kinds(all); got != fmt.Sprint(want) {
		t.Errorf("told %s: %s, want %v", where, got, want)
	}
	return all
}

func letters(t *testing.T, o *modelstest.Office, userID int64) int {
	t.Helper()
	return modelstest.Count(t, o.Owner, `SELECT count(*) FROM mails m JOIN account_notices n ON n.id = m.account_notice_id
		JOIN users u ON u.id = n.user_id WHERE u.id = $1 AND m.recipient = u.email`, userID)
}

// TestANewDeviceIsTold in every session but its own, with when and from where, and by mail; a
// first one is not, and neither is one that is known.
func TestANewDeviceIsTold(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	ana := modelstest.User(t, o.DB, o.Clock.Now(), "ana@example.mx", models.Manager, o.Store)
	first := mustSignIn(t, o, "", ana.Email, true)
	wantKinds(t, o, "after the first sign-in", first)
	again := mustSignIn(t, o, first.Device, ana.Email, true)
	wantKinds(t, o, "after another there", again)
	o.Clock.Advance(time.Minute)
	other := mustSignIn(t, o, "", ana.Email, true)
	wantKinds(t, o, "in the new browser", other)
	all := wantKinds(t, o, "in the known one", again, "newDevice")
	if n := all[0]; !n.At.Equal(o.Clock.Now()) || n.Address != nobody().Address || n.UserAgent == "" || n.ByName != "" {
		t.Errorf("the notice = %+v, want now and from where", n)
	}
	modelstest.Wants(t, "letters", letters(t, o, ana.ID), 1)
	later := mustSignIn(t, o, other.Device, ana.Email, true)
	wantKinds(t, o, "at the next sign-in there", later, "newDevice")
	o.Entrance.SharePeople()
	mustSignIn(t, o, "", ana.Email, true)
	wantKinds(t, o, "where anybody may be her", again, "newDevice")
}

// TestChangedCredentialsAreTold to their person: another password by themselves, a link that
// an administrator made and what was set with it, a reset by the command line. Of what
// somebody else did they learn who, and no address.
func TestChangedCredentialsAreTold(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	ana := modelstest.User(t, o.DB, o.Clock.Now(), "ana@example.mx", models.Manager, o.Store)
	admin := o.Admin
	admin.Address, admin.UserAgent = "203.0.113.9", "Firefox"
	here := mustSignIn(t, o, "", ana.Email, true)
	if err := change(t, o, here, modelstest.Password, another); err != nil {
		t.Fatalf("ChangePassword() = %v", err)
	}
	wantKinds(t, o, "in the session in which she changed it", here)
	link, err := o.Accounts.MakeLink(t.Context(), admin, ana.ID)
	if err != nil {
		t.Fatalf("MakeLink() = %v", err)
	}
	all := wantKinds(t, o, "after a link", here, "linkMade")
	if n := all[0]; n.ByName != admin.Name || n.Address != "" || n.UserAgent != "" {
		t.Errorf("the notice of the link = %+v, want who made it and nothing of where they were", n)
	}
	modelstest.Wants(t, "letters of notices, where the link has its own", letters(t, o, ana.ID), 1)
	if _, err := o.Entrance.SetPassword(t.Context(), nobody(), link.Token, modelstest.Password, ""); err != nil {
		t.Fatalf("SetPassword() = %v", err)
	}
	if err := o.Accounts.ResetPassword(t.Context(), commandLine, ana.ID, modelstest.Password); err != nil {
		t.Fatalf("ResetPassword() = %v", err)
	}
	in := mustSignIn(t, o, "", ana.Email, true)
	all = wantKinds(t, o, "at the next sign-in", in, "passwordReset", "passwordSet", "linkMade", "passwordChanged")
	if n := all[1]; n.Address != nobody().Address || n.ByName != "" {
		t.Errorf("the notice of what was set with the link = %+v, want from where", n)
	}
	if n := all[0]; n.Address != "" || n.ByName != "" {
		t.Errorf("the notice of the command line = %+v, want nobody's name or address", n)
	}
	modelstest.Wants(t, "letters", letters(t, o, ana.ID), 3)
	invited := modelstest.Count(t, o.Owner, `SELECT count(*) FROM account_notices WHERE user_id <> $1`, ana.ID)
	modelstest.Wants(t, "notices of others", invited, 0)
}

// TestAResetOfAFactorIsToldToAllAdministrators, and to the person, who is also told that one
// was set up.
func TestAResetOfAFactorIsToldToAllAdministrators(t *testing.T) {
	t.Parallel()
	o, sofia := twoSteps(t)
	var admins []*models.User
	for _, email := range []string{"diego@example.mx", "elsa@example.mx", "gone@example.mx"} {
		admins = append(admins, modelstest.User(t, o.DB, o.Clock.Now(), email, models.Administrator))
	}
	modelstest.Exec(t, o.Owner, `UPDATE users SET disabled_at = now() WHERE id = $1`, admins[2].ID)
	modelstest.Exec(t, o.Owner, `UPDATE factor_rules SET ask = 'never' WHERE role = 'administrator'`)
	_, taken := setUp(t, o, sofia)
	wantKinds(t, o, "in the session in which it was set up", taken.SignedIn)
	by := admins[0].Actor()
	by.Address = "203.0.113.9"
	if err := o.Entrance.ResetFactors(t.Context(), by, sofia.ID); err != nil {
		t.Fatalf("ResetFactors() = %v", err)
	}
	// Who did it is told from where, and the others only who it was.
	for i, by := range []models.AccountNotice{{Address: by.Address}, {ByName: admins[0].Name}} {
		u := admins[i]
		all := wantKinds(t, o, "to "+u.Email, mustSignIn(t, o, "", u.Email, true), "factorResetOf")
		if n := all[0]; n.ByName != by.ByName || n.Address != by.Address || n.OfName != sofia.Name {
			t.Errorf("the notice to %s = %+v, want %+v of %s", u.Email, n, by, sofia.Name)
		}
		modelstest.Wants(t, "letters to "+u.Email, letters(t, o, u.ID), 1)
	}
	modelstest.Wants(t, "letters to who is gone", letters(t, o, admins[2].ID), 0)
	got := modelstest.Count(t, o.Owner, `SELECT count(*) FROM account_notices WHERE user_id = $1
		AND (kind = 'factorAdded' AND address <> '' OR kind = 'factorReset' AND by_name = $2 AND address = '')`, sofia.ID, admins[0].Name)
	modelstest.Wants(t, "notices to the person", got, 2)
	modelstest.Wants(t, "letters to the person", letters(t, o, sofia.ID), 2)
}

// TestANoticeIsDismissed by its person, once, and by nobody else: also not in the session of
// which it speaks, which may be a stranger's.
func TestANoticeIsDismissed(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	ana := modelstest.User(t, o.DB, o.Clock.Now(), "ana@example.mx", models.Manager, o.Store)
	eva := modelstest.User(t, o.DB, o.Clock.Now(), "eva@example.mx", models.Manager, o.Store)
	here, strange := mustSignIn(t, o, "", ana.Email, true), mustSignIn(t, o, "", ana.Email, true)
	colleague := mustSignIn(t, o, "", eva.Email, true)
	id := told(t, o, here)[0].ID
	for whose, in := range map[string]*entrance.SignedIn{"a colleague": colleague, "the new browser": strange} {
		if err := o.Accounts.DismissNotice(t.Context(), whoIs(t, o, in), id); !errors.Is(err, models.ErrNotFound) {
			t.Errorf("DismissNotice() by %s = %v, want %v", whose, err, models.ErrNotFound)
		}
	}
	wantKinds(t, o, "before she has read it", here, "newDevice")
	for range 2 {
		if err := o.Accounts.DismissNotice(t.Context(), whoIs(t, o, here), id); err != nil {
			t.Errorf("DismissNotice() = %v", err)
		}
	}
	wantKinds(t, o, "when she has read it", here)
	modelstest.Wants(t, "entries", modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries
		WHERE action = 'user.noticeDismissed' AND actor_id = $1 AND after->>'notice' = 'newDevice'`, ana.ID), 1)
}

// TestChangesOfFactorsAreTold: a passkey that is added or removed, an app and new recovery
// codes, each with where the person was.
func TestChangesOfFactorsAreTold(t *testing.T) {
	t.Parallel()
	o, u := withKeys(t)
	wants := func(after string, kind models.AccountNoticeKind, want int) {
		t.Helper()
		got := modelstest.Count(t, o.Owner, `SELECT count(*) FROM account_notices WHERE user_id = $1 AND kind = $2`, u.ID, string(kind))
		modelstest.Wants(t, "notices after "+after, got, want)
	}
	before := modelstest.Count(t, o.Owner, `SELECT count(*) FROM account_notices WHERE kind = 'factorAdded'`)
	newDevice(o).registers(t, u)
	wants("a passkey", models.NoticeFactorAdded, before+1)
	setUpApp(t, o, u)
	wants("an app", models.NoticeFactorAdded, before+2)
	if _, err := o.Entrance.NewRecovery(t.Context(), here(t, o, u), proof(t, o, modelstest.Password)); err != nil {
		t.Fatalf("NewRecovery() = %v", err)
	}
	wants("recovery codes", models.NoticeRecoveryMade, 1)
	if err := o.Entrance.RemoveApp(t.Context(), here(t, o, u), proof(t, o, modelstest.Password)); err != nil {
		t.Fatalf("RemoveApp() = %v", err)
	}
	wants("a removed app", models.NoticeFactorRemoved, 1)
}
