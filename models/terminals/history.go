package terminals

import (
	"context"
	"fmt"

	"veinte/models"
	"veinte/models/database"
)

// History returns a terminal with its current assignment, and all its past, current
// and planned assignments, newest first.
//
// Errors: ErrForbidden or ErrNotFound.
func (s *Service) History(ctx context.Context, actor models.Actor, id int64) (*models.TerminalPlace, []models.AssignmentLine, error) {
	now := s.clock.Now()
	if !actor.May(models.ManageTerminals) {
		return nil, nil, models.ErrForbidden
	}
	var place models.TerminalPlace
	if err := database.TakeRow(s.db.Gorm().WithContext(ctx).Where("id = ?", id), &place.Terminal); err != nil {
		return nil, nil, err
	}
	var lines []models.AssignmentLine
	err := s.db.Gorm().WithContext(ctx).Table("assignments a").Select("a.*, s.name AS store_name").
		Joins("JOIN stores s ON s.id = a.store_id").Where("a.terminal_id = ?", id).
		Order("a.valid_from DESC").Scan(&lines).Error
	if err != nil {
		return nil, nil, fmt.Errorf("list assignments of terminal %d: %w", id, err)
	}
	for i := range lines {
		switch a := &lines[i]; a.Tense(now) {
		case models.TensePresent:
			place.StoreID, place.StoreName, place.MerchantID, place.Since = a.StoreID, a.StoreName, a.MerchantID, &a.ValidFrom
		case models.TensePlanned:
			place.Plan = a
		}
	}
	return &place, lines, nil
}
