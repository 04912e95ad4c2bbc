package entrance

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/accounts/sso"
	"veinte/models/audit"
	"veinte/models/database"
	"veinte/models/entrance/factors"
	"veinte/models/entrance/passkeys"
)

// StepLife is how long the second step of a sign-in can be taken: as long as it takes to
// get an app for it.
const StepLife = 30 * time.Minute

// ErrStepOver is the refusal of a second step that cannot be taken any more.
var (
	ErrStepOver   = &models.Error{Kind: models.KindConflict, Code: "step.over"}
	errSecondStep = &models.Error{Kind: models.KindConflict, Code: "step.ahead"}
	errOwnFactors = &models.Error{Kind: models.KindConflict, Code: "factor.own"}
	errNoFactors  = &models.Error{Kind: models.KindConflict, Code: "factor.none"}
)

// codesOf begins what wrong codes of an account are counted by; no address does.
const codesOf = "code "

// Step is a sign-in that waits for its second step.
type Step struct {
	ID          accounts.TokenHash `gorm:"-"`
	UserID      int64
	CountedBy   string
	Known       bool
	Device      string // "": it has no cookie yet
	Own         bool
	Setup       bool
	App         bool // they have an app
	Passkeys    bool // they have a passkey
	Name, Email string
	// Secret is what they enter in their app, while they set it up.
	Secret factors.Secret `gorm:"-"`
}

// guesser is who tries codes, counted beside passwords and like them.
func (p *Step) guesser() guesser {
	return guesser{email: codesOf + p.Email, by: p.CountedBy, known: p.Known}
}

