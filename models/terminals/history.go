package terminals

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
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

// Namesakes are the serial numbers of the other terminals in use that stand in the same
// store under the same name: whoever is told to look at one of them looks at the wrong one.
//
// Errors: ErrForbidden.
func (s *Service) Namesakes(ctx context.Context, actor models.Actor, id int64) ([]string, error) {
	if !actor.May(models.ManageTerminals) {
		return nil, models.ErrForbidden
	}
	rows, err := s.db.Query(ctx, `
		SELECT other.serial_number
		FROM terminals t
		JOIN assignments a ON a.terminal_id = t.id AND a.valid_from <= $2 AND (a.valid_to IS NULL OR a.valid_to > $2)
		JOIN assignments b ON b.store_id = a.store_id AND b.valid_from <= $2 AND (b.valid_to IS NULL OR b.valid_to > $2)
		JOIN terminals other ON other.id = b.terminal_id
		WHERE t.id = $1 AND other.id <> t.id AND t.label <> '' AND lower(other.label) = lower(t.label)
			AND t.retired_at IS NULL AND other.retired_at IS NULL
		ORDER BY other.serial_number LIMIT 5`, id, s.clock.Now())
	if err != nil {
		return nil, fmt.Errorf("list namesakes of terminal %d: %w", id, err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
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
