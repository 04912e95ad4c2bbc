package verify

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/tlog"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/audit/sealing"
	"veinte/models/database"
)

// EntryDetail is everything known about one entry of the trail.
type EntryDetail struct {
	Entry models.AuditEntry
	// Same are the entries of the same sale, oldest first, including this one,
	// within the user's scope; at most maxNeighbours.
	Same []models.AuditEntry
	// Proof is nil while the entry is not sealed. Holds states whether its bytes are
	// those that were sealed, recomputed for this page. Altered names the columns
	// that differ from the bytes: their values on the page were not sealed.
	Proof   *sealing.Proof
	Intact  bool
	Altered string
	// Was is what was sealed, and Is what stands there now, where the two differ: the
	// columns, or the bytes. Was is nil where nothing here says any more what was sealed;
	// Is, where what stands there is no entry.
	Was, Is *models.AuditEntry
	Present tlog.Hash // of the leaf, as its bytes are now
}

const maxNeighbours = 200

// EntryDetail returns an entry within the actor's scope, with its neighbours and its
// proof. Reading it is itself recorded; reading it again within a minute is not.
//
// Errors: ErrForbidden; ErrNotFound, also for an entry outside the scope;
// ErrEntryArchived, for a user who sees every store.
func (s *Service) EntryDetail(ctx context.Context, actor models.Actor, id int64) (*EntryDetail, error) {
	if !actor.May(models.ReadAudit) {
		return nil, models.ErrForbidden
	}
	found, err := s.auditWith(ctx, actor, "id", id, 1)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		_, err := s.entryWithin(ctx, actor, id)
		return nil, err
	}
	st := &EntryDetail{Entry: found[0]}
	err = database.Together(ctx, func(ctx context.Context) error {
		return s.proveDetail(ctx, st)
	}, func(ctx context.Context) (err error) {
		if sale := st.Entry.SaleID; sale != nil {
			st.Same, err = s.auditWith(ctx, actor, "sale_id", *sale, maxNeighbours)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if now := s.clock.Now(); s.readings.Begins(actor, fmt.Sprint("entry ", id), now) {
		err = audit.RecordAlone(ctx, s.db, actor, now, models.ActionAuditRead, models.OutcomeSuccess,
			audit.About{After: map[string]any{"entry": id}})
		if err != nil {
			return nil, fmt.Errorf("record reading of entry %d: %w", id, err)
		}
	}
	return st, nil
}

// auditWith reads the entries within the actor's scope of which a column has a
// value, oldest first. column is a constant.
func (s *Service) auditWith(ctx context.Context, actor models.Actor, column string, value int64, most int) ([]models.AuditEntry, error) {
	rows, _ := s.db.Query(ctx, `SELECT `+audit.AuditColumns+` FROM audit_entries
		WHERE `+column+` = $1 AND `+withinSQL+` ORDER BY at, id LIMIT $6`,
		pgx.QueryExecModeExec, value, actor.AllStores, actor.StoreIDs, actor.UserID, actor.Program(), most)
	entries, err := audit.CollectEntries(rows)
	if err != nil {
		return nil, fmt.Errorf("read trail by %s: %w", column, err)
	}
	return entries, nil
}

// proveDetail proves the entry against the last checkpoint, from its present content
// to the root.
func (s *Service) proveDetail(ctx context.Context, st *EntryDetail) error {
	p, err := s.sealing.Prove(ctx, st.Entry.ID)
	switch {
	case errors.Is(err, sealing.ErrNotSealed), errors.Is(err, models.ErrNotFound):
		return nil
	case err != nil:
		return err
	}
	st.Proof = p
	if p.Leaf != nil {
		if st.Altered, err = s.alteredColumns(ctx, st.Entry.ID, st.Entry.At); err != nil {
			return err
		}
	}
	st.Intact = p.Leaf != nil && p.Leaf.Hash() == p.Hash &&
		tlog.CheckRecord(p.Proof, p.Checkpoint.Size, p.Checkpoint.Root, p.N, p.Hash) == nil
	if p.Leaf != nil && (!st.Intact || st.Altered != "") {
		st.tellWas()
	}
	return nil
}

// tellWas finds what was sealed: the bytes, where they are still those; else what the
// columns say, where bytes written from them are those that were sealed.
func (st *EntryDetail) tellWas() {
	leaf := *st.Proof.Leaf
	st.Present = leaf.Hash()
	said, nonce, err := audit.FromCanonical(leaf.Canonical)
	if st.Present == st.Proof.Hash {
		if err == nil {
			st.Was, st.Is = &said, &st.Entry
		}
		return
	}
	if err != nil {
		return
	}
	st.Is = &said
	if leaf.Canonical, err = audit.Rewritten(st.Entry, nonce); err == nil && leaf.Hash() == st.Proof.Hash {
		st.Was = &st.Entry
	}
}

// alteredColumns names the columns of an entry that differ from its bytes; "" when
// none do.
func (s *Service) alteredColumns(ctx context.Context, id int64, at time.Time) (string, error) {
	rows, err := s.db.Query(ctx, readEntries+` LIMIT 2`, pgx.QueryResultFormats{pgx.BinaryFormatCode}, id, id)
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
