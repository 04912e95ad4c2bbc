package entrance

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"veinte/models"
	"veinte/models/accounts/passwords"
	"veinte/models/audit"
	"veinte/models/database"
)

// Attempt is a sign-in as it arrives.
type Attempt struct {
	Email, Password string
	Own             bool        // they say that the device is theirs
	Gone            func() bool // reports whether the client has hung up; nil: it is not known
}

// SignedIn is a session that has begun, or a second step that has to be taken first.
type SignedIn struct {
	Token  string // for the session's cookie; the database stores only its hash
	Device string // for the cookie by which the device is known the next time
	User   *models.User

	Step  string // for the cookie of the second step; there is no session then
	Setup bool   // they have to set up an app in that step

	on        visit
	way       way   // how they came in
	sessionID int64 // 0: not begun
}

// actor is the person of the session that has begun.
func (in *SignedIn) actor(from models.Actor) models.Actor {
	a := in.User.ActorFrom(from)
	a.Session.ID = in.sessionID
	return a
}

// Admit takes a place in the line of those who sign in, before anything else is done for
// them. cookie is that of a device that has signed in before, or "".
//
// Errors: ErrSignInBusy.
func (s *Service) Admit(ctx context.Context, from models.Actor, cookie string) (*Place, error) {
	place, err := s.door.enter(s.known(ctx, cookie), from.Network())
	if err != nil {
		return nil, s.busy(ctx, from)
	}
	return place, nil
}

// TurnAway refuses a stranger while the line is full. It costs less than Admit does after
// all that a request to sign in goes through on its way there.
//
// Errors: ErrSignInBusy.
func (s *Service) TurnAway(ctx context.Context, from models.Actor, cookie string) error {
	if !s.door.full() || s.known(ctx, cookie) != nil {
		return nil
	}
	return s.busy(ctx, from)
}

// known is the device of a cookie; nil: unknown.
func (s *Service) known(ctx context.Context, cookie string) *device {
	if cookie == "" {
		return nil
	}
	key, err := s.deviceKey(ctx)
	if err != nil { // without its database the server says so itself
		return nil
	}
	return readDevice(key, cookie, s.clock.Now())
}

// busy records that somebody found no place. However many they are and from wherever,
// they are counted as one.
func (s *Service) busy(ctx context.Context, from models.Actor) error {
	nobody := models.Actor{UserAgent: from.UserAgent, RequestID: from.RequestID}
	about := audit.About{Reason: ErrSignInBusy.Code}
	err := s.audit.RecordCounted(ctx, nobody, models.ActionLogin, models.OutcomeDenied, about, ErrSignInBusy.Code)
	if err != nil {
		return err
	}
	return models.Recorded(ErrSignInBusy)
}

// Login is SignIn from a device that nobody knows.
func (s *Service) Login(ctx context.Context, from models.Actor, email, password string) (token string, u *models.User, err error) {
	place, err := s.Admit(ctx, from, "")
	if err != nil {
		return "", nil, err
	}
	defer place.Leave()
	in, err := s.SignIn(ctx, from, place, Attempt{Email: email, Password: password})
	if err == nil && in.Step != "" {
		err = errSecondStep
	}
	if err != nil {
		return "", nil, err
	}
	return in.Token, in.User, nil
}

// SignIn checks a user's password and starts a session. from contains the address of the
// client.
//
// Errors: login.wrong for a wrong address or password, a disabled user and one whose
// access has ended (only the trail distinguishes them); login.passwordOff for all of them,
// and whoever has to come by the provider; TooManyLogins; ErrSignInBusy.
func (s *Service) SignIn(ctx context.Context, from models.Actor, place *Place, a Attempt) (*SignedIn, error) {
	name := "?" // no valid address was typed
	if parsed, err := models.ParseEmail(a.Email); err == nil {
		name = parsed
	} else if typed := models.Legible(strings.TrimSpace(a.Email), 120); typed != "" {
		name = typed
	}
	g := s.guesser(ctx, from, place, name)
	u, err := s.judge(ctx, place, g, a)
	if err == ErrSignInBusy {
		return nil, s.busy(ctx, from)
	}
	err = s.checkPassword(ctx, from, u, err)
	if err == nil {
		if why := u.ShutOut(s.clock.Now()); why != nil {
			if err := s.loginFailed(ctx, from, g, why); !errors.Is(err, why) {
				return nil, err
			}
			return nil, models.Recorded(errLoginWrong)
		}
		var in *SignedIn
		if in, err = s.enter(ctx, from, g, u, place.visit(a.Own)); err == nil {
			return in, nil
		}
	}
	return nil, s.loginFailed(ctx, from, g, err)
}

