package rules

import (
	"context"

	"veinte/models"
)

// Reasons returns the list to choose from.
func (s *Service) Reasons(ctx context.Context) ([]models.Reason, error) {
	var reasons []models.Reason
	err := s.db.Gorm().WithContext(ctx).Where("retired_at IS NULL").Order("position").Find(&reasons).Error
	return reasons, err
}
