package counters_test

import (
	"errors"
	"testing"

	"veinte/models"
	"veinte/models/counters"
	"veinte/models/entrance"
	"veinte/models/modelstest"
)

// The PINs of the tests.
const (
	anasPIN = "240613"
	evasPIN = "518204"
)

// shop is a store with a counter, and two managers who have a PIN.
type shop struct {
	*modelstest.Office
	ana, eva *models.User
	phone    *entrance.SignedIn // Ana's, a full sign-in elsewhere
	counter  *entrance.SignedIn // Ana's, in which she made the device a counter
	token    string             // of the counter's cookie
}

func newShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{Office: modelstest.NewOffice(t)}
	s.ana = modelstest.User(t, s.DB, s.Clock.Now(), "ana@example.mx", models.Manager, s.Store)
	s.eva = modelstest.User(t, s.DB, s.Clock.Now(), "eva@example.mx", models.Manager, s.Store)
	s.phone, s.counter = s.signIn(t, s.ana, ""), s.signIn(t, s.ana, "")
	s.token = s.makes(t, s.counter)
	s.sets(t, s.phone, anasPIN)
	s.sets(t, s.signIn(t, s.eva, ""), evasPIN)
	return s
}

// signIn signs somebody in with their password, on a device by its cookie; "": on a new one.
func (s *shop) signIn(t *testing.T, u *models.User, device string) *entrance.SignedIn {
	t.Helper()
	place := s.place(t, device)
	defer place.Leave()
	in, err := s.Entrance.SignIn(t.Context(), atTheShop(), place, entrance.Attempt{Email: u.Email, Password: modelstest.Password, Own: true})
	if err != nil || in.Token == "" {
		t.Fatalf("SignIn(%s) = %+v, %v, want a session", u.Email, in, err)
	}
	return in
}

func (s *shop) place(t *testing.T, device string) *entrance.Place {
	t.Helper()
	place, err := s.Entrance.Admit(t.Context(), atTheShop(), device)
	if err != nil {
		t.Fatalf("Admit() = %v", err)
	}
	return place
}

func atTheShop() models.Actor { return modelstest.From("192.0.2.1") }

// who is the person of a session, as their requests come.
func (s *shop) who(t *testing.T, in *entrance.SignedIn) models.Actor {
	t.Helper()
	actor, _, err := s.Entrance.SessionActor(t.Context(), in.Token)
	if err != nil {
		t.Fatalf("SessionActor() = %v, want somebody", err)
	}
	return actor
}

func (s *shop) lives(t *testing.T, in *entrance.SignedIn) bool {
	t.Helper()
	_, _, err := s.Entrance.SessionActor(t.Context(), in.Token)
	if err != nil && !errors.Is(err, models.ErrNotFound) {
		t.Fatalf("SessionActor() = %v", err)
	}
	return err == nil
}

// makes makes the device of a session a counter.
func (s *shop) makes(t *testing.T, in *entrance.SignedIn) string {
	t.Helper()
	token, err := s.Counters.Make(t.Context(), s.who(t, in), s.Store.ID, "Caja 1")
	if err != nil {
		t.Fatalf("Make() = %v", err)
	}
	return token
}

func (s *shop) sets(t *testing.T, in *entrance.SignedIn, pin string) {
	t.Helper()
	place := s.place(t, in.Device)
	defer place.Leave()
	proof := entrance.Proof{Text: modelstest.Password, Place: place}
	if err := s.Counters.SetPIN(t.Context(), s.who(t, in), proof, pin); err != nil {
		t.Fatalf("SetPIN() = %v", err)
	}
}

func (s *shop) enter(t *testing.T, u *models.User, pin string) (*entrance.SignedIn, error) {
	t.Helper()
	return s.enterAt(t, s.token, u, pin)
}

func (s *shop) enterAt(t *testing.T, token string, u *models.User, pin string) (*entrance.SignedIn, error) {
	t.Helper()
	place := s.place(t, s.counter.Device)
	defer place.Leave()
	return s.Counters.Enter(t.Context(), atTheShop(), place, token, counters.Try{UserID: u.ID, PIN: pin})
}

func (s *shop) mustEnter(t *testing.T, u *models.User, pin string) *entrance.SignedIn {
	t.Helper()
	in, err := s.enter(t, u, pin)
	if err != nil {
		t.Fatalf("Enter(%s) = %v, want a session", u.Email, err)
	}
	return in
}

// refuses reports an attempt that is not refused as it should be.
func (s *shop) refuses(t *testing.T, what string, err error, code string) {
	t.Helper()
	var known *models.Error
	if !errors.As(err, &known) || known.Code != code {
		t.Errorf("%s = %v, want %s", what, err, code)
	}
}
