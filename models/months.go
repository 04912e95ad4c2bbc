package models

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// monthsAhead is how far ahead the months of the trail are made: a server that
// nobody touches for a quarter still finds them.
const monthsAhead = 3

// MakeMonths makes the months of the trail up to some time after now, and
// returns how many were new, which is an entry. Entries of other months are kept
// all the same, where no month can be put away.
func (db *DB) MakeMonths(ctx context.Context, now time.Time) (made int, err error) {
	for begun := time.Now(); ; {
		made, err = db.makeMonths(ctx, now)
		if !errors.Is(busy(err), ErrMonthBusy) || time.Since(begun) > monthsPatience {
			return made, err
		}
		select {
		case <-time.After(awayPause):
		case <-ctx.Done():
			return 0, err
		}
	}
}

// monthsPatience is for how long it is tried while somebody reads the trail. A
// month that is not made then is made the next day.
const monthsPatience = 10 * time.Second

func (db *DB) makeMonths(ctx context.Context, now time.Time) (made int, err error) {
	last := now.UTC().AddDate(0, monthsAhead, 0)
	err = db.transaction(ctx, func(t tx) error {
		// Who asks the trail something waits behind this: not for longer than they notice.
		if err := t.Exec("SET LOCAL lock_timeout = '" + awayLock + "'").Error; err != nil {
			return err
		}
		if err := t.Raw(`SELECT audit_partitions(?)`, last).Scan(&made).Error; err != nil || made == 0 {
			return err
		}
		return t.record(System("months", ""), now, ActionMonthMade, OutcomeSuccess, about{after: map[string]any{
			"count": made, "month": last.Format("2006-01"),
		}})
	})
	if err != nil {
		return 0, fmt.Errorf("make months of the trail: %w", err)
	}
	return made, nil
}

// KeepMonths makes the months of the trail ahead. A job calls it every day.
func (s *Cancellations) KeepMonths(ctx context.Context) error {
	_, err := s.db.MakeMonths(ctx, s.clock.Now())
	return err
}
