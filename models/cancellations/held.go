package cancellations

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// Held is a sale and one of its cancellations, locked by the transaction: nobody
// else changes either until it ends.
//
// Locks are taken in one order: the sale, then its terminal, then what hangs on them
// (results, attempts, inquiries, items of a report). Whoever records sales shares their
// terminals first and locks their orders, which keeps out who moves a terminal or
// records the same order, and nobody else. There is no deadlock, and the
// moves of a cancellation are told in the order in which they were made: the trail,
// its stream and its seal go by the number of the transaction, which PostgreSQL gives
// out with its first lock or write. A transaction that had one before it waited for the
// sale would be told before the move that it waited for; the schema refuses it. So a
// transaction moves the cancellations of one sale only, and writes nothing before Hold.
//
// Other packages read it and may Apply evidence to it. Besides the methods of Service,
// that is the only way to move a cancellation from outside this package.
type Held struct {
	tx    database.Tx
	s     *Service
	now   time.Time // the instant by which everything is decided: since when it is locked
	sale  models.Sale
	store models.Store
	c     models.Cancellation
}

// Hold locks the sale's row for the rest of the transaction. It reads no
// cancellation: see Latest and Decisive.
//
// Errors: ErrNotFound.
func (s *Service) Hold(t database.Tx, saleID int64) (*Held, error) {
	l := &Held{tx: t, s: s}
	if err := database.TakeRow(t.Clauses(clause.Locking{Strength: "NO KEY UPDATE"}).Where("id = ?", saleID), &l.sale); err != nil {
		return nil, err
	}
	if err := database.TakeRow(t.Where("id = ?", l.sale.StoreID), &l.store); err != nil {
		return nil, err
	}
	l.now = s.config.Clock.Now()
	return l, nil
}

// HoldCancellation locks the cancellation's sale, then reads the cancellation under the
// lock.
//
// Errors: ErrNotFound.
func (s *Service) HoldCancellation(t database.Tx, id int64) (*Held, error) {
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

// find reads one cancellation; nil when there is none.
func find(q *gorm.DB) (*models.Cancellation, error) {
	var c models.Cancellation
	err := database.TakeRow(q, &c)
	if err == models.ErrNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for a cancellation: %w", err)
	}
	return &c, nil
}

// withLocked runs f in a transaction with the cancellation locked.
func (s *Service) withLocked(ctx context.Context, id int64, f func(*Held) error) error {
	return s.config.DB.InTx(ctx, func(t database.Tx) error {
		l, err := s.HoldCancellation(t, id)
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

// At is the time that is written of what is done now: since when the sale is locked,
// but not before the cancellation's last move, which a server may have made whose clock
// is ahead. Decisions go by our own clock.
func (l *Held) At() time.Time {
	if l.c.ChangedAt.After(l.now) {
		return l.c.ChangedAt
	}
	return l.now
}

// Cancellation returns the selected one as it is now. Its ID is 0 when the sale has
// none, or none was read.
func (l *Held) Cancellation() models.Cancellation { return l.c }

// Current returns who acts as they are now, and keeps them so until the end of the
// transaction: somebody who was disabled or narrowed a moment ago does nothing.
func (l *Held) Current(actor models.Actor) (models.Actor, error) {
	return l.s.config.Actor(l.tx, actor)
}

// allows reads the actor again, and refuses one who does not see the sale, or may not do
// it.
func (l *Held) allows(actor *models.Actor, what models.Permission) (err error) {
	*actor, err = l.Current(*actor)
	switch {
	case err != nil:
		return err
	case !actor.Sees(l.sale.StoreID):
		return models.ErrNotFound
	case !actor.May(what):
		return models.ErrForbidden
	}
	return nil
}

// record adds an entry about the cancellation to the trail.
func (l *Held) record(actor models.Actor, action models.Action, outcome models.Outcome, about audit.About) error {
	about.Store, about.Sale, about.CancellationID = &l.store, &l.sale, l.c.ID
	return audit.Record(l.tx, actor, l.At(), action, outcome, about)
}

// enqueue enqueues a task of the cancellation.
func (l *Held) enqueue(ctx context.Context, task models.Task) error {
	if task.SubjectID == 0 {
		task.SubjectID = l.c.ID
	}
	return database.Enqueue(ctx, l.s.config.Queue, l.tx, task)
}

// Latest selects the sale's latest cancellation; ErrNotFound when there is none.
func (l *Held) Latest() error {
	l.c = models.Cancellation{}
	return database.TakeRow(l.tx.Where("sale_id = ?", l.sale.ID).Order("id DESC"), &l.c)
}

// OnlyAttempt selects the cancellation of the one attempt that was ever sent for the
// sale and returns the attempt's number. It is 0, and nothing is selected, when none
// or several were sent, or when it was begun after the instant.
func (l *Held) OnlyAttempt(before time.Time) (int, error) {
	var sent []models.Attempt
	ofSale := l.tx.Where("cancellation_id IN (SELECT id FROM cancellations WHERE sale_id = ?)", l.sale.ID)
	err := ofSale.Where("meaning <> ?", models.MeaningNotSent).Limit(2).Find(&sent).Error
	if err != nil {
		return 0, fmt.Errorf("look for the attempts of sale %d: %w", l.sale.ID, err)
	}
	if len(sent) != 1 || !before.After(sent[0].StartedAt) {
		return 0, nil
	}
	l.c = models.Cancellation{}
	return sent[0].Number, database.TakeRow(l.tx.Where("id = ?", sent[0].CancellationID), &l.c)
}

// Decisive selects the cancellation that determines the sale's state: the one that
// canceled it, else the latest; ErrNotFound when there is none.
func (l *Held) Decisive() error {
	l.c = models.Cancellation{}
	return database.TakeRow(l.tx.Where("sale_id = ?", l.sale.ID).Order("state = "+models.ConfirmedSQL+" DESC, id DESC"), &l.c)
}
