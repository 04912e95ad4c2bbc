package entrance_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/entrance"
	"veinte/models/modelstest"
)

func ownSignIns(t *testing.T, o *modelstest.Office, userID int64) []entrance.SignIn {
	t.Helper()
	all, err := o.Entrance.OwnSignIns(t.Context(), models.Actor{UserID: userID, Role: models.Manager})
	if err != nil {
		t.Fatalf("OwnSignIns() = %v", err)
	}
	return all
}

// TestPeopleSeeTheirLastSignIns: ten, the newest first, with those that were refused, how
// they came in and from where; nothing of a colleague's, and nothing else of the trail.
func TestPeopleSeeTheirLastSignIns(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	o.Clock.Advance(time.Second)
	ana := modelstest.User(t, o.DB, o.Clock.Now(), "ana@example.mx", models.Manager, o.Store)
	eva := modelstest.User(t, o.DB, o.Clock.Now(), "eva@example.mx", models.Manager, o.Store)
	in := mustSignIn(t, o, "", ana.Email, true)
	o.Clock.Advance(time.Minute)
	mustSignIn(t, o, "", eva.Email, true)
	for _, email := range []string{ana.Email, ana.Email, eva.Email, ana.Email} {
		if _, _, err := o.Entrance.Login(t.Context(), nobody(), email, "otra que no es"); !modelstest.IsError(err, loginWrong) {
			t.Fatalf("Login() with another password = %v, want %v", err, loginWrong)
		}
	}
	refused := o.Clock.Now()
	o.Clock.Advance(time.Minute)
	if err := o.Audit.FlushRefusals(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	o.Clock.Advance(time.Minute)
	mustSignIn(t, o, in.Device, ana.Email, false)
	got := ownSignIns(t, o, ana.ID)
	if len(got) != 4 {
		t.Fatalf("OwnSignIns() = %+v, want two that came in and two entries of those refused", got)
	}
	if s := got[0]; s.Outcome != models.OutcomeSuccess || s.Way != "password" || s.NewDevice ||
		s.Address != nobody().Address || s.UserAgent == "" {
		t.Errorf("the last = %+v, want one by password in a known browser", s)
	}
	if s := got[1]; s.Outcome == models.OutcomeSuccess || s.More != 2 {
		t.Errorf("the one before = %+v, want two more of those refused", s)
	}
	if s := got[2]; s.Outcome == models.OutcomeSuccess || s.Reason != "login.wrong" || !s.At.Equal(refused) || s.Way != "" {
		t.Errorf("the first refused = %+v, want it at %s for its password", s, refused)
	}
	if s := got[3]; s.Outcome != models.OutcomeSuccess || !s.NewDevice {
		t.Errorf("the first = %+v, want one in a new browser", s)
	}
	for range 12 {
		o.Clock.Advance(time.Minute)
		mustSignIn(t, o, in.Device, ana.Email, false)
	}
	if got := ownSignIns(t, o, ana.ID); len(got) != 10 || !got[0].At.Equal(o.Clock.Now()) {
		t.Errorf("after twelve more %d are listed, want the ten last", len(got))
	}
}

// TestHowSomebodyCameInIsInTheTrail: a code, a recovery code and the provider are told from
// a password alone.
func TestHowSomebodyCameInIsInTheTrail(t *testing.T) {
	t.Parallel()
	o, u := twoSteps(t)
	_, first := setUp(t, o, u)
	if _, err := take(t, o, u, first.Recovery[0]); err != nil {
		t.Fatalf("TakeStep() with a recovery code = %v", err)
	}
	var ways []string
	for _, s := range ownSignIns(t, o, u.ID) {
		ways = append(ways, s.Way)
	}
	if got := strings.Join(ways, " "); got != "recovery code" {
		t.Errorf("the ways are %q, newest first, want %q", got, "recovery code")
	}
}

// TestWhatWasTypedBeforeIsSomebodyElses: whoever gets an address that was another person's
// sees nothing of what was tried with it then.
func TestWhatWasTypedBeforeIsSomebodyElses(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	old := modelstest.User(t, o.DB, o.Clock.Now(), "caja@example.mx", models.Manager, o.Store)
	next := modelstest.User(t, o.DB, o.Clock.Now(), "nueva@example.mx", models.Manager, o.Store)
	wrong := func(email string) {
		t.Helper()
		o.Clock.Advance(time.Minute)
		if _, _, err := o.Entrance.Login(t.Context(), nobody(), email, "otra que no es"); !modelstest.IsError(err, loginWrong) {
			t.Fatalf("Login() = %v, want %v", err, loginWrong)
		}
	}
	rename := func(u *models.User, email string) {
		t.Helper()
		o.Clock.Advance(time.Minute)
		now, err := o.Accounts.User(t.Context(), o.Admin, u.ID)
		if err != nil {
			t.Fatal(err)
		}
		in := accounts.Input{Email: email, Name: now.Name, Role: now.Role, StoreIDs: now.StoreIDs}
		if err := o.Accounts.ChangeUser(t.Context(), o.Admin, u.ID, now.Version, in); err != nil {
			t.Fatalf("ChangeUser() = %v", err)
		}
	}
	wrong("caja@example.mx")
	rename(old, "otra@example.mx")
	rename(next, "caja@example.mx")
	if got := ownSignIns(t, o, next.ID); len(got) != 0 {
		t.Errorf("OwnSignIns() = %+v, want none: they were tried when the address was another's", got)
	}
	wrong("caja@example.mx")
	if got := ownSignIns(t, o, next.ID); len(got) != 1 {
		t.Errorf("OwnSignIns() = %+v, want the one since then", got)
	}
}

// TestTheLastSignInsAreReadByTheirIndexes, however much else the person did and however
// often others were refused.
func TestTheLastSignInsAreReadByTheirIndexes(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	u := modelstest.User(t, o.DB, o.Clock.Now(), "ana@example.mx", models.Manager, o.Store)
	modelstest.Exec(t, o.Owner, `INSERT INTO audit_entries (at, actor_id, actor_name, actor_role, action, outcome, canonical)
		SELECT timestamptz '2026-11-20 18:00Z' + n * interval '1 second', CASE WHEN n % 3 = 0 THEN $1::bigint ELSE NULL END,
			CASE n % 3 WHEN 0 THEN 'Ana' WHEN 1 THEN 'x' || n % 500 || '@example.mx' ELSE $2 END, 'manager',
			CASE WHEN n % 300 IN (0, 1, 2) THEN 'session.started' WHEN n % 3 = 1 THEN 'session.started' ELSE 'test.done' END,
			CASE n % 3 WHEN 0 THEN 'success' ELSE 'failure' END, 'x'
		FROM generate_series(1, 90000) n`, u.ID, u.Email)
	modelstest.Exec(t, o.Owner, `ANALYZE audit_entries`)
	many := regexp.MustCompile(`actual time=\S+ rows=\d{3}|Removed by Filter: \d{3}`)
	for _, mode := range []string{"force_generic_plan", "force_custom_plan"} {
		conn, err := modelstest.Open(t, o.URL).Pool().Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Release()
		if _, err := conn.Exec(t.Context(), `SET plan_cache_mode = `+mode); err != nil {
			t.Fatal(err)
		}
		rows, err := conn.Query(t.Context(), `EXPLAIN (ANALYZE) `+entrance.SignInsSQL, u.ID, 10)
		if err != nil {
			t.Fatal(err)
		}
		all, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		plan := strings.Join(all, "\n")
		if many.MatchString(plan) {
			t.Errorf("the plan (%s) reads more than the last sign-ins:\n%s", mode, plan)
		}
	}
}
