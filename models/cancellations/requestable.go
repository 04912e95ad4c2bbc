package cancellations

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"veinte/models"
	"veinte/models/database"
	"veinte/models/rules"
)

// Requestable returns why the actor cannot have the sale canceled now; nil when they
// can. others are those that OthersOf lists. The page checks it before it shows the form,
// and Request checks again in its own transaction.
func (s *Service) Requestable(
	ctx context.Context, actor models.Actor, sale *models.Sale, terminal *models.Terminal, others []models.Sale,
) error {
	if err := requestableAt(actor, sale, terminal, s.config.Rules.Window(), s.config.Clock.Now()); err != nil {
		return err
	}
	if s.config.Paused(ctx) {
		return ErrPaused
	}
	return underWayAmong(others)
}

// WhyNot returns for each sale why the actor cannot have it canceled now: what Request
// would refuse; nil where they can. terminals are by id.
func (s *Service) WhyNot(
	ctx context.Context, actor models.Actor, sales []*models.Sale, terminals map[int64]models.Terminal,
) ([]error, error) {
	window, now, paused := s.config.Rules.Window(), s.config.Clock.Now(), s.config.Paused(ctx)
	why, position := make([]error, len(sales)), map[int64]int{}
	var open []int64
	for i, sale := range sales {
		terminal := terminals[sale.TerminalID]
		if why[i] = requestableAt(actor, sale, &terminal, window, now); why[i] == nil && paused {
			why[i] = ErrPaused
		}
		if why[i] == nil {
			position[sale.ID], open = i, append(open, sale.ID)
		}
	}
	if len(open) == 0 {
		return why, nil
	}
	// Few sales share their order number with another.
	shared, err := database.Rows[struct{ ID int64 }](ctx, s.config.DB, `SELECT s.id FROM sales s
		WHERE s.id = ANY($1) AND EXISTS (SELECT FROM sales o WHERE o.order_id = s.order_id AND o.id <> s.id)`, open)
	if err != nil {
		return nil, fmt.Errorf("look for other sales of %d orders: %w", len(open), err)
	}
	for _, row := range shared {
		i := position[row.ID]
		var refused *models.Error
		if why[i] = otherUnderWay(s.config.DB.Gorm().WithContext(ctx), sales[i]); why[i] != nil && !errors.As(why[i], &refused) {
			return nil, why[i]
		}
	}
	for _, i := range position {
		if why[i] == nil && sales[i].AsksTicketDate(actor) {
			why[i] = models.ErrDayNotProven
		}
	}
	return why, nil
}

func requestableAt(actor models.Actor, sale *models.Sale, terminal *models.Terminal, w models.Window, now time.Time) error {
	switch {
	case sale.State.Open():
		return models.ErrCancellationOpen
	case sale.State == models.SaleConfirmed:
		return &models.Error{Kind: models.KindConflict, Code: "error.saleState"}
	case sale.OfAnotherDay() && !actor.May(models.OverrideNegatives):
		return models.ErrOtherDay
	case !w.Open(asPosted(sale), now):
		return models.ErrTooLate
	case !sale.State.Requestable():
		return &models.Error{Kind: models.KindConflict, Code: "error.saleState"}
	case sale.State == models.SaleNotCanceled && !actor.May(models.OverrideNegatives):
		return &models.Error{Kind: models.KindForbidden, Code: "error.needsSupervisor"}
	case terminal.RetiredAt != nil:
		return &models.Error{Kind: models.KindConflict, Code: "terminal.retired"}
	}
	return nil
}

// requestable decides, under the sale's lock, whether a cancellation may begin.
func (l *Held) requestable(actor models.Actor, r CancelRequest, terms rules.Terms) error {
	var terminal models.Terminal
	if err := database.TakeRow(l.tx.Where("id = ?", l.sale.TerminalID), &terminal); err != nil {
		return err
	}
	if err := requestableAt(actor, &l.sale, &terminal, terms.Window, l.now); err != nil {
		return err
	}
	if terms.Pause != nil {
		return ErrPaused
	}
	if err := l.asSeen(r); err != nil {
		return err
	}
	if r.Traceability != "" && l.store.BareTraceability {
		return models.Invalid("traceability", "traceability.bare")
	}
	if err := l.onlyOfItsOrder(); err != nil {
		return err
	}
	if err := inUse(l.tx.DB, r.Reason); err != nil {
		return err
	}
	return l.confirmDay(actor, r)
}

// inUse refuses a reason that may not be chosen.
func inUse(g *gorm.DB, reason string) error {
	var reasons int64
	if err := g.Model(&models.Reason{}).Where("code = ? AND retired_at IS NULL", reason).Count(&reasons).Error; err != nil {
		return fmt.Errorf("look for reason %s: %w", reason, err)
	}
	if reasons == 0 {
		return models.Invalid("reason", "reason.unknown")
	}
	return nil
}
