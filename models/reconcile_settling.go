package models

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Settling is what a confirmation by somebody would settle.
type Settling struct {
	Counts map[Settles]int
	// Seal stands for the very items, in hex: whoever confirms sends it back, so
	// that they confirm what they saw and not as many others.
	Seal  string
	items []int64
}

// ToSettle tells what a confirmation by the actor would settle.
//
// Errors: ErrForbidden.
func (s *Cancellations) ToSettle(ctx context.Context, actor Actor, id int64) (*Settling, error) {
	if !actor.May(ReconcileSales) {
		return nil, ErrForbidden
	}
	var items []struct {
		ID      int64
		Settles Settles
	}
	err := s.itemQuery(ctx, actor, id, ItemFilter{Settle: true}).Select("id, settles").Order("id").Scan(&items).Error
	if err != nil {
		return nil, fmt.Errorf("list what report %d settles: %w", id, err)
	}
	to := &Settling{Counts: map[Settles]int{}}
	seal := sha256.New()
	for _, i := range items {
		to.Counts[i.Settles]++
		to.items = append(to.items, i.ID)
		fmt.Fprintln(seal, i.ID, i.Settles)
	}
	to.Seal = hex.EncodeToString(seal.Sum(nil))
	return to, nil
}

// superseded reports whether a later report stands in the place of one by now.
func (t tx) superseded(id int64) (bool, error) {
	var row reconciliationRow
	if err := t.Raw(reconciliationColumns+" WHERE r.id = ?", id).Scan(&row).Error; err != nil {
		return false, fmt.Errorf("look for a later report than %d: %w", id, err)
	}
	return row.SupersededBy != 0, nil
}
