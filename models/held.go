package models

import (
	"context"

	"gorm.io/gorm/clause"
)

// Held is a sale, and the cancellation of it that one works on, held by the
// transaction: nobody else changes either until it ends. Every transaction holds
// the sale first, then the terminal, so that none waits in a circle.
//
// Whoever is not the life of a cancellation reads it and may Apply evidence to
// it. That is the one way to move a cancellation from outside.
type Held struct {
	tx
	cases *Cancellations
	sale  Sale
	store Store
	c     Cancellation
}

// Hold takes the sale's row for the rest of the transaction. It reads no
// cancellation of it: see Latest and Decisive.
//
// Errors: ErrNotFound.
func (s *Cancellations) Hold(t tx, saleID int64) (*Held, error) {
	l := &Held{tx: t, cases: s}
	if err := take(t.Clauses(clause.Locking{Strength: "NO KEY UPDATE"}).Where("id = ?", saleID), &l.sale); err != nil {
		return nil, err
	}
	if err := take(t.Where("id = ?", l.sale.StoreID), &l.store); err != nil {
		return nil, err
	}
	return l, nil
}

// HoldCase takes the cancellation's sale, then reads the cancellation as it is
// under the lock.
//
// Errors: ErrNotFound.
func (s *Cancellations) HoldCase(t tx, id int64) (*Held, error) {
	var c Cancellation
	if err := take(t.Where("id = ?", id), &c); err != nil {
		return nil, err
	}
	l, err := s.Hold(t, c.SaleID)
	if err != nil {
		return nil, err
	}
	return l, take(t.Where("id = ?", id), &l.c)
}

// inCase runs f with the cancellation held, in a transaction.
func (s *Cancellations) inCase(ctx context.Context, id int64, f func(*Held) error) error {
	return s.db.transaction(ctx, func(t tx) error {
		l, err := s.HoldCase(t, id)
		if err != nil {
			return err
		}
		return f(l)
	})
}

// Sale returns the sale as it is now.
func (l *Held) Sale() Sale { return l.sale }

// Store returns the sale's store.
func (l *Held) Store() Store { return l.store }

// Cancellation returns the one worked on as it is now. Its ID is 0 when the sale
// has none, or none was read.
func (l *Held) Cancellation() Cancellation { return l.c }

// Latest turns to the sale's latest cancellation; ErrNotFound when there is none.
func (l *Held) Latest() error {
	l.c = Cancellation{}
	return take(l.Where("sale_id = ?", l.sale.ID).Order("id DESC"), &l.c)
}

// Decisive turns to the cancellation that speaks for the sale: the one by which
// it is canceled, else the latest; ErrNotFound when there is none.
func (l *Held) Decisive() error {
	l.c = Cancellation{}
	return take(l.Where("sale_id = ?", l.sale.ID).Order("state = "+ConfirmedSQL+" DESC, id DESC"), &l.c)
}
