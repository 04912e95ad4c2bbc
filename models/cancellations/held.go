package cancellations

import (
	"context"

	"gorm.io/gorm/clause"

	"veinte/models"
	"veinte/models/database"
)

// Held is a sale, and the cancellation of it that one works on, held by the
// transaction: nobody else changes either until it ends. Every transaction holds
// the sale first, then the terminal, so that none waits in a circle.
//
// Whoever is not the life of a cancellation reads it and may Apply evidence to
// it. That is the one way to move a cancellation from outside.
type Held struct {
	database.Tx
	cases *Service
	sale  models.Sale
	store models.Store
	c     models.Cancellation
}

// Hold takes the sale's row for the rest of the transaction. It reads no
// cancellation of it: see Latest and Decisive.
//
// Errors: ErrNotFound.
func (s *Service) Hold(t database.Tx, saleID int64) (*Held, error) {
	l := &Held{Tx: t, cases: s}
	if err := database.TakeRow(t.Clauses(clause.Locking{Strength: "NO KEY UPDATE"}).Where("id = ?", saleID), &l.sale); err != nil {
		return nil, err
	}
	if err := database.TakeRow(t.Where("id = ?", l.sale.StoreID), &l.store); err != nil {
		return nil, err
	}
	return l, nil
}

// HoldCase takes the cancellation's sale, then reads the cancellation as it is
// under the lock.
//
// Errors: ErrNotFound.
func (s *Service) HoldCase(t database.Tx, id int64) (*Held, error) {
	var c models.Cancellation
	if err := database.TakeRow(t.Where("id = ?", id), &c); err != nil {
		return nil, err
	}
	l, err := s.Hold(t, c.SaleID)
	if err != nil {
		return nil, err
	}
	return l, database.TakeRow(t.Where("id = ?", id), &l.c)
}

// withLocked runs f with the cancellation held, in a transaction.
func (s *Service) withLocked(ctx context.Context, id int64, f func(*Held) error) error {
	return s.db.InTx(ctx, func(t database.Tx) error {
		l, err := s.HoldCase(t, id)
		if err != nil {
			return err
		}
		return f(l)
	})
}

// Sale returns the sale as it is now.
func (l *Held) Sale() models.Sale { return l.sale }

// Store returns the sale's store.
func (l *Held) Store() models.Store { return l.store }

// Cancellation returns the one worked on as it is now. Its ID is 0 when the sale
// has none, or none was read.
func (l *Held) Cancellation() models.Cancellation { return l.c }

// Latest turns to the sale's latest cancellation; ErrNotFound when there is none.
func (l *Held) Latest() error {
	l.c = models.Cancellation{}
	return database.TakeRow(l.Where("sale_id = ?", l.sale.ID).Order("id DESC"), &l.c)
}

// Decisive turns to the cancellation that speaks for the sale: the one by which
// it is canceled, else the latest; ErrNotFound when there is none.
func (l *Held) Decisive() error {
	l.c = models.Cancellation{}
	return database.TakeRow(l.Where("sale_id = ?", l.sale.ID).Order("state = "+models.ConfirmedSQL+" DESC, id DESC"), &l.c)
}
