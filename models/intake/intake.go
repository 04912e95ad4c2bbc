package intake

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// Status is the outcome of one reported sale.
type Status string

// The outcomes of a reported sale.
const (
	Created  Status = "created"  // it is new
	Known    Status = "known"    // reported before, with the same content: nothing changes
	Conflict Status = "conflict" // reported before, with other content: the recorded sale stays
	Refused  Status = "refused"  // it cannot be a sale of this merchant
	Skipped  Status = "skipped"  // valid, but not written because another was not
)

// Outcome is the outcome of one reported sale, with its problems.
type Outcome struct {
	Status Status
	SaleID int64 // 0 when there is no such sale
	// Problems are why it was refused, or the fields in which it contradicts the
	// recorded sale. Field is the name of Input's field in the HTTP API. A sale of a
	// file is not refused for an optional fact: that is left out, and listed here.
	Problems []*models.Error
	// Completed are the names of the facts that the recorded sale lacked and has from
	// this.
	Completed []string
	// Warnings are codes of what a person should check: the order number names
	// another terminal, or another time.
	Warnings []string
}

// Options states the source of the sales, and how they are recorded.
type Options struct {
	Source  models.SaleSource
	BatchID int64 // of an import; 0: none
	// DryRun validates everything and writes nothing.
	DryRun bool
	// AllOrNothing writes nothing when one sale is refused or contradicts.
	AllOrNothing bool
}

// permission returns the permission that the source requires.
func (in Options) permission() models.Permission {
	switch in.Source {
	case models.SourceImport:
		return models.ImportSales
	case models.SourceManual:
		return models.AddManualSales
	default:
		return models.RecordSales
	}
}

// MaxSales is the limit of sales in one call.
const MaxSales = 5000

// RecordSales records sales that no terminal posted, and returns the outcome of
// each, in order. A refused sale does not stop the others. Everything is one
// transaction with one entry in the trail; the entry of a call with one sale names
// it. A sale that is reported again is known, so a caller that got no response
// reports it again.
//
// Small calls that arrive at the same moment share a transaction.
//
// Errors: ErrForbidden; too many sales. What is wrong with a sale is not an error,
// but in its outcome.
func (s *Service) RecordSales(ctx context.Context, actor models.Actor, in Options, inputs []models.SaleInput) ([]Outcome, error) {
	if !actor.May(in.permission()) {
		return nil, models.ErrForbidden
	}
	if len(inputs) > MaxSales {
		return nil, models.Invalid("", "sales.tooMany")
	}
	now := s.clock.Now().Truncate(time.Microsecond) // the precision with which it is read again
	c := &Call{Options: in, Actor: actor, Now: now, Outcomes: make([]Outcome, len(inputs))}
	c.Judge(inputs, s.window().Calendar)
	var err error
	switch {
	case in.DryRun:
		err = s.db.InTx(ctx, func(t database.Tx) error { return foresee(ctx, t, c) })
	case in.AllOrNothing || len(inputs) > groupedSales:
		err = s.storeSales(ctx, c)
	default:
		err = s.intakes.do(ctx, c, s.storeSales)
	}
	if errors.Is(err, errBlocked) {
		return c.Outcomes, nil // the outcomes show it
	}
	if err != nil {
		return nil, fmt.Errorf("record %d sales: %w", len(inputs), err)
	}
	if len(c.fresh) > 0 {
		// Results of their cancellations may have arrived before them.
		if err := s.onRecorded(ctx, c.fresh); err != nil {
			s.log.ErrorContext(ctx, "what follows from new sales is left to the sweep", "sales", len(c.fresh), "error", err)
		}
	}
	return c.Outcomes, nil
}

// errBlocked ends the transaction of an AllOrNothing call that cannot be written.
var errBlocked = errors.New("held back")

// Call is one call in progress.
type Call struct {
	Options
	Actor    models.Actor
	Now      time.Time
	sales    []*Candidate // the valid ones
	Outcomes []Outcome
	fresh    []SaleKey // the new sales of the call
}

// Candidate is a valid sale, with its position in the call.
type Candidate struct {
	models.Sale
	call           *Call
	index          int
	statedMerchant string // "" when none was
	warnings       []string
	leftOut        []*models.Error // what was wrong with optional facts of a file's row
}

func (ts *Candidate) Outcome() *Outcome { return &ts.call.Outcomes[ts.index] }

func (ts *Candidate) refuse(field, code string) {
	o := ts.Outcome()
	o.Status, o.Problems = Refused, []*models.Error{models.Invalid(field, code)}
}

// SaleKey is how a sale is found before its merchant id is known.
type SaleKey struct {
	SerialNumber models.SerialNumber
	OrderID      string
}

// OnRecorded is called after new sales were committed: a result may have waited for
// them. The sales stay recorded if it returns an error.
type OnRecorded func(ctx context.Context, sales []SaleKey) error

func (ts *Candidate) Key() SaleKey { return SaleKey{ts.SerialNumber, ts.OrderID} }

// blocked reports whether an AllOrNothing call must not be written.
func (c *Call) blocked() bool {
	return c.AllOrNothing && slices.ContainsFunc(c.Outcomes, func(o Outcome) bool { return o.Status == Refused || o.Status == Conflict })
}

// block marks the valid sales as not written.
func (c *Call) block() {
	for i := range c.Outcomes {
		if o := &c.Outcomes[i]; o.Status == Created || o.Status == "" {
			o.Status, o.SaleID = Skipped, 0
		}
	}
	c.fresh = nil
}
