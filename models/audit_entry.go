package models

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/tlog"
)

// EntryStory is everything known about one entry of the trail.
type EntryStory struct {
	Entry AuditEntry
	// Same are the entries of the same sale, oldest first, this one among them,
	// as far as the reader's scope goes; at most mostNeighbours.
	Same []AuditEntry
	// Proof is nil while the entry is not sealed. Holds says whether its bytes are
	// those that were sealed, recomputed for this page. Altered names the columns
	// that say something else than the bytes: what the page shows of them was not
	// sealed.
	Proof   *EntryProof
	Holds   bool
	Altered string
}

const mostNeighbours = 200

// AuditStory returns an entry within the actor's scope, with its neighbours and
// its proof. Reading it is an entry itself; to read it again within a minute is
// not.
//
// Errors: ErrForbidden; ErrNotFound, also for an entry outside the scope;
// ErrEntryArchived, for who sees every store.
func (s *Cancellations) AuditStory(ctx context.Context, actor Actor, id int64) (*EntryStory, error) {
	if !actor.May(ReadAudit) {
		return nil, ErrForbidden
	}
	found, err := s.db.auditWith(ctx, actor, "id", id, 1)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		_, err := s.db.entryWithin(ctx, actor, id)
		return nil, err
	}
	st := &EntryStory{Entry: found[0]}
	if sale := st.Entry.SaleID; sale != nil {
		if st.Same, err = s.db.auditWith(ctx, actor, "sale_id", *sale, mostNeighbours); err != nil {
			return nil, err
		}
	}
	if err := s.db.proveStory(ctx, st); err != nil {
		return nil, err
	}
	if now := s.clock.Now(); s.readings.begins(actor, fmt.Sprint("entry ", id), now) {
		err = s.db.transaction(ctx, func(t tx) error {
			return t.record(actor, now, ActionAuditRead, OutcomeSuccess, about{after: map[string]any{"entry": id}})
		})
		if err != nil {
			return nil, fmt.Errorf("record reading of entry %d: %w", id, err)
		}
	}
	return st, nil
}

// auditWith reads the entries within the actor's scope of which a column has a
// value, oldest first. column is a constant.
func (db *DB) auditWith(ctx context.Context, actor Actor, column string, value int64, most int) ([]AuditEntry, error) {
	rows, err := db.pool.Query(ctx, `SELECT `+auditColumns+` FROM audit_entries
		WHERE `+column+` = $1 AND ($2 OR store_id = ANY($3) OR `+fmt.Sprintf(ownEntry, "$4", "$5")+`) ORDER BY at, id LIMIT $6`,
		pgx.QueryExecModeExec, value, actor.AllStores, actor.StoreIDs, actor.UserID, actor.program(), most)
	if err != nil {
		return nil, fmt.Errorf("read trail by %s: %w", column, err)
	}
	entries, err := pgx.CollectRows(rows, scanStreamed)
	if err != nil {
		return nil, fmt.Errorf("read trail by %s: %w", column, err)
	}
	return entries, nil
}

// proveStory proves the entry against the last checkpoint, from what it says now
// to the root.
func (db *DB) proveStory(ctx context.Context, st *EntryStory) error {
	p, err := db.ProveEntry(ctx, st.Entry.ID)
	switch {
	case errors.Is(err, ErrNotSealed), errors.Is(err, ErrNotFound):
		return nil
	case err != nil:
		return err
	}
	st.Proof = p
	if p.Leaf != nil {
		if st.Altered, err = db.alteredColumns(ctx, st.Entry.ID, st.Entry.At); err != nil {
			return err
		}
	}
	st.Holds = p.Leaf != nil && p.Leaf.Hash() == p.Hash &&
		tlog.CheckRecord(p.Proof, p.Checkpoint.Size, p.Checkpoint.Root, p.N, p.Hash) == nil
	return nil
}

// alteredColumns names the columns of an entry that do not say what its bytes
// say; "" when all do.
func (db *DB) alteredColumns(ctx context.Context, id int64, at time.Time) (string, error) {
	rows, err := db.pool.Query(ctx, readEntries+` LIMIT 2`, pgx.QueryResultFormats{pgx.BinaryFormatCode}, id, id)
	if err != nil {
		return "", fmt.Errorf("compare entry %d: %w", id, err)
	}
	defer rows.Close()
	differ := ""
	for rows.Next() {
		var e entryRow
		if err := e.scan(rows.RawValues()); err != nil {
			return "", fmt.Errorf("compare entry %d: %w", id, err)
		}
		if fromPostgres(e.at).Equal(at) {
			differ = new(fieldCheck).differ(&e)
		}
	}
	if err := rows.Err(); err != nil {
		return "", fmt.Errorf("compare entry %d: %w", id, err)
	}
	return differ, nil
}

// SealedNumbers returns which leaf of the tree each entry is; those that are not
// sealed yet are not in it.
func (db *DB) SealedNumbers(ctx context.Context, entries []AuditEntry) (map[int64]int64, error) {
	ids := make([]int64, len(entries))
	for i := range entries {
		ids[i] = entries[i].ID
	}
	rows, err := db.pool.Query(ctx, `SELECT entry_id, n FROM sealed_entries WHERE entry_id = ANY($1)`, ids)
	if err != nil {
		return nil, fmt.Errorf("find sealed entries: %w", err)
	}
	numbers := make(map[int64]int64, len(ids))
	var id, n int64
	_, err = pgx.ForEachRow(rows, []any{&id, &n}, func() error {
		numbers[id] = n
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find sealed entries: %w", err)
	}
	return numbers, nil
}
