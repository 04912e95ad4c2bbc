package rules

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"
)

// scheduleAge is the maximum age of the rules that a page shows or a timer uses.
const scheduleAge = time.Second

// Schedule returns the rules, at most scheduleAge old. When they cannot be read it
// returns the last known ones. That is safe because sending reads the rules itself.
func (s *Service) Schedule() *Schedule {
	return s.rules.Get(scheduleAge, func(known *Schedule) *Schedule {
		// The read is shared, so the end of one request must not cancel it.
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		fresh, err := s.readSchedule(s.db.Gorm().WithContext(ctx))
		if err != nil {
			s.log.WarnContext(ctx, "the rules stay as they were known", "error", err)
			return known
		}
		return fresh
	})
}

// readSchedule reads the current rules from the database.
func (s *Service) readSchedule(g *gorm.DB) (*Schedule, error) {
	versions, err := readVersions(g)
	if err != nil {
		return nil, err
	}
	var rows []struct {
		RulesID int64
		ReceiptChange
	}
	if err := g.Table("rule_receipts").Order("id").Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read receipts of the rules: %w", err)
	}
	receipts := map[int64][]ReceiptChange{}
	for _, r := range rows {
		receipts[r.RulesID] = append(receipts[r.RulesID], r.ReceiptChange)
	}
	return s.first.with(versions, receipts), nil
}

func readVersions(g *gorm.DB) ([]Version, error) {
	var versions []Version
	if err := g.Order("effective_at, id").Find(&versions).Error; err != nil {
		return nil, fmt.Errorf("read rules: %w", err)
	}
	return versions, nil
}
