package entrance

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/audit"
	"veinte/models/database"
	"veinte/models/entrance/factors"
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

const stepOfToken = `SELECT p.user_id, counted_by, known, device, own, u.name, u.email,
		NOT EXISTS (SELECT FROM second_factors f WHERE f.user_id = u.id AND f.confirmed_at IS NOT NULL) AS setup
	FROM sign_in_steps p JOIN users u ON u.id = p.user_id WHERE p.token_hash = @hash AND p.expires_at > @now`

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

// TakeStep takes the second step with a code of the app or a recovery code, and begins
// the session. Who sets up their app gets recovery codes.
//
// Errors: ErrStepOver, TooManyLogins, those of a code.
func (s *Service) TakeStep(ctx context.Context, from models.Actor, token, code string) (*Taken, error) {
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
	in.way = byCode
	taken := &Taken{SignedIn: in}
	var wrong error
	var counted *audit.Counted
	err = s.db.InTx(ctx, func(t database.Tx) error {
		taken.Recovery, taken.Left, taken.Used, wrong, counted = nil, 0, false, nil, nil // it may be tried again
		if err := lockGuesses(t, s.clock.Now(), p.guesser()); err != nil {
			wrong = err
		} else {
			wrong, err = s.tryStep(t, from, p, u, code, taken)
			if err != nil || wrong == nil {
				return err
			}
		}
		counted, err = s.stepFailed(t, from, p, wrong)
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

// tryStep judges a code. wrong is why it is refused.
func (s *Service) tryStep(t database.Tx, from models.Actor, p *Step, u *models.User, code string, taken *Taken) (wrong, err error) {
	if u.ShutOut(s.clock.Now()) != nil {
		return nil, ErrStepOver
	}
	var known *models.Error
	if p.Setup {
		taken.Recovery, err = s.factors.Confirm(t, p.UserID, code)
	} else {
		taken.Used, err = s.factors.Use(t, p.UserID, code)
	}
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
	if taken.Used {
		taken.way = byRecovery
	}
	g := p.guesser()
	if err := t.Exec("DELETE FROM login_failures WHERE email = ? AND address = ?", g.email, g.by).Error; err != nil {
		return nil, err
	}
	if err := s.openSession(t, from, g, taken.SignedIn); err != nil {
		return nil, err
	}
	return nil, s.recordStep(t, from, u, taken)
}

// recordStep says in the trail what changed of a person's factors with the step.
func (s *Service) recordStep(t database.Tx, from models.Actor, u *models.User, taken *Taken) error {
	told, action := map[string]any{"email": u.Email}, models.ActionFactorSet
	switch {
	case taken.Used:
		state, err := factors.Of(t, u.ID)
		if err != nil {
			return err
		}
		taken.Left, action = state.Left, models.ActionRecoveryUsed
		told["codesLeft"] = state.Left
	case taken.Recovery != nil:
		told["codesLeft"] = len(taken.Recovery)
	default:
		return nil
	}
	return audit.Record(t, u.ActorFrom(from), s.clock.Now(), action, models.OutcomeSuccess, audit.About{After: told})
}

// stepFailed counts a wrong code, in the trail too. One that was refused because of too
// many does not prolong the wait.
func (s *Service) stepFailed(t database.Tx, from models.Actor, p *Step, why error) (*audit.Counted, error) {
	var known *models.Error
	if !errors.As(why, &known) {
		return nil, why
	}
	from.Name, from.Role = p.Email, models.Anonymous
	outcome := models.OutcomeFailure
	if known.Kind == models.KindTooMany {
		outcome = models.OutcomeDenied
	} else if err := noteGuess(t, s.clock.Now(), p.guesser()); err != nil {
		return nil, err
	}
	counted, err := s.audit.Counted(from, models.ActionLogin, outcome, audit.About{Reason: known.Code}, p.Email)
	if err != nil {
		return nil, err
	}
	return counted, counted.Record(t)
}
