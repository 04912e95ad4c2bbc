package models

import (
	"context"
	"fmt"
)

// Story returns everything known about a sale that the actor may see.
//
// Errors: ErrNotFound, also for a sale of a store outside the actor's scope.
func (s *Cancellations) Story(ctx context.Context, actor Actor, saleID int64) (*SaleStory, error) {
	g := s.db.gorm.WithContext(ctx)
	var st SaleStory
	if err := take(g.Where("id = ?", saleID), &st.Sale); err != nil {
		return nil, err
	}
	if !actor.Sees(st.Sale.StoreID) {
		return nil, ErrNotFound
	}
	if err := take(g.Where("id = ?", st.Sale.StoreID), &st.Store); err != nil {
		return nil, err
	}
	if err := take(g.Where("id = ?", st.Sale.TerminalID), &st.Terminal); err != nil {
		return nil, err
	}
	var cases []Cancellation
	if err := g.Where("sale_id = ?", saleID).Order("id").Find(&cases).Error; err != nil {
		return nil, fmt.Errorf("list cases of sale %d: %w", saleID, err)
	}
	for _, c := range cases {
		told, err := s.caseStory(ctx, c)
		if err != nil {
			return nil, fmt.Errorf("tell case %d: %w", c.ID, err)
		}
		st.Cases = append(st.Cases, told)
	}
	if err := g.Where("sale_id = ?", saleID).Order("id").Limit(200).Find(&st.Results).Error; err != nil {
		return nil, fmt.Errorf("list results of sale %d: %w", saleID, err)
	}
	if err := g.Where("sale_id = ?", saleID).Order("id").Limit(500).Find(&st.Entries).Error; err != nil {
		return nil, fmt.Errorf("list trail of sale %d: %w", saleID, err)
	}
	return &st, nil
}

// caseStory adds a case's attempts and its place in the terminal's queue.
func (s *Cancellations) caseStory(ctx context.Context, c Cancellation) (CaseStory, error) {
	told := CaseStory{Cancellation: c}
	g := s.db.gorm.WithContext(ctx)
	if err := g.Where("cancellation_id = ?", c.ID).Order("number").Find(&told.AttemptList).Error; err != nil {
		return told, err
	}
	if c.State == Unknown {
		tries, err := s.triesOf(ctx, []int64{c.ID})
		told.Tries, told.NextInquiry = tries[c.ID], s.nextInquiry(&c, tries[c.ID])
		return told, err
	}
	if c.State != Requested {
		return told, nil
	}
	var before int64
	err := g.Model(&Cancellation{}).Where("terminal_id = ? AND id <> ? AND (state IN ? OR (state = ? AND id < ?))",
		c.TerminalID, c.ID, []State{Sending, Accepted}, Requested, c.ID).Count(&before).Error
	told.Place = int(before)
	return told, err
}

// CaseSale returns the sale of a case that the actor may see.
func (s *Cancellations) CaseSale(ctx context.Context, actor Actor, caseID int64) (saleID int64, err error) {
	var c Cancellation
	if err := take(s.db.gorm.WithContext(ctx).Where("id = ?", caseID), &c); err != nil {
		return 0, err
	}
	if !actor.Sees(c.StoreID) {
		return 0, ErrNotFound
	}
	return c.SaleID, nil
}

// Reasons returns the list to choose from.
func (db *DB) Reasons(ctx context.Context) ([]Reason, error) {
	var reasons []Reason
	err := db.gorm.WithContext(ctx).Where("retired_at IS NULL").Order("position").Find(&reasons).Error
	return reasons, err
}
