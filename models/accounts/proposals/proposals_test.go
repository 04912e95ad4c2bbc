package proposals_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/accounts/proposals"
	"veinte/models/apikeys"
	"veinte/models/database"
	"veinte/models/modelstest"
)

// TestASupervisorWaitsForASecondAdministrator: somebody new has no access until another
// administrator than the one who asked confirms it, and the entry names both.
func TestASupervisorWaitsForASecondAdministrator(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ada, beto := o.administrator("ada"), o.administrator("beto")
	sofia, link := o.invite(ada, input("sofia", models.Supervisor))
	if got := o.user(sofia.ID); got.DisabledAt == nil {
		t.Errorf("the new supervisor = %+v, want her without access", got)
	}
	err := o.Accounts.SetPassword(t.Context(), models.Actor{}, link.Token, modelstest.Password)
	o.refused("SetPassword() by her link", err, &models.Error{Kind: models.KindConflict, Code: "link.waits"})
	p := o.waiting(proposals.Person(sofia.ID))
	modelstest.Wants(t, "asked by", p.AskedByName, ada.Name)
	modelstest.Wants(t, "the role that waits", p.After.Role, models.Supervisor)

	o.refused("Confirm() by who asked", o.Proposals.Confirm(t.Context(), ada, p.ID, 1), proposals.ErrOwn)
	o.refused("Confirm() by a supervisor", o.Proposals.Confirm(t.Context(), o.Supervisor, p.ID, 1), models.ErrForbidden)
	o.refused("Confirm() of an older version", o.Proposals.Confirm(t.Context(), beto, p.ID, 7), models.ErrStale)
	o.must(o.Proposals.Confirm(t.Context(), beto, p.ID, 1))
	if got := o.user(sofia.ID); got.DisabledAt != nil || got.Role != models.Supervisor {
		t.Errorf("the confirmed supervisor = %+v, want her with access", got)
	}
	o.must(o.Accounts.SetPassword(t.Context(), models.Actor{}, link.Token, modelstest.Password))
	o.signIn(sofia.Email)
	o.refused("Confirm() again", o.Proposals.Confirm(t.Context(), beto, p.ID, 2), proposals.ErrOver)
	modelstest.Wants(t, "entries that name both", modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries
		WHERE action = 'rights.confirmed' AND actor_name = $1 AND after->>'askedBy' = $2 AND before->>'disabled' = 'true'
			AND after->>'disabled' = 'false'`, beto.Name, ada.Name), 1)
	modelstest.Wants(t, "notices to the other administrator", modelstest.Count(t, o.Owner,
		`SELECT count(*) FROM account_notices WHERE kind = 'rightsAsked' AND user_id = $1 AND of_name = $2`, beto.UserID, sofia.Name), 1)
	modelstest.Wants(t, "notices to who asked", modelstest.Count(t, o.Owner,
		`SELECT count(*) FROM account_notices WHERE kind = 'rightsAsked' AND user_id = $1`, ada.UserID), 0)
}

// TestWhatWaits: what gives more of what moves money, and nothing else. Until it is
// confirmed somebody has what they had.
func TestWhatWaits(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ada, beto := o.administrator("ada"), o.administrator("beto")
	other := modelstest.Store(t, o.DB, o.Clock.Now(), "OTRA")
	here, both := []int64{o.Store.ID}, []int64{o.Store.ID, other.ID}
	is := func(role models.Role, all bool, until models.Day, stores ...int64) models.Rights {
		r := models.Rights{Role: role, AllStores: all, Stores: stores}
		if until != "" {
			r.AccessUntil = &until
		}
		return r
	}
	for i, tt := range []struct {
		fact     string
		from, to models.Rights
		waits    bool
	}{
		{"a manager with one store more", is(models.Manager, false, "", here...), is(models.Manager, false, "", both...), true},
		{"a manager with one store less", is(models.Manager, false, "", both...), is(models.Manager, false, "", here...), false},
		{"a manager made supervisor", is(models.Manager, false, "", here...), is(models.Supervisor, false, "", here...), true},
		{"a supervisor made manager", is(models.Supervisor, false, "", here...), is(models.Manager, false, "", here...), false},
		{"a supervisor made administrator", is(models.Supervisor, true, ""), is(models.Administrator, true, ""), true},
		{"a supervisor of all stores", is(models.Supervisor, false, "", here...), is(models.Supervisor, true, ""), true},
		{"an auditor made manager", is(models.Auditor, true, "2026-12-31"), is(models.Manager, false, "2026-12-31", here...), true},
		{"a manager made auditor", is(models.Manager, false, "2026-12-31", here...), is(models.Auditor, true, "2026-12-31"), false},
		{"a supervisor for longer", is(models.Supervisor, true, "2026-12-31"), is(models.Supervisor, true, "2027-01-31"), true},
		{"a supervisor without an end", is(models.Supervisor, true, "2026-12-31"), is(models.Supervisor, true, ""), true},
		{"a supervisor with an end", is(models.Supervisor, true, ""), is(models.Supervisor, true, "2026-12-31"), false},
		{"an auditor for longer", is(models.Auditor, true, "2026-12-31"), is(models.Auditor, true, "2027-01-31"), false},
	} {
		name := string(rune('a'+i)) + "-quien"
		in := input(name, tt.from.Role)
		in.Password = modelstest.Password
		given := func(r models.Rights) {
			if in.Role, in.AllStores, in.StoreIDs, in.AccessUntil = r.Role, r.AllStores, r.Stores, ""; r.AccessUntil != nil {
				in.AccessUntil = string(*r.AccessUntil)
			}
		}
		given(tt.from)
		u, err := o.Accounts.CreateUser(t.Context(), models.System("test", ""), in)
		o.must(err)
		given(tt.to)
		in.Name = "Otro nombre " + name
		o.must(o.Accounts.ChangeUser(t.Context(), ada, u.ID, 1, in))
		has := o.user(u.ID)
		if rights := has.Rights(); rights.Equal(&tt.from) != tt.waits || rights.Equal(&tt.to) == tt.waits || has.Name != in.Name {
			t.Errorf("%s: has %+v, named %s; waits: %t", tt.fact, rights, has.Name, tt.waits)
		}
		p, err := o.Proposals.Of(t.Context(), ada, proposals.Person(u.ID))
		if err != nil || (p != nil) != tt.waits {
			t.Fatalf("%s: Of() = %+v, %v, want something: %t", tt.fact, p, err, tt.waits)
		}
		if p == nil {
			continue
		}
		o.must(o.Proposals.Confirm(t.Context(), beto, p.ID, has.Version))
		if got := o.user(u.ID).Rights(); !got.Equal(&tt.to) {
			t.Errorf("%s, confirmed: has %+v, want %+v", tt.fact, got, tt.to)
		}
	}
}

// TestSomebodyLetInAgainWaits, and what was narrowed does not.
func TestSomebodyLetInAgainWaits(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ada, beto := o.administrator("ada"), o.administrator("beto")
	u := modelstest.User(t, o.DB, o.Clock.Now(), "sofia@example.mx", models.Supervisor)
	o.must(o.Accounts.DisableUser(t.Context(), ada, u.ID, 1))
	o.refused("EnableUser() of an older version", o.Accounts.EnableUser(t.Context(), ada, u.ID, 1), models.ErrStale)
	o.must(o.Accounts.EnableUser(t.Context(), ada, u.ID, 2))
	if o.user(u.ID).DisabledAt == nil {
		t.Error("who is let in again by one alone has access at once")
	}
	o.must(o.Proposals.Confirm(t.Context(), beto, o.waiting(proposals.Person(u.ID)).ID, 3))
	o.signIn(u.Email)

	auditor := modelstest.User(t, o.DB, o.Clock.Now(), "aurora@example.mx", models.Auditor)
	o.must(o.Accounts.DisableUser(t.Context(), ada, auditor.ID, 1))
	o.must(o.Accounts.EnableUser(t.Context(), ada, auditor.ID, 2))
	o.nothingWaits("an auditor let in again")
}

// TestWithoutASecondAdministrator rights take effect at once: where there is none, until
// they have signed in, and by the command line.
func TestWithoutASecondAdministrator(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ada := o.administrator("ada")
	o.invite(ada, input("uno", models.Supervisor))
	beto := modelstest.User(t, o.DB, o.Clock.Now(), "beto@example.mx", models.Administrator)
	o.invite(ada, input("dos", models.Supervisor))
	o.nothingWaits("before the other one signed in")
	o.signIn(beto.Email)
	modelstest.User(t, o.DB, o.Clock.Now(), "tres@example.mx", models.Supervisor)
	o.nothingWaits("by the command line")
	o.invite(ada, input("cuatro", models.Supervisor))
	modelstest.Wants(t, "asked, once another one has signed in", o.entries(models.ActionRightsAsked, ada), 1)
	o.must(o.Accounts.DisableUser(t.Context(), o.Admin, beto.ID, 1))
	u, _ := o.invite(ada, input("cinco", models.Supervisor))
	if o.user(u.ID).DisabledAt != nil {
		t.Error("what one gives who is alone again waits")
	}
}

// TestNobodyIsTwo: an administrator who was made by one alone does not count as a second
// one for a week, and of two of whom one gave the other a way in neither confirms for the
// other.
func TestNobodyIsTwo(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ada := o.administrator("ada")
	beto, link := o.invite(ada, input("beto", models.Administrator))
	o.must(o.Accounts.SetPassword(t.Context(), models.Actor{}, link.Token, modelstest.Password))
	o.signIn(beto.Email)
	uno, _ := o.invite(ada, input("uno", models.Supervisor))
	if o.user(uno.ID).DisabledAt != nil {
		t.Error("what is asked for waits for somebody who may be the same person")
	}
	dos, _ := o.invite(beto.Actor(), input("dos", models.Supervisor))
	p := o.waiting(proposals.Person(dos.ID))
	o.refused("Confirm() by who made the asker", o.Proposals.Confirm(t.Context(), ada, p.ID, 1), proposals.ErrHelped)
	carla := o.administrator("carla")
	tres, _ := o.invite(carla, input("tres", models.Supervisor))
	p = o.waiting(proposals.Person(tres.ID))
	o.refused("Confirm() by who was made by one alone", o.Proposals.Confirm(t.Context(), beto.Actor(), p.ID, 1), proposals.ErrTooNew)

	o.Clock.Advance(proposals.Aside)
	cuatro, _ := o.invite(ada, input("cuatro", models.Supervisor))
	o.must(o.Proposals.Confirm(t.Context(), beto.Actor(), o.waiting(proposals.Person(cuatro.ID)).ID, 1))
}

// TestAWayInIsNoSecondPerson: a link, a second step set up anew and another address give
// an administrator somebody else's account.
func TestAWayInIsNoSecondPerson(t *testing.T) {
	t.Parallel()
	for fact, act := range map[string]func(t *testing.T, o *office, from models.Actor, u *models.User) error{
		"a link": func(t *testing.T, o *office, from models.Actor, u *models.User) error {
			_, err := o.Accounts.MakeLink(t.Context(), from, u.ID)
			return err
		},
		"another address": func(t *testing.T, o *office, from models.Actor, u *models.User) error {
			in := input("otra", models.Administrator)
			return o.Accounts.ChangeUser(t.Context(), from, u.ID, u.Version, in)
		},
		"a provider": func(t *testing.T, o *office, from models.Actor, u *models.User) error {
			return o.Accounts.AllowSSOLink(t.Context(), from, u.ID, "https://login.example.com")
		},
		"a second step": func(t *testing.T, o *office, from models.Actor, u *models.User) error {
			modelstest.Exec(t, o.Owner, `INSERT INTO second_factors (user_id, secret, created_at, confirmed_at)
				VALUES ($1, 'x', now(), now())`, u.ID)
			return o.Entrance.ResetFactors(t.Context(), from, u.ID)
		},
	} {
		t.Run(fact, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t)
			ada, beto := o.administrator("ada"), o.administrator("beto")
			o.must(act(t, o, ada, o.user(beto.UserID)))
			sofia, _ := o.invite(ada, input("sofia", models.Supervisor))
			p := o.waiting(proposals.Person(sofia.ID))
			o.refused("Confirm() by who got it", o.Proposals.Confirm(t.Context(), beto, p.ID, 1), proposals.ErrHelped)
			o.must(o.Proposals.Refuse(t.Context(), beto, p.ID))
			raul, _ := o.invite(beto, input("raul", models.Supervisor))
			p = o.waiting(proposals.Person(raul.ID))
			o.refused("Confirm() by who gave it", o.Proposals.Confirm(t.Context(), ada, p.ID, 1), proposals.ErrHelped)
			carla := o.administrator("carla")
			o.must(o.Proposals.Confirm(t.Context(), carla, p.ID, 1))
		})
	}
}

// TestMakingAnAdministratorWaits, and who is to become one does not confirm it.
func TestMakingAnAdministratorWaits(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ada, beto := o.administrator("ada"), o.administrator("beto")
	carla := modelstest.User(t, o.DB, o.Clock.Now(), "carla@example.mx", models.Supervisor)
	o.must(o.Accounts.ChangeUser(t.Context(), ada, carla.ID, 1, input("carla", models.Administrator)))
	p := o.waiting(proposals.Person(carla.ID))
	as := carla.Actor()
	o.refused("Confirm() by a supervisor", o.Proposals.Confirm(t.Context(), as, p.ID, 2), models.ErrForbidden)
	as.Role = models.Administrator
	o.refused("Confirm() by who gets it", o.Proposals.Confirm(t.Context(), as, p.ID, 2), proposals.ErrForYou)
	o.must(o.Proposals.Confirm(t.Context(), beto, p.ID, 2))
	u := o.user(carla.ID)
	if u.Role != models.Administrator || u.SecondFrom != nil {
		t.Errorf("the confirmed administrator = %+v, want one who counts at once", u)
	}
}

// TestHowAProposalEnds without giving anything.
func TestHowAProposalEnds(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ada, beto, carla := o.administrator("ada"), o.administrator("beto"), o.administrator("carla")
	for fact, tt := range map[string]struct {
		act  func(u *models.User, p *proposals.Proposal) error
		want models.Action
	}{
		"refused": {func(_ *models.User, p *proposals.Proposal) error {
			return o.Proposals.Refuse(t.Context(), beto, p.ID)
		}, models.ActionRightsRefused},
		"withdrawn": {func(_ *models.User, p *proposals.Proposal) error {
			return o.Proposals.Withdraw(t.Context(), ada, p.ID)
		}, models.ActionRightsWithdrawn},
		"changed": {func(u *models.User, _ *proposals.Proposal) error {
			in := input("changed", models.Auditor)
			in.AccessUntil = "2026-12-31"
			return o.Accounts.ChangeUser(t.Context(), carla, u.ID, u.Version, in)
		}, models.ActionRightsLapsed},
		"disabled": {func(u *models.User, _ *proposals.Proposal) error {
			return o.Accounts.DisableUser(t.Context(), carla, u.ID, u.Version)
		}, models.ActionRightsLapsed},
	} {
		u := modelstest.User(t, o.DB, o.Clock.Now(), fact+"@example.mx", models.Manager, o.Store)
		o.must(o.Accounts.ChangeUser(t.Context(), ada, u.ID, 1, input(fact, models.Supervisor)))
		p := o.waiting(proposals.Person(u.ID))
		o.must(tt.act(o.user(u.ID), p))
		o.nothingWaits(fact)
		o.refused(fact+": Confirm()", o.Proposals.Confirm(t.Context(), beto, p.ID, o.user(u.ID).Version), proposals.ErrOver)
		if got := o.user(u.ID); got.Role == models.Supervisor {
			t.Errorf("%s: %+v is a supervisor", fact, got)
		}
		modelstest.Wants(t, fact+": entries", modelstest.Count(t, o.Owner,
			`SELECT count(*) FROM audit_entries WHERE action = $1 AND after->>'email' = $2 AND after->>'askedBy' = $3`,
			tt.want, u.Email, ada.Name), 1)
	}
	u := modelstest.User(t, o.DB, o.Clock.Now(), "own@example.mx", models.Manager, o.Store)
	o.must(o.Accounts.ChangeUser(t.Context(), ada, u.ID, 1, input("own", models.Supervisor)))
	p := o.waiting(proposals.Person(u.ID))
	o.refused("Refuse() by who asked", o.Proposals.Refuse(t.Context(), ada, p.ID), proposals.ErrOwn)
	o.refused("Withdraw() by somebody else", o.Proposals.Withdraw(t.Context(), beto, p.ID), proposals.ErrNotOwn)
	o.refused("Confirm() of nothing", o.Proposals.Confirm(t.Context(), beto, 999, 1), models.ErrNotFound)
}

// TestAProposalExpires after a week, with an entry.
func TestAProposalExpires(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ada, beto := o.administrator("ada"), o.administrator("beto")
	sofia, _ := o.invite(ada, input("sofia", models.Supervisor))
	p := o.waiting(proposals.Person(sofia.ID))
	o.Clock.Advance(proposals.Life - time.Second)
	o.must(o.Proposals.Sweep(t.Context()))
	o.waiting(proposals.Person(sofia.ID))
	o.Clock.Advance(time.Second)
	o.nothingWaits("a week later")
	o.refused("Confirm() a week later", o.Proposals.Confirm(t.Context(), beto, p.ID, 1), proposals.ErrOver)
	o.must(o.Proposals.Sweep(t.Context()))
	o.must(o.Proposals.Sweep(t.Context()))
	modelstest.Wants(t, "entries", modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'rights.expired'`), 1)
	if o.user(sofia.ID).DisabledAt == nil {
		t.Error("what nobody confirmed was given")
	}
}

