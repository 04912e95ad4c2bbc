package verify

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"veinte/models"
	"veinte/models/audit/trailfile"
	"veinte/models/database"
)

// readShown reads entries of a page, each with the hash that was sealed; null while it is
// not.
var readShown = `SELECT id, era, txid, canonical, ` + strings.Join(canonicalColumnNames(), ", ") + `,
	(SELECT hash FROM sealed_entries s WHERE s.entry_id = e.id)
	FROM audit_entries e WHERE id = ANY($1) AND at >= $2 AND at <= $3`

// AlteredAmong returns which of the entries of a page are not as they were sealed: their
// columns are not their bytes, or their bytes are not what the seal is of. That the seal
// itself was not altered is what a verification is for.
func (s *Service) AlteredAmong(ctx context.Context, entries []models.AuditEntry) (map[int64]bool, error) {
	if len(entries) == 0 {
		return nil, nil
	}
	ids := make([]int64, len(entries))
	from, to := entries[0].At, entries[0].At
	for i := range entries {
		ids[i] = entries[i].ID
		if at := entries[i].At; at.Before(from) {
			from = at
		} else if at.After(to) {
			to = at
		}
	}
	rows, err := s.db.Pool().Query(ctx, readShown, pgx.QueryResultFormats{pgx.BinaryFormatCode}, ids, from, to)
	if err != nil {
		return nil, fmt.Errorf("compare entries: %w", err)
	}
	defer rows.Close()
	altered := map[int64]bool{}
	var fields fieldCheck
	for rows.Next() {
		var e entryRow
		raw := rows.RawValues()
		sealed := raw[len(raw)-1]
		if err := e.scan(raw[:len(raw)-1]); err != nil {
			return nil, fmt.Errorf("compare entries: %w", err)
		}
		leaf := trailfile.Leaf{ID: e.id, Era: int(e.era), TxID: e.txid, Canonical: e.canonical}
		if sealed != nil && sha256.Sum256(leaf.AppendTo([]byte{0})) != [sha256.Size]byte(sealed) || fields.differ(&e) != "" {
			altered[e.id] = true
		}
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("compare entries: %w", err)
	}
	return altered, nil
}

// LastVerdict returns the last verification that came to a verdict; nil when none did.
// One that was interrupted says nothing of the trail.
func (s *Service) LastVerdict(ctx context.Context) (*Verification, error) {
	var v Verification
	err := database.TakeRow(s.db.Gorm().WithContext(ctx).
		Where("state IN ?", []RunState{RunIntact, RunAltered}).Order("started_at DESC, id DESC"), &v)
	if errors.Is(err, models.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read last verdict: %w", err)
	}
	return &v, nil
}