// guesser is who tries, as it is counted.
func (s *Service) guesser(ctx context.Context, from models.Actor, place *Place, email string) guesser {
	g := guesser{email: email, by: from.Network()}
	if place.device == nil {
		return g
	}
	known, err := database.Row[struct{ Own bool }](ctx, s.db.Pool(), `SELECT k.own FROM known_devices k
		JOIN devices d ON d.id = k.device_id JOIN users u ON u.id = k.user_id WHERE d.token = $1 AND u.email = $2`,
		place.device.id, email)
	if err != nil { // unknown, also where it cannot be read
		return g
	}
	return guesser{email: email, by: devicePrefix + place.device.id, known: true, own: known.Own}
}

// judge returns the user whose password it is. The limit is asked before the wait, so that
// whoever is over it takes no turn, and again after it.
func (s *Service) judge(ctx context.Context, place *Place, g guesser, a Attempt) (*models.User, error) {
	may := func() error { return mayGuess(database.Tx{DB: s.db.Gorm().WithContext(ctx)}, s.clock.Now(), g) }
	if err := may(); err != nil {
		return nil, err
	}
	u, err := s.people.UserByEmail(ctx, g.email)
	var unknown *models.Error
	if err != nil && !errors.As(err, &unknown) {
		return nil, fmt.Errorf("find account: %w", err)
	}
	hash, found := passwords.Dummy, err == nil && u.PasswordHash != "" // "": they have not used their link yet
	if found {
		hash = u.PasswordHash
	}
	ok := false
	computing := place.compute(ctx, a.Gone, func() (err error) {
		if err = may(); err == nil {
			ok, err = passwords.Matches(a.Password, hash)
		}
		return err
	})
	switch {
	case computing != nil:
		return nil, computing
	case !found || !ok:
		return nil, errLoginWrong
	}
	return u, nil
}

// errLoginWrong is the error of every refused sign-in.
var errLoginWrong = models.Invalid("email", "login.wrong")

// loginFailed records the failure, in the trail too, and returns why. An attempt
// that was refused because of too many failures does not prolong the wait.
func (s *Service) loginFailed(ctx context.Context, from models.Actor, g guesser, why error) error {
	var known *models.Error
	if !errors.As(why, &known) {
		return why
	}
	now := s.clock.Now()
	from.Name, from.Role = g.email, models.Anonymous
	if known.Kind == models.KindTooMany {
		err := s.audit.RecordCounted(ctx, from, models.ActionLogin, models.OutcomeDenied, audit.About{Reason: known.Code}, g.email)
		if err != nil {
			return err
		}
		return models.Recorded(why)
	}
	var counted *audit.Counted
	err := s.db.InTx(ctx, func(t database.Tx) (err error) {
		outcome := models.OutcomeFailure
		switch err := lockGuesses(t, now, g); {
		case errors.Is(err, models.ErrTooManyLogins):
			outcome, known, why = models.OutcomeDenied, models.ErrTooManyLogins, err
		case err != nil:
			return err
		default:
			if err := noteGuess(t, now, g); err != nil {
				return err
			}
		}
		if counted, err = s.audit.Counted(from, models.ActionLogin, outcome, audit.About{Reason: known.Code}, g.email); err != nil {
			return err
		}
		return counted.Record(t)
	})
	if counted != nil {
		err = counted.Unless(err)
	}
	if err != nil {
		return fmt.Errorf("record failed sign-in: %w", err)
	}
	return models.Recorded(why)
}
