package counters

import (
	"context"
	"errors"
	"fmt"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/accounts/passwords"
	"veinte/models/audit"
	"veinte/models/database"
	"veinte/models/entrance"
)

// The refusals of a PIN at a counter. A wrong one is a *WrongPIN.
var (
	ErrShut    = models.Invalid("pin", "pin.shut")
	errNotHere = models.Invalid("person", "pin.notHere")
)

// WrongPIN is the refusal of a wrong PIN, with how many more may be tried before it is shut.
type WrongPIN struct{ Left int }

func (e *WrongPIN) Error() string { return e.Unwrap().Error() }

// Unwrap makes it the refusal that it is.
func (e *WrongPIN) Unwrap() error { return models.Invalid("pin", "pin.wrong") }

// Try is a PIN as it is typed at a counter.
type Try struct {
	UserID int64
	PIN    string
	Gone   func() bool // reports whether the client has hung up; nil: it is not known
}

// entry is somebody who tries to come in.
type entry struct {
	at           *Here
	user         *models.User
	Hash         string
	InRow, InAll int // how many wrong ones there were here one after the other, and in all
}

func (e *entry) shut() bool { return e.InRow >= wrongAtCounter || e.InAll >= wrongInAll }

func (e *entry) left() int { return min(wrongAtCounter-e.InRow, wrongInAll-e.InAll) }

// Enter begins a session of a person at the counter of a cookie, in the place of the one
// that was there.
//
// Errors: ErrNotFound for a counter that has ended; pin.notHere for who may not come in here,
// pin.six, a WrongPIN, ErrShut; entrance.ErrSignInBusy.
func (s *Service) Enter(
	ctx context.Context, from models.Actor, place *entrance.Place, token string, try Try,
) (*entrance.SignedIn, error) {
	read := database.Tx{DB: s.db.Gorm().WithContext(ctx)}
	at, err := find(read, token)
	if err != nil {
		return nil, err
	}
	e, err := s.entryOf(read, at, try.UserID)
	if err != nil {
		return nil, err
	}
	if !isPIN(try.PIN) {
		return nil, models.Invalid("pin", "pin.six")
	}
	right := false
	if !e.shut() { // then nothing is computed for them
		err = place.Compute(ctx, try.Gone, func() (err error) {
			right, err = passwords.Matches(try.PIN, e.Hash)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	in, err := s.entrance.NewByPIN(ctx, e.user, at.Device)
	if err != nil {
		return nil, err
	}
	return in, s.judge(ctx, from, token, e, right, in)
}

// judge counts once more, one try of a person at a time: else those that come at once would
// all be the first.
func (s *Service) judge(ctx context.Context, from models.Actor, token string, e *entry, right bool, in *entrance.SignedIn) error {
	var wrong error
	var counted *audit.Counted
	err := s.db.InTx(ctx, func(t database.Tx) (err error) {
		wrong, counted = nil, nil
		if err := accounts.Lock(t, e.user.ID); err != nil {
			return err
		}
		at, err := find(t, token)
		if err != nil {
			return err
		}
		now, err := s.entryOf(t, at, e.user.ID)
		switch {
		case err != nil:
			return err
		case now.shut() || now.Hash != e.Hash:
			wrong = ErrShut
		case !right:
			now.InRow, now.InAll = now.InRow+1, now.InAll+1
			wrong = &WrongPIN{now.left()}
			if now.shut() {
				wrong = ErrShut
			}
			err = s.noteWrong(t, from, now)
		default:
			if err := t.Exec("DELETE FROM counter_tries WHERE counter_id = ? AND user_id = ?", at.ID, e.user.ID).Error; err != nil {
				return err
			}
			return s.entrance.OpenByPIN(t, from, in)
		}
		if err != nil {
			return err
		}
		counted, err = s.refused(t, from, now, wrong)
		return err
	})
	if counted != nil {
		err = counted.Unless(err)
	}
	if err == nil && wrong != nil {
		return models.Recorded(wrong)
	}
	return wrapped(err, fmt.Sprintf("let person %d in at counter %d", e.user.ID, e.at.ID))
}

// entryOf reads whether a person may come in at a counter, and how often they were wrong.
//
// Errors: pin.notHere.
func (s *Service) entryOf(t database.Tx, at *Here, userID int64) (*entry, error) {
	var e entry
	given := s.given(at.ID)
	given["user"] = userID
	done := t.Raw(`SELECT p.hash, coalesce(w.wrong, 0) AS in_row, p.wrong AS in_all`+comesIn+` AND u.id = @user`, given).Scan(&e)
	switch {
	case done.Error != nil:
		return nil, done.Error
	case done.RowsAffected == 0:
		return nil, errNotHere
	}
	u, err := accounts.ByID(t, userID)
	e.at, e.user = at, u
	return &e, err
}

// noteWrong counts a wrong one. The person is told when it was the last that may be tried.
func (s *Service) noteWrong(t database.Tx, from models.Actor, e *entry) error {
	err := t.Exec(`INSERT INTO counter_tries (counter_id, user_id, wrong) VALUES (?, ?, 1)
		ON CONFLICT (counter_id, user_id) DO UPDATE SET wrong = counter_tries.wrong + 1`, e.at.ID, e.user.ID).Error
	if err != nil {
		return err
	}
	if err := t.Exec("UPDATE counter_pins SET wrong = wrong + 1 WHERE user_id = ?", e.user.ID).Error; err != nil {
		return err
	}
	if !e.shut() {
		return nil
	}
	return s.people.Notify(t, e.user.ActorFrom(from), e.user.ID, models.NoticePINShut)
}

// refused is the entry of a refusal, counted like that of a wrong password: nobody fills the
// trail at a counter.
func (s *Service) refused(t database.Tx, from models.Actor, e *entry, why error) (*audit.Counted, error) {
	var known *models.Error
	if !errors.As(why, &known) {
		return nil, why
	}
	from.Name, from.Role = e.user.Email, models.Anonymous
	outcome := models.OutcomeFailure
	if why == ErrShut {
		outcome = models.OutcomeDenied
	}
	about := audit.About{Reason: known.Code, After: map[string]any{"counter": e.at.Name}}
	counted, err := s.audit.Counted(from, models.ActionLogin, outcome, about, e.user.Email+" "+known.Code)
	if err != nil {
		return nil, err
	}
	return counted, counted.Record(t)
}
