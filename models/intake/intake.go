package intake

import (
	"context"
	"errors"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// Status is what became of one sale that was told.
type Status string

// What may become of a sale that was told.
const (
	Created  Status = "created"  // it is new
	Known    Status = "known"    // told before, with the same content: nothing changes
	Conflict Status = "conflict" // told before, with other content: what is known stays
	Refused  Status = "refused"  // it cannot be a sale of this merchant
	Skipped  Status = "skipped"  // good, but not written because another was not
)

// Outcome is what became of one sale that was told.
type Outcome struct {
	Status Status
	SaleID int64 // 0 when there is no such sale
	// Problems say why it was refused, or in which fields it contradicts what is
	// known. Field is the name of Input's field in the HTTP API.
	Problems []*models.Error
	// Warnings are codes of what a person should look at: the order number names
	// another terminal, or another time.
	Warnings []string
}

// Options says through which door sales come, and how.
type Options struct {
	Source  models.SaleSource
	BatchID int64 // of an import; 0: none
	// DryRun judges everything and writes nothing.
	DryRun bool
	// AllOrNothing writes nothing when one sale is refused or contradicts.
	AllOrNothing bool
}

// permission is what the door asks for.
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

// MaxSales is how many sales one call may tell of.
const MaxSales = 5000

// RecordSales keeps sales that no terminal posted, and returns what became of
// each, in order. One that is refused holds up no other. Everything is one
// transaction with one entry in the trail; the entry of a call with one sale
// names it. Told again, a sale is known; so a caller that got no answer tells it
// again.
//
// Small calls that come at the same moment share a transaction.
//
// Errors: ErrForbidden; too many sales. What is wrong with a sale is no error.
func (s *Service) RecordSales(ctx context.Context, actor models.Actor, in Options, inputs []models.SaleInput) ([]Outcome, error) {
	if !actor.May(in.permission()) {
		return nil, models.ErrForbidden
	}
	if len(inputs) > MaxSales {
		return nil, models.Invalid("", "sales.tooMany")
	}
	now := s.clock.Now().Truncate(time.Microsecond) // as it is read again
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
		return c.Outcomes, nil // their outcomes say so
	}
	if err != nil {
		return nil, fmt.Errorf("record %d sales: %w", len(inputs), err)
	}
	if len(c.fresh) > 0 {
		// Their cancellations may have been posted before them.
		if err := s.onRecorded(ctx, c.fresh); err != nil {
			s.log.ErrorContext(ctx, "what follows from new sales is left to the sweep", "sales", len(c.fresh), "error", err)
		}
	}
	return c.Outcomes, nil
}

// errBlocked ends the transaction of a call that wanted all or nothing.
var errBlocked = errors.New("held back")

// Call is one call under way.
type Call struct {
	Options
	Actor    models.Actor
	Now      time.Time
	sales    []*Candidate // those that passed the judgement
	Outcomes []Outcome
	fresh    []SaleKey // what the call made known
}

// Candidate is a sale that passed the judgement, with its place in the call.
type Candidate struct {
	models.Sale
	call           *Call
	index          int
	statedMerchant string // "" when none was
	warnings       []string
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

// OnRecorded is called after sales were committed that were not known: a result
// may have waited for them. They are recorded whatever it returns.
type OnRecorded func(ctx context.Context, sales []SaleKey) error

func (ts *Candidate) Key() SaleKey { return SaleKey{ts.SerialNumber, ts.OrderID} }

// blocked reports whether the call wants nothing written.
func (c *Call) blocked() bool {
	if !c.AllOrNothing {
		return false
	}
	for i := range c.Outcomes {
		if st := c.Outcomes[i].Status; st == Refused || st == Conflict {
			return true
		}
	}
	return false
}

// block says of the good ones that they were not written.
func (c *Call) block() {
	for i := range c.Outcomes {
		if o := &c.Outcomes[i]; o.Status == Created || o.Status == "" {
			o.Status, o.SaleID = Skipped, 0
		}
	}
	c.fresh = nil
}
