package audit

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"veinte/models"
)

const MaxNeighbours = 200

// SealedNumbers returns which leaf of the tree each entry is; those that are not
// sealed yet are not in it.
func (s *Service) SealedNumbers(ctx context.Context, entries []models.AuditEntry) (map[int64]int64, error) {
	ids := make([]int64, len(entries))
	for i := range entries {
		ids[i] = entries[i].ID
	}
	rows, err := s.db.Pool().Query(ctx, `SELECT entry_id, n FROM sealed_entries WHERE entry_id = ANY($1)`, ids)
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
