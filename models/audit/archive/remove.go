package archive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/audit/sealing"
	"veinte/models/audit/verify"
	"veinte/models/database"
)

// Archive deletes the month from the database, and records that in the trail, in one
// transaction. The content of the file is compared again in it. It tries the lock
// for short times, so that those who use the trail need not wait for it.
//
// Errors: ErrMonthLocked, ErrMonthUnsealed, ErrMonthAltered; after any of them
// nothing has changed.
func (m *Month) Archive(ctx context.Context, actor models.Actor, clock models.Clock, file *verify.ArchivedMonth) error {
	ctx, cancel := context.WithTimeoutCause(ctx, m.Patience, sealing.ErrMonthLocked)
	defer cancel()
	for {
		err := m.remove(ctx, actor, clock.Now(), file)
		if err == nil || !errors.Is(err, sealing.ErrMonthLocked) {
			return err
		}
		select {
		case <-time.After(sealing.ArchiveLockPause):
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", m.Month, context.Cause(ctx))
		}
	}
}

func (m *Month) remove(ctx context.Context, actor models.Actor, now time.Time, file *verify.ArchivedMonth) error {
	// Once it is begun it is brought to its end: its waits are short.
	err := m.db.InTx(context.WithoutCancel(ctx), func(t database.Tx) error {
		if err := m.lockEntries(t); err != nil {
			return err
		}
		sealed, err := m.current(t)
		if err != nil {
			return err
		}
		if sealed.Sum != file.Leaves {
			return ErrMonthAltered
		}
		recorded, err := m.recorded(t)
		if err != nil {
			return err
		}
		// From here on everybody waits who adds to the trail.
		for _, do := range []string{
			"SET LOCAL statement_timeout = '5s'", "LOCK TABLE audit_entries IN ACCESS EXCLUSIVE MODE",
			"ALTER TABLE audit_entries DETACH PARTITION " + m.table, "DROP TABLE " + m.table,
		} {
			if err := t.Exec(do).Error; err != nil {
				return fmt.Errorf("take it out: %w", sealing.Busy(err))
			}
		}
		for _, month := range append(recorded, file) {
			about := audit.About{After: month}
			if err := audit.Record(t, actor, now, models.ActionAuditArchived, models.OutcomeSuccess, about); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("archive %s: %w", m.Month, err)
	}
	return nil
}

// lockEntries blocks writes into the month until the transaction ends. It waits for
// a running write only briefly. Other months are not locked, so what happens now can
// still be recorded.
func (m *Month) lockEntries(t database.Tx) error {
	for _, do := range []string{
		"SET LOCAL statement_timeout = 0", "SET LOCAL lock_timeout = '" + sealing.ArchiveLockWait + "'",
		"LOCK TABLE " + m.table + " IN SHARE MODE",
	} {
		if err := t.Exec(do).Error; err != nil {
			return fmt.Errorf("hold its entries: %w", sealing.Busy(err))
		}
	}
	return nil
}

// current compares the month's entries with what was sealed as of it.
func (m *Month) current(t database.Tx) (sealed verify.MonthLeaves, err error) {
	var entries struct{ Here, Sealed int64 }
	err = t.Raw(`SELECT count(*) AS here, count(s.n) AS sealed FROM ` + m.table + ` e
		LEFT JOIN sealed_entries s ON s.entry_id = e.id AND s.at = e.at`).Scan(&entries).Error
	here, both := entries.Here, entries.Sealed
	if err != nil {
		return sealed, fmt.Errorf("count its entries: %w", err)
	}
	rows, err := t.SQL.Query(verify.LeavesOfMonth, m.first, m.next)
	if err != nil {
		return sealed, fmt.Errorf("read what was sealed of it: %w", err)
	}
	defer func() { _ = rows.Close() }()
	if sealed, err = verify.ReadLeavesOfMonth(rows); err != nil {
		return sealed, fmt.Errorf("read what was sealed of it: %w", err)
	}
	switch {
	case here == 0 && sealed.Entries == 0:
		return sealed, ErrNoMonth
	case here > both:
		return sealed, fmt.Errorf("%d of its %d entries: %w", here-both, here, ErrMonthUnsealed)
	case sealed.Entries != both:
		return sealed, fmt.Errorf("%d entries of %d that were sealed are gone: %w", sealed.Entries-both, sealed.Entries, ErrMonthAltered)
	}
	return sealed, nil
}

// recorded lists the archived months which are recorded by entries of this month.
// They are recorded again, with their sealed attributes: else the database would not
// state any more where those months are.
func (m *Month) recorded(t database.Tx) (months []*verify.ArchivedMonth, err error) {
	var entries []struct {
		At    time.Time
		After []byte
	}
	err = t.Raw(`SELECT at, convert_from(canonical, 'UTF8')::json->'after' AS after FROM `+m.table+`
		WHERE action = ? AND outcome = ? ORDER BY at, id`, models.ActionAuditArchived, models.OutcomeSuccess).Scan(&entries).Error
	if err != nil {
		return nil, fmt.Errorf("find months that it says were archived: %w", err)
	}
	for _, e := range entries {
		month := &verify.ArchivedMonth{}
		if err := json.Unmarshal(e.After, month); err != nil {
			return nil, fmt.Errorf("read months that it says were archived: %w", err)
		}
		if month.Since == nil {
			at := e.At.UTC()
			month.Since = &at
		}
		months = append(months, month)
	}
	return months, nil
}
