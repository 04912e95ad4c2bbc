package proposals

import (
	"context"
	"errors"
	"fmt"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// Give gives a subject what a proposal says, and returns what the trail says of it. version
// is the subject's, as whoever confirms saw it.
//
// Errors: ErrChanged before anything was changed, when its rights are other ones than the
// proposal says; ErrStale.
type Give func(t database.Tx, p *Proposal, version int) (before, after map[string]any, err error)

// Service has proposals confirmed, refused and withdrawn.
type Service struct {
	db    *database.DB
	clock models.Clock
	give  map[Kind]Give
}

// New returns a Service that gives rights as their services do.
func New(db *database.DB, clock models.Clock, give map[Kind]Give) *Service {
	return &Service{db: db, clock: clock, give: give}
}

// Confirm gives what was asked for. Everything is read again: who asked and who confirms
// are administrators, and the subject has the rights that the proposal says.
//
// Errors: ErrForbidden, ErrProofNeeded, ErrNotFound, ErrStale, those of a proposal.
func (s *Service) Confirm(ctx context.Context, actor models.Actor, id int64, version int) error {
	if err := actor.Fresh(); err != nil {
		return err
	}
	now := s.clock.Now()
	var lapsed error // it ends, and nothing is given
	err := s.decide(ctx, actor, id, func(t database.Tx, p *Proposal) error {
		if err := judge(t, actor, p, now); err != nil {
			return err
		}
		there, _, err := administrator(t, p.AskedBy, now)
		if err != nil {
			return err
		}
		if !there {
			lapsed = ErrAskerGone
			return end(t, actor, p, Lapsed, now)
		}
		before, after, err := s.give[p.Subject().Kind](t, p, version)
		if errors.Is(err, ErrChanged) {
			lapsed = err
			return end(t, actor, p, Lapsed, now)
		}
		if err != nil {
			return err
		}
		after["askedBy"] = p.AskedByName
		return endWith(t, actor, p, Confirmed, now, audit.About{Before: before, After: after})
	})
	if err != nil {
		return fmt.Errorf("confirm proposal %d: %w", id, err)
	}
	return lapsed
}

// Answer is what somebody says to a proposal.
type Answer string

// The answers.
const (
	ToConfirm  Answer = "confirm"
	ToRefuse   Answer = "refuse"
	ToWithdraw Answer = "withdraw"
)

// Answer does what the actor says to a proposal of a subject.
//
// Errors: ErrNotFound, also for one of another subject and for another answer; those of
// Confirm, Refuse and Withdraw.
func (s *Service) Answer(ctx context.Context, actor models.Actor, of Subject, answer Answer, id int64, version int) error {
	var p Proposal
	if err := database.TakeRow(s.db.Gorm().WithContext(ctx).Where("id = ?", id), &p); err != nil {
		return err
	}
	if p.Subject() != of {
		return models.ErrNotFound
	}
	switch answer {
	case ToConfirm:
		return s.Confirm(ctx, actor, id, version)
	case ToRefuse:
		return s.Refuse(ctx, actor, id)
	case ToWithdraw:
		return s.Withdraw(ctx, actor, id)
	}
	return models.ErrNotFound
}

// Refuse ends a proposal of somebody else.
//
// Errors: ErrForbidden, ErrNotFound, ErrOver, ErrOwn.
func (s *Service) Refuse(ctx context.Context, actor models.Actor, id int64) error {
	return s.end(ctx, actor, id, Refused, func(p *Proposal) error {
		if p.AskedBy == actor.UserID {
			return ErrOwn
		}
		return nil
	})
}

// Withdraw ends a proposal of the actor.
//
// Errors: ErrForbidden, ErrNotFound, ErrOver, ErrNotOwn.
func (s *Service) Withdraw(ctx context.Context, actor models.Actor, id int64) error {
	return s.end(ctx, actor, id, Withdrawn, func(p *Proposal) error {
		if p.AskedBy != actor.UserID {
			return ErrNotOwn
		}
		return nil
	})
}

func (s *Service) end(ctx context.Context, actor models.Actor, id int64, by End, may func(*Proposal) error) error {
	err := s.decide(ctx, actor, id, func(t database.Tx, p *Proposal) error {
		if err := may(p); err != nil {
			return err
		}
		return end(t, actor, p, by, s.clock.Now())
	})
	if err != nil {
		return fmt.Errorf("end proposal %d: %w", id, err)
	}
	return nil
}

// decide does f with a proposal that waits. Of two who decide at once one comes first.
func (s *Service) decide(ctx context.Context, actor models.Actor, id int64, f func(database.Tx, *Proposal) error) error {
	if !actor.May(models.ManageUsers) {
		return models.ErrForbidden
	}
	return s.db.InTx(ctx, func(t database.Tx) error {
		if err := LockAdministrators(t); err != nil {
			return err
		}
		var p Proposal
		if err := database.TakeRow(t.Where("id = ?", id), &p); err != nil {
			return err
		}
		if !p.open(s.clock.Now()) {
			return ErrOver
		}
		return f(t, &p)
	})
}

// Waiting lists what waits, the oldest first.
//
// Errors: ErrForbidden.
func (s *Service) Waiting(ctx context.Context, actor models.Actor) ([]Proposal, error) {
	if !actor.May(models.ManageUsers) {
		return nil, models.ErrForbidden
	}
	all, err := database.Rows[Proposal](ctx, s.db, `SELECT id, user_id, key_id, name, email, rights_before, rights_after,
			asked_by, asked_by_name, asked_at, expires_at, ended_at, ended_by
		FROM proposals WHERE ended_at IS NULL AND expires_at > $1 ORDER BY id`, s.clock.Now())
	if err != nil {
		return nil, fmt.Errorf("list proposals: %w", err)
	}
	return all, nil
}

// Of returns what waits of a subject; nil for nothing.
//
// Errors: ErrForbidden.
func (s *Service) Of(ctx context.Context, actor models.Actor, of Subject) (*Proposal, error) {
	all, err := s.Waiting(ctx, actor)
	for i := range all {
		if all[i].Subject() == of {
			return &all[i], nil
		}
	}
	return nil, err
}

// Sweep ends what nobody decided in time.
func (s *Service) Sweep(ctx context.Context) error {
	now := s.clock.Now()
	err := s.db.InTx(ctx, func(t database.Tx) error {
		over, err := s.over(t)
		if err != nil || len(over) == 0 {
			return err
		}
		if err := LockAdministrators(t); err != nil {
			return err
		}
		if over, err = s.over(t); err != nil { // somebody may have decided meanwhile
			return err
		}
		for i := range over {
			if err := end(t, models.System("proposals", over[i].AskedByName), &over[i], Expired, now); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("end proposals that are over: %w", err)
	}
	return nil
}

// over are those that nobody decided in time.
func (s *Service) over(t database.Tx) (all []Proposal, err error) {
	return all, t.Where("ended_at IS NULL AND expires_at <= ?", s.clock.Now()).Order("id").Find(&all).Error
}
