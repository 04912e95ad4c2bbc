package api

import (
	"context"
	"fmt"
	"net/http"

	"veinte/handlers/api/shapes"
	"veinte/models"
	"veinte/models/intake"
	"veinte/views/locale"
)

// recordInput are the parameters of POST /api/v1/sales.
type recordInput struct {
	AllOrNothing   string `query:"allOrNothing" doc:"api.doc.query.allOrNothing" enum:"true,false" example:"true"`
	IdempotencyKey string `header:"Idempotency-Key" doc:"api.doc.header.idempotency" maxLength:"255" example:"9f4c7d1e-2b1a-4b5e-9a51-0d7f2f1f6c11"`
}

// output is a response whose status depends on what was done.
type output struct {
	Status int
	Body   any
}

// recordSales handles POST /api/v1/sales. For a list the status is 201 when all
// sales are new, else 200 with the result of each.
func (a *API) recordSales(ctx context.Context, in *recordInput) (*output, error) {
	c := callOf(ctx)
	if in.AllOrNothing != "" && in.AllOrNothing != "true" && in.AllOrNothing != "false" {
		return nil, a.invalid(c.Ctx, a.fieldError(c.Ctx, models.Invalid("allOrNothing", "api.boolean"), "query", echoed(in.AllOrNothing)))
	}
	sales, err := a.readSales(c.Ctx, c.BodyRaw())
	if err != nil {
		return nil, err
	}
	if n := len(sales.items); n > 1 {
		if err := a.payRows(c, n); err != nil {
			return nil, err
		}
	}
	outcomes, recorded, err := a.record(ctx, c, sales, in.AllOrNothing == "true")
	if err != nil {
		return nil, err
	}
	if sales.single {
		out, err := a.oneOutcome(c, outcomes[0])
		if recorded {
			err = models.Recorded(err)
		}
		return out, err
	}
	b := batchOf(outcomes)
	if c.leftOut = b.Refused+b.Conflict+b.Skipped > 0; c.leftOut && !recorded {
		c.refused = errWritten
	}
	if b.Created == len(outcomes) {
		return &output{http.StatusCreated, b}, nil
	}
	return &output{http.StatusOK, b}, nil
}

// record stores the items that have the shape of a sale. It returns the result of
// each, and whether the trail has it.
func (a *API) record(
	ctx context.Context, c *call, sales *reportedSales, whole bool,
) (outcomes []shapes.Outcome, recorded bool, err error) {
	outcomes = make([]shapes.Outcome, len(sales.items))
	inputs, positions := make([]models.SaleInput, 0, len(sales.items)), make([]int, 0, len(sales.items))
	held := false
	for i := range sales.items {
		item := &sales.items[i]
		outcomes[i] = shapes.Outcome{Index: i, SerialNumber: echoed(item.SerialNumber), OrderID: a.echoedOrder(item.OrderID)}
		if len(item.errors) > 0 {
			outcomes[i].Status, outcomes[i].Errors = string(intake.Refused), item.errors
			held = held || whole
			continue
		}
		inputs, positions = append(inputs, item.SaleInput), append(positions, i)
	}
	if len(inputs) == 0 {
		return outcomes, false, nil
	}
	// One that is no sale at all holds the others back as a refused one would.
	got, err := a.Intake.RecordSales(ctx, c.actor, intake.Options{Source: models.SourceAPI, AllOrNothing: whole, DryRun: held}, inputs)
	if err != nil {
		return nil, false, err
	}
	for j := range got {
		i := positions[j]
		// One entry of the call lists the results of all that were tried.
		recorded = recorded || !held && got[j].Status != intake.Known
		a.fill(c, &outcomes[i], &sales.items[i], &got[j], sales.at(i))
		if held && outcomes[i].Status == string(intake.Created) {
			outcomes[i].Status, outcomes[i].SaleID = string(intake.Skipped), 0
		}
	}
	return outcomes, recorded, nil
}

// fill writes the result of one sale.
func (a *API) fill(c *call, out *shapes.Outcome, item *reportedSale, got *intake.Outcome, at string) {
	out.Status, out.SaleID, out.Completed = string(got.Status), got.SaleID, got.Completed
	for _, p := range got.Problems {
		e := a.fieldError(c.Ctx, p, at, echoed(deref(item.Field(p.Field))))
		if p.Field == oldStoreID {
			e = named(e, at, item.storeIDName)
		}
		out.Errors = append(out.Errors, e)
	}
	for _, code := range got.Warnings {
		out.Warnings = append(out.Warnings, shapes.WarningNote{Code: code, Detail: locale.T(c.UserContext(), code)})
	}
}

// oneOutcome responds to a single sale: its result decides the status.
func (a *API) oneOutcome(c *call, out shapes.Outcome) (*output, error) {
	switch intake.Status(out.Status) {
	case intake.Created:
		return &output{http.StatusCreated, out}, nil
	case intake.Known:
		return &output{http.StatusOK, out}, nil
	case intake.Conflict:
		p := a.of(c.Ctx, kindConflict, "api.saleDiffers")
		p.Errors, p.cause = out.Errors, errDiffers
		return nil, p
	}
	return nil, a.invalid(c.Ctx, out.Errors...)
}

// batchOf lists the results of many sales and counts them.
func batchOf(outcomes []shapes.Outcome) shapes.Batch {
	n := map[intake.Status]int{}
	for i := range outcomes {
		n[intake.Status(outcomes[i].Status)]++
	}
	return shapes.Batch{
		Created: n[intake.Created], Known: n[intake.Known], Conflict: n[intake.Conflict], Skipped: n[intake.Skipped],
		Refused: n[intake.Refused], Items: outcomes,
	}
}

// at is where an item is in the body.
func (t *reportedSales) at(i int) string {
	if t.single {
		return "body"
	}
	return fmt.Sprintf("body[%d]", i)
}
