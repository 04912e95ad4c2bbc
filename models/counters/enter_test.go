package counters_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/counters"
	"veinte/models/entrance"
	"veinte/models/entrance/factors"
	"veinte/models/modelstest"
)

// TestPeopleSwitchByPIN: each is somebody else to the trail, and the one before has ended.
func TestPeopleSwitchByPIN(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	first := s.mustEnter(t, s.eva, evasPIN)
	if s.lives(t, s.counter) {
		t.Error("Ana's session goes on after Eva has come in")
	}
	who := s.who(t, first)
	if in := who.Session; who.UserID != s.eva.ID || !in.PIN || in.Counter == 0 || !in.ProvedAt.Before(s.eva.CreatedAt) {
		t.Errorf("who is there = %+v, want Eva, by a PIN, at a counter, who has proved nothing", who)
	}
	second := s.mustEnter(t, s.ana, anasPIN)
	if s.lives(t, first) || s.who(t, second).UserID != s.ana.ID {
		t.Error("after Ana has come in, Eva's session lives, or it is not Ana's")
	}
	if !s.lives(t, s.phone) {
		t.Error("Ana's phone was signed out by what she did at the counter")
	}
	got := modelstest.Texts(t, s.Owner, `SELECT actor_name || ' ' || (after->>'way') || ' ' || (after->>'counter') FROM audit_entries
		WHERE action = 'session.started' AND after->>'way' = 'pin' ORDER BY id`)
	modelstest.Wants(t, "entries", len(got), 2)
	modelstest.Wants(t, "the first", got[0], s.eva.Name+" pin Caja 1")
	at, err := s.Counters.At(t.Context(), s.token)
	if err != nil || at.LastUserID != s.ana.ID || len(at.People) != 2 {
		t.Errorf("At() = %+v, %v, want both people, and Ana as the last", at, err)
	}
}

// TestFiveWrongPINs of a person at a counter ask for their full sign-in, and shut nobody else
// out.
func TestFiveWrongPINs(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	for n := range 4 {
		_, err := s.enter(t, s.ana, "111222")
		var wrong *counters.WrongPIN
		if !errors.As(err, &wrong) || wrong.Left != 4-n {
			t.Fatalf("wrong PIN %d = %v, want %d left", n+1, err, 4-n)
		}
	}
	s.mustEnter(t, s.ana, anasPIN) // which begins anew
	for range 4 {
		_, err := s.enter(t, s.ana, "111222")
		s.refuses(t, "a wrong PIN after a right one", err, "pin.wrong")
	}
	_, err := s.enter(t, s.ana, "111222")
	s.refuses(t, "the fifth wrong PIN", err, "pin.shut")
	_, err = s.enter(t, s.ana, anasPIN)
	s.refuses(t, "the right PIN after five wrong ones", err, "pin.shut")
	s.mustEnter(t, s.eva, evasPIN)
	if at, err := s.Counters.At(t.Context(), s.token); err != nil || !at.People[0].Shut || at.People[1].Shut {
		t.Errorf("At() = %+v, %v, want Ana alone shut", at, err)
	}
	modelstest.Wants(t, "notices", modelstest.Count(t, s.Owner, `SELECT count(*) FROM account_notices
		WHERE kind = 'pinShut' AND user_id = $1`, s.ana.ID), 1)
	modelstest.Wants(t, "entries of the one that shut it and the first after it", modelstest.Count(t, s.Owner, `SELECT count(*)
		FROM audit_entries WHERE action = 'session.started' AND outcome = 'denied' AND reason = 'pin.shut'
			AND actor_name = $1`, s.ana.Email), 1)
	s.signIn(t, s.ana, "")
	s.mustEnter(t, s.ana, anasPIN)
}

// TestManyWrongPINs: whoever tries between right ones, or at several counters, is stopped too.
func TestManyWrongPINs(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	other := s.makes(t, s.signIn(t, s.eva, ""))
	for n := range 20 {
		token := s.token
		if n%2 == 1 {
			token = other
		}
		if _, err := s.enterAt(t, token, s.ana, "111222"); err == nil {
			t.Fatal("a wrong PIN lets somebody in")
		}
		if n%4 != 3 || n == 19 {
			continue
		}
		for _, at := range []string{s.token, other} {
			if _, err := s.enterAt(t, at, s.ana, anasPIN); err != nil {
				t.Fatalf("the right PIN after %d wrong ones in all = %v", n+1, err)
			}
		}
	}
	for _, at := range []string{s.token, other} {
		_, err := s.enterAt(t, at, s.ana, anasPIN)
		s.refuses(t, "the right PIN after twenty wrong ones", err, "pin.shut")
	}
	s.sets(t, s.phone, "730925")
	if _, err := s.enterAt(t, other, s.ana, "730925"); err != nil {
		t.Errorf("a new PIN, which its person has proved to set = %v", err)
	}
}

