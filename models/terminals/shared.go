package terminals

import (
	"context"
	"errors"
	"fmt"

	"veinte/models"
	"veinte/models/database"
)

// SharesMerchant returns another terminal in use with the same merchant id, or nil.
// The service assigns one merchant id to each terminal, so a cancellation may go to
// the wrong one of the two.
//
// Errors: ErrForbidden.
func (s *Service) SharesMerchant(ctx context.Context, actor models.Actor, id int64) (*models.Terminal, error) {
	now := s.clock.Now()
	if !actor.May(models.ManageTerminals) {
		return nil, models.ErrForbidden
	}
	other, err := database.Row[models.Terminal](ctx, s.db.Pool(), `SELECT `+terminalColumns+`
		FROM assignments mine
		JOIN assignments a ON a.merchant_id = mine.merchant_id AND a.terminal_id <> mine.terminal_id
			AND a.valid_from <= $2 AND (a.valid_to IS NULL OR a.valid_to > $2)
		JOIN terminals t ON t.id = a.terminal_id AND t.retired_at IS NULL
		WHERE mine.terminal_id = $1 AND mine.valid_from <= $2 AND (mine.valid_to IS NULL OR mine.valid_to > $2)
		ORDER BY t.id LIMIT 1`, id, now)
	if errors.Is(err, models.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for the merchant id of terminal %d: %w", id, err)
	}
	return &other, nil
}
