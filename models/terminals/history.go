package terminals

import (
	"context"
	"fmt"
	"slices"

	"gorm.io/gorm"

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
	var lines []models.AssignmentLine
	err := database.Together(ctx, func(ctx context.Context) error {
		return database.TakeRow(s.db.Gorm().WithContext(ctx).Where("id = ?", id), &place.Terminal)
	}, func(ctx context.Context) (err error) {
		lines, err = assignmentsOf(s.db.Gorm().WithContext(ctx), id)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	slices.Reverse(lines)
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

// assignmentsOf lists the assignments of a terminal, oldest first.
func assignmentsOf(g *gorm.DB, terminalID int64) (lines []models.AssignmentLine, err error) {
	err = g.Table("assignments a").Select("a.*, s.name AS store_name").Joins("JOIN stores s ON s.id = a.store_id").
		Where("a.terminal_id = ?", terminalID).Order("a.valid_from").Find(&lines).Error
	if err != nil {
		return nil, fmt.Errorf("list assignments of terminal %d: %w", terminalID, err)
	}
	return lines, nil
}
