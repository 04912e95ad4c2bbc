package models

import (
	"context"
	"fmt"
	"time"
)

// TerminalHistory returns a terminal as it stands now, and where it has stood,
// stands and is planned to stand, newest first.
//
// Errors: ErrForbidden or ErrNotFound.
func (db *DB) TerminalHistory(ctx context.Context, actor Actor, now time.Time, id int64) (*TerminalPlace, []AssignmentLine, error) {
	if !actor.May(ManageTerminals) {
		return nil, nil, ErrForbidden
	}
	var place TerminalPlace
	if err := take(db.gorm.WithContext(ctx).Where("id = ?", id), &place.Terminal); err != nil {
		return nil, nil, err
	}
	var lines []AssignmentLine
	err := db.gorm.WithContext(ctx).Table("assignments a").Select("a.*, s.name AS store_name").
		Joins("JOIN stores s ON s.id = a.store_id").Where("a.terminal_id = ?", id).
		Order("a.valid_from DESC").Scan(&lines).Error
	if err != nil {
		return nil, nil, fmt.Errorf("list assignments of terminal %d: %w", id, err)
	}
	for i := range lines {
		switch a := &lines[i]; a.Tense(now) {
		case TensePresent:
			place.StoreID, place.StoreName, place.MerchantID, place.Since = a.StoreID, a.StoreName, a.MerchantID, &a.ValidFrom
		case TensePlanned:
			place.Plan = a
		}
	}
	return &place, lines, nil
}
