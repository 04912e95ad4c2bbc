package reconciliation

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"veinte/models"
	"veinte/models/database"
)

// ResolutionPreview is what a confirmation would resolve.
type ResolutionPreview struct {
	Counts map[Resolves]int
	// Checksum identifies exactly these items, in hex. The confirmation sends it
	// back, so that it applies to the items that were shown and not to others.
	Checksum string
	items    []int64
}

// ResolutionPreview returns what a confirmation by the actor would resolve.
//
// Errors: ErrForbidden.
func (s *Service) ResolutionPreview(ctx context.Context, actor models.Actor, id int64) (*ResolutionPreview, error) {
	if !actor.May(models.ReconcileSales) {
		return nil, models.ErrForbidden
	}
	var items []struct {
		ID       int64
		Resolves Resolves `gorm:"column:settles"`
	}
	err := s.itemQuery(ctx, actor, id, ItemFilter{Resolvable: true}).Select("id, settles").Order("id").Scan(&items).Error
	if err != nil {
		return nil, fmt.Errorf("list what report %d resolves: %w", id, err)
	}
	to := &ResolutionPreview{Counts: map[Resolves]int{}}
	sum := sha256.New()
	for _, i := range items {
		to.Counts[i.Resolves]++
		to.items = append(to.items, i.ID)
		fmt.Fprintln(sum, i.ID, i.Resolves)
	}
	to.Checksum = hex.EncodeToString(sum.Sum(nil))
	return to, nil
}

// outOfUse reports whether a later report has superseded this one, or somebody discarded it,
// which nobody does until the transaction ends.
func outOfUse(t database.Tx, id int64) (bool, error) {
	if err := t.Exec(`SELECT FROM reconciliations WHERE id = ? FOR KEY SHARE`, id).Error; err != nil {
		return false, err
	}
	var row reconciliationRow
	if err := t.Raw(reconciliationColumns+" WHERE r.id = ?", id).Scan(&row).Error; err != nil {
		return false, fmt.Errorf("look for a later report than %d: %w", id, err)
	}
	return row.SupersededBy != 0 || row.DiscardedAt != nil, nil
}