// TestWhatHappenedMeanwhile: what was asked for is nobody's word any more when its asker is
// gone, and nothing is given to somebody who has other rights than it says.
func TestWhatHappenedMeanwhile(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ada, beto, carla := o.administrator("ada"), o.administrator("beto"), o.administrator("carla")
	uno, _ := o.invite(ada, input("uno", models.Supervisor))
	p := o.waiting(proposals.Person(uno.ID))
	modelstest.Exec(t, o.Owner, `UPDATE users SET access_until = '2026-11-01' WHERE id = $1`, ada.UserID)
	o.refused("Confirm() after the asker's access ended", o.Proposals.Confirm(t.Context(), beto, p.ID, 1), proposals.ErrAskerGone)
	o.nothingWaits("after that")
	modelstest.Exec(t, o.Owner, `UPDATE users SET access_until = NULL WHERE id = $1`, ada.UserID)

	dos, _ := o.invite(ada, input("dos", models.Supervisor))
	p = o.waiting(proposals.Person(dos.ID))
	modelstest.Exec(t, o.Owner, `UPDATE users SET role = 'auditor', access_until = '2026-12-31' WHERE id = $1`, dos.ID)
	o.refused("Confirm() of other rights", o.Proposals.Confirm(t.Context(), beto, p.ID, 1), proposals.ErrChanged)
	o.nothingWaits("after that")

	tres, _ := o.invite(ada, input("tres", models.Supervisor))
	p = o.waiting(proposals.Person(tres.ID))
	modelstest.Exec(t, o.Owner, `UPDATE users SET disabled_at = now() WHERE id = $1`, beto.UserID)
	o.refused("Confirm() by who was disabled", o.Proposals.Confirm(t.Context(), beto, p.ID, 1), models.ErrAccessEnded)
	o.must(o.Accounts.DisableUser(t.Context(), carla, ada.UserID, 1))
	o.nothingWaits("after its asker was disabled")
	for _, id := range []int64{uno.ID, dos.ID, tres.ID} {
		if o.user(id).DisabledAt == nil {
			t.Errorf("person %d has access", id)
		}
	}
}