// enter begins a session, or the second step where one is needed.
func (s *Service) enter(ctx context.Context, from models.Actor, g guesser, u *models.User, on visit) (*SignedIn, error) {
	need, err := s.factors.Need(database.Tx{DB: s.db.Gorm().WithContext(ctx)}, u, g.own)
	if err != nil {
		return nil, err
	}
	if need == factors.Nothing {
		return s.startSession(ctx, from, g, u, on)
	}
	if _, err := s.deviceKey(ctx); err != nil { // of which the key of secrets may be made
		return nil, err
	}
	in := &SignedIn{Step: rand.Text(), User: u, Setup: need == factors.Setup}
	var counted *audit.Counted // whoever has a password alone could fill the trail with it
	err = s.db.InTx(ctx, func(t database.Tx) error {
		now := s.clock.Now()
		if err := lockGuesses(t, now, g); err != nil {
			return err
		}
		if err := stillIs(t, u); err != nil {
			return err
		}
		if in.Setup {
			if err := s.beginSetup(t, u); err != nil {
				return err
			}
		}
		if err := t.Exec("DELETE FROM sign_in_steps WHERE expires_at <= ?", now).Error; err != nil {
			return err
		}
		err := t.Exec(`INSERT INTO sign_in_steps (token_hash, user_id, counted_by, known, device, own, created_at, expires_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
			accounts.HashToken(in.Step), u.ID, g.by, g.known, on.device, on.own, now, now.Add(StepLife)).Error
		if err != nil {
			return err
		}
		counted, err = s.audit.Counted(u.ActorFrom(from), models.ActionStepAsked, models.OutcomeSuccess, audit.About{}, from.Network())
		if err != nil {
			return err
		}
		return counted.Record(t)
	})
	if counted != nil {
		err = counted.Unless(err)
	}
	if err != nil && !errors.Is(err, models.ErrTooManyLogins) && !errors.Is(err, errLoginWrong) {
		return nil, fmt.Errorf("begin the second step: %w", err)
	}
	return in, err
}

// beginSetup draws a secret for this sign-in alone. Whoever else has the password, and began
// before, has seen another one, and does not see this one: their step is over.
func (s *Service) beginSetup(t database.Tx, u *models.User) error {
	if err := t.Exec("DELETE FROM sign_in_steps WHERE user_id = ?", u.ID).Error; err != nil {
		return err
	}
	_, err := s.factors.Begin(t, u)
	return err
}

const stepOfToken = `SELECT s.user_id, counted_by, known, device, own, u.name, u.email, has.app, has.passkeys,
		NOT has.app AND NOT has.passkeys AS setup
	FROM sign_in_steps s JOIN users u ON u.id = s.user_id CROSS JOIN LATERAL (SELECT
		EXISTS (SELECT FROM second_factors WHERE user_id = u.id AND confirmed_at IS NOT NULL) AS app,
		EXISTS (SELECT FROM passkeys WHERE user_id = u.id) AS passkeys) has
	WHERE s.token_hash = @hash AND s.expires_at > @now`

// SecondStep returns the second step that waits, to whoever has given the password.
//
// Errors: ErrStepOver.
func (s *Service) SecondStep(ctx context.Context, token string) (*Step, error) {
	return s.readStep(database.Tx{DB: s.db.Gorm().WithContext(ctx)}, token)
}

func (s *Service) readStep(t database.Tx, token string) (*Step, error) {
	var p Step
	done := t.Raw(stepOfToken, map[string]any{"hash": accounts.HashToken(token), "now": s.clock.Now()}).Scan(&p)
	p.ID = accounts.HashToken(token)
	switch {
	case done.Error != nil:
		return nil, fmt.Errorf("find the second step: %w", done.Error)
	case done.RowsAffected == 0:
		return nil, ErrStepOver
	case !p.Setup:
		return &p, nil
	}
	secret, err := s.factors.Pending(t, &models.User{ID: p.UserID, Email: p.Email})
	if errors.Is(err, models.ErrNotFound) {
		return nil, ErrStepOver // their app was reset meanwhile
	}
	p.Secret = secret
	return &p, err
}

// Taken is a second step that was taken.
type Taken struct {
	*SignedIn
	Recovery []string // new recovery codes, shown once
	Left     int      // recovery codes that are left, when one was used
	Used     bool     // a recovery code was
}

// Given is what a person gives in the second step, one of them: a code of the app or a
// recovery code; what the browser has signed with a passkey, or made where one is set up,
// which gets the name.
type Given struct{ Code, Passkey, Name string }

// TakeStep takes the second step, and begins the session. Who sets up their app or a
// passkey gets recovery codes.
//
// Errors: ErrStepOver, TooManyLogins, those of a code and of a passkey.
func (s *Service) TakeStep(ctx context.Context, from models.Actor, token string, given Given) (*Taken, error) {
	p, err := s.SecondStep(ctx, token)
	if err != nil {
		return nil, err
	}
	u, err := s.people.UserByEmail(ctx, p.Email)
	if err != nil {
		return nil, err
	}
	in, err := s.newSession(ctx, u, visit{p.Device, p.Own})
	if err != nil {
		return nil, err
	}
	taken := &Taken{SignedIn: in}
	var wrong error
	var counted *audit.Counted
	err = s.db.InTx(ctx, func(t database.Tx) error {
		*taken, wrong, counted = Taken{SignedIn: in}, nil, nil // it may be tried again
		if err := lockGuesses(t, s.clock.Now(), p.guesser()); err != nil {
			wrong = err
		} else {
			wrong, err = s.tryStep(ctx, t, from, token, u, given, taken)
			if err != nil || wrong == nil {
				return err
			}
		}
		counted, err = s.stepFailed(t, from, p, wrong, given.Passkey == "")
		return err
	})
	if counted != nil {
		err = counted.Unless(err)
	}
	switch {
	case err == nil && wrong != nil:
		return nil, models.Recorded(wrong)
	case errors.Is(err, ErrStepOver):
		return nil, ErrStepOver
	case err != nil:
		return nil, fmt.Errorf("take the second step: %w", err)
	}
	return taken, nil
}

// tryStep judges what was given, by what the person has now. wrong is why it is refused.
func (s *Service) tryStep(
	ctx context.Context, t database.Tx, from models.Actor, token string, u *models.User, given Given, taken *Taken,
) (wrong, err error) {
	if err := accounts.Lock(t, u.ID); err != nil { // they may be setting up a factor elsewhere
		return nil, err
	}
	p, err := s.readStep(t, token)
	if err != nil {
		return nil, err
	}
	rules, err := sso.CurrentRules(t)
	if err != nil {
		return nil, err
	}
	if u.ShutOut(s.clock.Now()) != nil || rules.Alone(u.ID) {
		return nil, ErrStepOver
	}
	var known *models.Error
	err = s.judgeStep(ctx, t, from, p, u, given, taken)
	switch {
	case errors.Is(err, models.ErrNotFound): // their app was reset or confirmed meanwhile
		return nil, ErrStepOver
	case errors.Is(err, factors.ErrUnreadable): // no guess
		return nil, err
	case errors.As(err, &known):
		return err, nil
	case err != nil:
		return nil, err
	}
	ended := t.Exec("DELETE FROM sign_in_steps WHERE token_hash = ?", p.ID)
	if ended.Error != nil {
		return nil, ended.Error
	}
	if ended.RowsAffected == 0 { // of two at once one comes first
		return nil, ErrStepOver
	}
	switch {
	case given.Passkey != "":
		taken.way = bySecond
	case taken.Used:
		taken.way = byRecovery
	default:
		taken.way = byCode
	}
	g := p.guesser()
	if err := t.Exec("DELETE FROM login_failures WHERE email = ? AND address = ?", g.email, g.by).Error; err != nil {
		return nil, err
	}
	if err := s.openSession(t, from, g, taken.SignedIn); err != nil {
		return nil, err
	}
	if p.Setup {
		if err := s.people.Notify(t, taken.actor(from), u.ID, models.NoticeFactorAdded); err != nil {
			return nil, err
		}
	}
	return nil, s.recordStep(t, from, u, given, taken)
}

// judgeStep judges the code or the passkey.
func (s *Service) judgeStep(
	ctx context.Context, t database.Tx, from models.Actor, p *Step, u *models.User, given Given, taken *Taken,
) (err error) {
	token := string(p.ID[:])
	switch {
	case given.Passkey == "" && p.Setup:
		taken.Recovery, err = s.factors.Confirm(t, p.UserID, given.Code)
	case given.Passkey == "":
		taken.Used, err = s.factors.Use(t, p.UserID, given.Code)
	case p.Setup:
		of := passkeys.Ceremony{Purpose: passkeys.Register, Browser: token}
		taken.Recovery, err = s.addPasskey(ctx, t, u.ActorFrom(from), of, u, given)
	default:
		of := passkeys.Ceremony{Purpose: passkeys.SecondStep, Browser: token}
		_, err = s.usePasskey(ctx, t, from, of, u.ID, given.Passkey)
	}
	return err
}

// recordStep says in the trail what a code changed of a person's factors. What a passkey
// did is said already.
func (s *Service) recordStep(t database.Tx, from models.Actor, u *models.User, given Given, taken *Taken) error {
	told, action := map[string]any{"email": u.Email}, models.ActionFactorSet
	switch {
	case taken.Used:
		state, err := factors.Of(t, u.ID)
		if err != nil {
			return err
		}
		taken.Left, action = state.Left, models.ActionRecoveryUsed
		told["codesLeft"] = state.Left
	case taken.Recovery != nil && given.Passkey == "":
		told["codesLeft"] = len(taken.Recovery)
	default:
		return nil
	}
	return audit.Record(t, u.ActorFrom(from), s.clock.Now(), action, models.OutcomeSuccess, audit.About{After: told})
}

// stepFailed counts a wrong code, in the trail too. One that was refused because of too
// many does not prolong the wait, and nobody guesses a passkey.
func (s *Service) stepFailed(t database.Tx, from models.Actor, p *Step, why error, guess bool) (*audit.Counted, error) {
	var known *models.Error
	if !errors.As(why, &known) {
		return nil, why
	}
	from.Name, from.Role = p.Email, models.Anonymous
	outcome := models.OutcomeFailure
	if known.Kind == models.KindTooMany {
		outcome = models.OutcomeDenied
	} else if guess {
		if err := noteGuess(t, s.clock.Now(), p.guesser()); err != nil {
			return nil, err
		}
	}
	counted, err := s.audit.Counted(from, models.ActionLogin, outcome, audit.About{Reason: known.Code}, p.Email)
	if err != nil {
		return nil, err
	}
	return counted, counted.Record(t)
}
