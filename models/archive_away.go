package models

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// awayLock is how long the month waits for the trail at a time. Everybody who
	// adds to it waits behind: it must be less than a person notices.
	awayLock = "100ms"
	// awayPause is how long it lets others pass before it asks again.
	awayPause = 500 * time.Millisecond
)

// PutAway takes the month out of the database, and tells the trail so, in one
// transaction. What the file holds is compared again in it. It waits in short turns
// for whoever uses the trail, so that nobody waits for it.
//
// Errors: ErrMonthBusy, ErrMonthUnsealed, ErrMonthAltered; after any of them
// nothing has changed.
func (m *MonthArchive) PutAway(ctx context.Context, actor Actor, clock Clock, file *ArchivedMonth) error {
	ctx, cancel := context.WithTimeoutCause(ctx, m.Patience, ErrMonthBusy)
	defer cancel()
	for {
		err := m.take(ctx, actor, clock.Now(), file)
		if err == nil || !errors.Is(err, ErrMonthBusy) {
			return err
		}
		select {
		case <-time.After(awayPause):
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", m.Month, context.Cause(ctx))
		}
	}
}

func (m *MonthArchive) take(ctx context.Context, actor Actor, now time.Time, file *ArchivedMonth) error {
	// Once it is begun it is brought to its end: its waits are short.
	err := m.db.transaction(context.WithoutCancel(ctx), func(t tx) error {
		if err := m.hold(t); err != nil {
			return err
		}
		sealed, err := m.standing(t)
		if err != nil {
			return err
		}
		if sealed.sum != file.Leaves {
			return ErrMonthAltered
		}
		told, err := m.toldIn(t)
		if err != nil {
			return err
		}
		// From here on everybody waits who adds to the trail.
		for _, do := range []string{
			"SET LOCAL statement_timeout = '5s'", "LOCK TABLE audit_entries IN ACCESS EXCLUSIVE MODE",
			"ALTER TABLE audit_entries DETACH PARTITION " + m.table, "DROP TABLE " + m.table,
		} {
			if err := t.Exec(do).Error; err != nil {
				return fmt.Errorf("take it out: %w", busy(err))
			}
		}
		for _, month := range append(told, file) {
			if err := t.record(actor, now, ActionAuditArchived, OutcomeSuccess, about{after: month}); err != nil {
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

// hold keeps everybody from writing into the month until the transaction ends,
// and waits for nobody who does. It stops nobody else: what happens now is of
// another month.
func (m *MonthArchive) hold(t tx) error {
	for _, do := range []string{
		"SET LOCAL statement_timeout = 0", "SET LOCAL lock_timeout = '" + awayLock + "'", "LOCK TABLE " + m.table + " IN SHARE MODE",
	} {
		if err := t.Exec(do).Error; err != nil {
			return fmt.Errorf("hold its entries: %w", busy(err))
		}
	}
	return nil
}

// busy names the errors of a lock that was not to be had.
func busy(err error) error {
	var refused *pgconn.PgError
	if errors.As(err, &refused) && (refused.Code == "55P03" || refused.Code == "40P01") {
		return fmt.Errorf("%w (%w)", ErrMonthBusy, err)
	}
	return err
}

// standing compares the month's entries with what was sealed as of it.
func (m *MonthArchive) standing(t tx) (sealed monthLeaves, err error) {
	var here, both int64
	err = t.sql.QueryRow(`SELECT count(*), count(s.n) FROM `+m.table+` e LEFT JOIN sealed_entries s ON s.entry_id = e.id AND s.at = e.at`).Scan(&here, &both)
	if err != nil {
		return sealed, fmt.Errorf("count its entries: %w", err)
	}
	rows, err := t.sql.Query(leavesOfMonth, m.first, m.next)
	if err != nil {
		return sealed, fmt.Errorf("read what was sealed of it: %w", err)
	}
	defer func() { _ = rows.Close() }()
	if sealed, err = readLeavesOfMonth(rows); err != nil {
		return sealed, fmt.Errorf("read what was sealed of it: %w", err)
	}
	switch {
	case here == 0 && sealed.entries == 0:
		return sealed, ErrNoMonth
	case here > both:
		return sealed, fmt.Errorf("%d of its %d entries: %w", here-both, here, ErrMonthUnsealed)
	case sealed.entries != both:
		return sealed, fmt.Errorf("%d entries of %d that were sealed are gone: %w", sealed.entries-both, sealed.entries, ErrMonthAltered)
	}
	return sealed, nil
}

// toldIn lists which months were put away according to entries of this one. They
// are told again, in the words that are sealed: else nothing here would say any
// more where those months are.
func (m *MonthArchive) toldIn(t tx) (told []*ArchivedMonth, err error) {
	rows, err := t.sql.Query(`SELECT at, convert_from(canonical, 'UTF8')::json->'after' FROM `+m.table+` WHERE action = $1 AND outcome = $2 ORDER BY at, id`, ActionAuditArchived, OutcomeSuccess)
	if err != nil {
		return nil, fmt.Errorf("find months that it says were archived: %w", err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		month, err := toldAgain(rows)
		if err != nil {
			return nil, fmt.Errorf("read months that it says were archived: %w", err)
		}
		told = append(told, month)
	}
	return told, rows.Err()
}

func toldAgain(row *sql.Rows) (*ArchivedMonth, error) {
	var at time.Time
	var after []byte
	if err := row.Scan(&at, &after); err != nil {
		return nil, err
	}
	month := &ArchivedMonth{}
	if err := json.Unmarshal(after, month); err != nil {
		return nil, err
	}
	if month.Since == nil {
		at = at.UTC()
		month.Since = &at
	}
	return month, nil
}
