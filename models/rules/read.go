package rules

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"
)

// scheduleAge is how old the rules may be that a page shows or a timer goes by.
const scheduleAge = time.Second

// Schedule returns the rules, at most scheduleAge old. What cannot be read stays
// as it was known; nothing is sent meanwhile, because that reads them itself.
func (s *Service) Schedule() *Schedule {
	return s.rules.Get(scheduleAge, func(known *Schedule) *Schedule {
		// For everyone, so that no one reader's leaving ends it.
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

// readSchedule reads the rules as they are.
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
