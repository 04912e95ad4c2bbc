package models

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// SaleStatus is what became of one sale that was told.
type SaleStatus string

// What may become of a sale that was told.
const (
	SaleCreated  SaleStatus = "created"  // it is new
	SaleKnown    SaleStatus = "known"    // told before, with the same content: nothing changes
	SaleConflict SaleStatus = "conflict" // told before, with other content: what is known stays
	SaleRefused  SaleStatus = "refused"  // it cannot be a sale of this merchant
	SaleSkipped  SaleStatus = "skipped"  // good, but not written because another was not
)

// SaleOutcome is what became of one sale that was told.
type SaleOutcome struct {
	Status SaleStatus
	SaleID int64 // 0 when there is no such sale
	// Problems say why it was refused, or in which fields it contradicts what is
	// known. Field is the name of SaleInput's field in the HTTP API.
	Problems []*Error
	// Warnings are codes of what a person should look at: the order number names
	// another terminal, or another time.
	Warnings []string
}

// Intake says through which door sales come, and how.
type Intake struct {
	Source  SaleSource
	BatchID int64 // of an import; 0: none
	// DryRun judges everything and writes nothing.
	DryRun bool
	// AllOrNothing writes nothing when one sale is refused or contradicts.
	AllOrNothing bool
}

// permission is what the door asks for.
func (in Intake) permission() Permission {
	switch in.Source {
	case SourceImport:
		return ImportSales
	case SourceHand:
		return EnterSales
	default:
		return RecordSales
	}
}

// MostSales is how many sales one call may tell of.
const MostSales = 5000

// RecordSales keeps sales that no terminal posted, and returns what became of
// each, in order. One that is refused holds up no other. Everything is one
// transaction with one entry in the trail; the entry of a call with one sale
// names it. Told again, a sale is known; so a caller that got no answer tells it
// again.
//
// Small calls that come at the same moment share a transaction.
//
// Errors: ErrForbidden; too many sales. What is wrong with a sale is no error.
func (s *Cancellations) RecordSales(ctx context.Context, actor Actor, in Intake, inputs []SaleInput) ([]SaleOutcome, error) {
	if !actor.May(in.permission()) {
		return nil, ErrForbidden
	}
	if len(inputs) > MostSales {
		return nil, Invalid("", "sales.tooMany")
	}
	now := s.clock.Now().Truncate(time.Microsecond) // as it is read again
	c := &intakeCall{Intake: in, actor: actor, now: now, outcomes: make([]SaleOutcome, len(inputs))}
	c.judge(inputs, s.Window().Calendar)
	var err error
	switch {
	case in.DryRun:
		err = s.db.transaction(ctx, func(t tx) error { return t.foresee(ctx, c) })
	case in.AllOrNothing || len(inputs) > groupedSales:
		err = s.keepSales(ctx, c)
	default:
		err = s.intakes.do(ctx, c, s.keepSales)
	}
	if errors.Is(err, errHeldBack) {
		return c.outcomes, nil // their outcomes say so
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
	return c.outcomes, nil
}

// errHeldBack ends the transaction of a call that wanted all or nothing.
var errHeldBack = errors.New("held back")

// intakeCall is one call under way.
type intakeCall struct {
	Intake
	actor    Actor
	now      time.Time
	sales    []*toldSale // those that passed the judgement
	outcomes []SaleOutcome
	fresh    []SaleKey // what the call made known
}

// toldSale is a sale that passed the judgement, with its place in the call.
type toldSale struct {
	Sale
	call         *intakeCall
	index        int
	merchantTold string // "" when none was
	warnings     []string
}

func (ts *toldSale) outcome() *SaleOutcome { return &ts.call.outcomes[ts.index] }

func (ts *toldSale) refuse(field, code string) {
	o := ts.outcome()
	o.Status, o.Problems = SaleRefused, []*Error{Invalid(field, code)}
}

// SaleKey is how a sale is found before its merchant id is known.
type SaleKey struct {
	SerialNumber SerialNumber
	OrderID      string
}

// OnRecorded is called after sales were committed that were not known: a result
// may have waited for them. They are recorded whatever it returns.
type OnRecorded func(ctx context.Context, sales []SaleKey) error

func (ts *toldSale) key() SaleKey { return SaleKey{ts.SerialNumber, ts.OrderID} }

// held reports whether the call wants nothing written.
func (c *intakeCall) held() bool {
	if !c.AllOrNothing {
		return false
	}
	for i := range c.outcomes {
		if st := c.outcomes[i].Status; st == SaleRefused || st == SaleConflict {
			return true
		}
	}
	return false
}

// holdBack says of the good ones that they were not written.
func (c *intakeCall) holdBack() {
	for i := range c.outcomes {
		if o := &c.outcomes[i]; o.Status == SaleCreated || o.Status == "" {
			o.Status, o.SaleID = SaleSkipped, 0
		}
	}
	c.fresh = nil
}