// TestWrongPINsAtOnce count as many as they are.
func TestWrongPINsAtOnce(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			place, err := s.Entrance.Admit(t.Context(), modelstest.From(fmt.Sprintf("192.0.2.%d", n)), s.counter.Device)
			if err != nil {
				return // the line is full
			}
			defer place.Leave()
			_, _ = s.Counters.Enter(t.Context(), atTheShop(), place, s.token, counters.Try{UserID: s.ana.ID, PIN: "111222"})
		})
	}
	all.Wait()
	if got := modelstest.Count(t, s.Owner, `SELECT wrong FROM counter_pins WHERE user_id = $1`, s.ana.ID); got != 5 {
		t.Errorf("after eight at once %d wrong ones are counted, want five: no more are tried", got)
	}
}

// TestWhoComesInAtACounter: managers of its store who have a PIN, as they are now.
func TestWhoComesInAtACounter(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		is     string
		change string // of Ana, $1, or of what is around her
	}{
		{"a manager of another store", `UPDATE user_stores SET store_id = (SELECT id FROM stores WHERE code = 'OTHER') WHERE user_id = $1`},
		{"a manager of no store any more", `DELETE FROM user_stores WHERE user_id = $1`},
		{"disabled", `UPDATE users SET disabled_at = now() WHERE id = $1`},
		{"somebody whose access has ended", `UPDATE users SET access_until = '2026-11-19' WHERE id = $1`},
		{"a supervisor", `UPDATE users SET role = 'supervisor', all_stores = true WHERE id = $1`},
		{"an administrator", `UPDATE users SET role = 'administrator', all_stores = true WHERE id = $1`},
		{"without a PIN", `DELETE FROM counter_pins WHERE user_id = $1`},
	} {
		t.Run(tt.is, func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			modelstest.Store(t, s.DB, s.Clock.Now(), "OTHER")
			there := s.mustEnter(t, s.ana, anasPIN)
			modelstest.Exec(t, s.Owner, tt.change, s.ana.ID)
			if tt.is != "without a PIN" && s.lives(t, there) { // what its person changes ends it elsewhere
				t.Error("the session that began with a PIN goes on")
			}
			_, err := s.enter(t, s.ana, anasPIN)
			s.refuses(t, "Enter()", err, "pin.notHere")
			if at, err := s.Counters.At(t.Context(), s.token); err != nil || len(at.People) != 1 {
				t.Errorf("At() = %+v, %v, want Eva alone", at, err)
			}
			s.mustEnter(t, s.eva, evasPIN)
		})
	}
}

// TestNoPINWhereACodeIsAskedEachTime: a rule that asks managers for a code at every sign-in
// holds at counters too.
func TestNoPINWhereACodeIsAskedEachTime(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	if err := s.Entrance.SetFactorRules(t.Context(), s.Admin, map[models.Role]factors.Ask{models.Manager: factors.Always}); err != nil {
		t.Fatal(err)
	}
	_, err := s.enter(t, s.ana, anasPIN)
	s.refuses(t, "Enter()", err, "pin.notHere")
}

// TestNoPINWhereTheProviderAloneLetsIn: a PIN would be a way round it.
func TestNoPINWhereTheProviderAloneLetsIn(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	modelstest.Exec(t, s.Owner, `UPDATE sso_rules SET password_off = true, break_glass = $1`, s.eva.ID)
	_, err := s.enter(t, s.ana, anasPIN)
	s.refuses(t, "Enter()", err, "pin.notHere")
}

// TestACounterRests two minutes after the last act of its person, however they came in.
func TestACounterRests(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	full := s.signIn(t, s.ana, s.counter.Device) // she had said that the device is hers
	byPIN := func() *entrance.SignedIn { return s.mustEnter(t, s.eva, evasPIN) }
	for _, in := range []*entrance.SignedIn{full, nil} {
		if in == nil {
			in = byPIN()
		}
		for range 3 {
			s.Clock.Advance(entrance.CounterLife - time.Second)
			if !s.lives(t, in) {
				t.Fatal("a session ends before two minutes")
			}
			if err := s.Entrance.Saw(t.Context(), s.who(t, in)); err != nil {
				t.Fatal(err)
			}
		}
		s.Clock.Advance(entrance.CounterLife)
		if s.lives(t, in) {
			t.Error("a session at a counter lives two minutes after the last act")
		}
		if err := s.Operations.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	modelstest.Wants(t, "entries", modelstest.Count(t, s.Owner, `SELECT count(*) FROM audit_entries
		WHERE action = 'session.ended' AND reason = 'session.counterRest'`), 2)
}

// TestACounterIsNotForgotten with the devices of which nothing was seen.
func TestACounterIsNotForgotten(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.Clock.Advance(entrance.DeviceLife + time.Hour)
	for range 2 {
		if err := s.Operations.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	s.mustEnter(t, s.eva, evasPIN)
}