// TestTwoConfirmAtOnce: one comes first, and the rights are given once.
func TestTwoConfirmAtOnce(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ada := o.administrator("ada")
	others := []models.Actor{o.administrator("beto"), o.administrator("carla"), o.administrator("dora")}
	sofia, _ := o.invite(ada, input("sofia", models.Supervisor))
	p := o.waiting(proposals.Person(sofia.ID))
	var all sync.WaitGroup
	done := make([]error, len(others))
	for i := range others {
		all.Go(func() { done[i] = o.Proposals.Confirm(t.Context(), others[i], p.ID, 1) })
	}
	all.Wait()
	first := 0
	for _, err := range done {
		if err == nil {
			first++
		} else if !errors.Is(err, proposals.ErrOver) {
			t.Errorf("Confirm() beside another = %v, want %v", err, proposals.ErrOver)
		}
	}
	modelstest.Wants(t, "confirmations that counted", first, 1)
	modelstest.Wants(t, "entries", modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'rights.confirmed'`), 1)
}

// TestAKeyThatCancelsWaits: it does all else at once, and cancels when another administrator
// has confirmed it.
func TestAKeyThatCancelsWaits(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ada, beto := o.administrator("ada"), o.administrator("beto")
	key := func(name string, scopes ...apikeys.Scope) (*apikeys.Key, string) {
		k, secret, err := o.APIKeys.CreateKey(t.Context(), ada, apikeys.Input{
			Name: name, Scopes: scopes, AllStores: true, Pace: apikeys.PaceNormal, Days: 30,
		})
		o.must(err)
		return k, secret
	}
	may := func(fact, secret string, want bool) {
		t.Helper()
		program, _, err := o.APIKeys.Authenticate(t.Context(), models.Actor{}, secret)
		if err != nil || program.May(models.CancelSales) != want || !program.May(models.ViewSales) {
			t.Errorf("%s: Authenticate() = %+v, %v, want it to cancel: %t", fact, program, err, want)
		}
		tx, now := program, models.Actor{}
		o.must(o.DB.InTx(t.Context(), func(t database.Tx) (err error) { now, err = o.APIKeys.Current(t, tx); return err }))
		modelstest.Wants(t, fact+", read again", now.May(models.CancelSales), want)
	}
	key("Lectura", apikeys.ScopeSalesRead)
	o.nothingWaits("a key that reads")
	k, secret := key("Caja", apikeys.ScopeSalesRead, apikeys.ScopeCancellationsWrite)
	may("not confirmed", secret, false)
	p := o.waiting(proposals.Key(k.ID))
	o.refused("Confirm() by who asked", o.Proposals.Confirm(t.Context(), ada, p.ID, 1), proposals.ErrOwn)
	o.must(o.Proposals.Confirm(t.Context(), beto, p.ID, 1))
	may("confirmed", secret, true)

	k, secret = key("Otra caja", apikeys.ScopeSalesRead, apikeys.ScopeCancellationsWrite)
	o.must(o.Proposals.Refuse(t.Context(), beto, o.waiting(proposals.Key(k.ID)).ID))
	may("refused", secret, false)
	secret, err := o.APIKeys.RotateKey(t.Context(), ada, k.ID, 1, 30, 0)
	o.must(err)
	may("refused and rotated", secret, false)

	k, _ = key("Tercera", apikeys.ScopeSalesRead, apikeys.ScopeCancellationsWrite)
	p = o.waiting(proposals.Key(k.ID))
	o.must(o.APIKeys.RevokeKey(t.Context(), ada, k.ID, 1))
	o.nothingWaits("a key that was revoked")
	o.refused("Confirm() of it", o.Proposals.Confirm(t.Context(), beto, p.ID, 2), proposals.ErrOver)
}

// TestProposalsAreOfAdministrators: nobody else sees or decides them.
func TestProposalsAreOfAdministrators(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for _, actor := range []models.Actor{o.Manager, o.Supervisor, modelstest.Person(models.Auditor)} {
		_, err := o.Proposals.Waiting(t.Context(), actor)
		o.refused("Waiting()", err, models.ErrForbidden)
		o.refused("Refuse()", o.Proposals.Refuse(t.Context(), actor, 1), models.ErrForbidden)
		o.refused("Withdraw()", o.Proposals.Withdraw(t.Context(), actor, 1), models.ErrForbidden)
	}
}
