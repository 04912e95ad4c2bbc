package cancellations

import (
	"context"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/evidence"
)

// rule returns the table's ruling of evidence on the held cancellation.
func (l *Held) rule(e evidence.Evidence) evidence.Ruling {
	var quiet time.Duration
	if e.Source == evidence.OfInquiry { // the rulings of other sources do not depend on the time
		quiet = l.s.config.Rules.Waits().Quiet
	}
	return evidence.Rule(e.Claim(l.sale, l.c, quiet), l.c.State)
}

// Apply applies evidence to the held cancellation and returns the ruling: a move, a
// conflict, both, an inquiry or nothing, with the entries in the trail. Where the
// table wants an inquiry and none can be sent, its conflict is raised instead, and
// the ruling says that. Positive evidence for a
// sale without a cancellation opens one that is confirmed at once; it is the held
// one from then on.
func (l *Held) Apply(ctx context.Context, e evidence.Evidence) (evidence.Ruling, error) {
	r := l.rule(e)
	if r.Ask != "" {
		asks, err := l.ask(ctx)
		if err != nil {
			return r, err
		}
		if !asks {
			r = evidence.Ruling{Conflict: r.Ask}
		}
	}
	if r.Quiet {
		if err := l.quietAnew(ctx); err != nil {
			return r, err
		}
	}
	switch {
	case r.To == "" && r.Conflict == "":
		return r, nil
	case r.To == "" && l.c.ID == 0:
		return r, nil // the result stores it, and nothing else could
	case r.To == "":
		words := ""
		if e.Source == evidence.OfReport {
			words = e.Words // a terminal's post is in the inbox as a result
		}
		return r, l.raise(e.By, r.Conflict, e.Attempt, words)
	case l.c.ID == 0:
		return r, l.openConfirmed(e)
	}
	m := move{to: r.To, detail: e.Detail, reason: e.Words, attempt: e.Attempt, conflict: r.Conflict}
	if e.Source == evidence.OfPerson || e.Source == evidence.OfReport {
		m.attempt = l.c.Attempts // they are about the sale, so about all attempts
	}
	return r, l.move(ctx, e.By, m)
}

// openConfirmed records that the sale was canceled on the device itself, as its
// terminal or the provider's report states. The cancellation begins and ends
// confirmed, and a supervisor reviews it.
func (l *Held) openConfirmed(e evidence.Evidence) error {
	detail := models.DetailCanceledOnTerminal
	if e.Source == evidence.OfReport {
		detail = e.Detail
	}
	l.c = models.Cancellation{
		SaleID: l.sale.ID, StoreID: l.sale.StoreID, TerminalID: l.sale.TerminalID,
		State: models.Confirmed, Version: 1, Detail: detail, Reason: models.ReasonOther,
		Origin: models.FromTerminal, Requester: string(l.sale.SerialNumber),
		RequestedAt: l.now, CutoffAt: l.sale.CutoffAt, ChangedAt: l.now,
	}
	if err := l.tx.Create(&l.c).Error; err != nil {
		return fmt.Errorf("open cancellation from terminal: %w", err)
	}
	return l.moved(e.By, move{to: models.Confirmed, detail: detail, reason: e.Words, conflict: models.ConflictWithoutCancellation}, nil)
}
