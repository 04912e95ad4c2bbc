package api

import (
	"context"
	"net/http"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/api/shapes"
	"veinte/models"
	"veinte/models/intake"
	"veinte/models/sales"
)

// changeParams are the parameters of a change of a sale.
type changeParams struct {
	OrderID        string `path:"orderId" doc:"api.doc.path.orderId" maxLength:"250" example:"261120115930-1490000001"`
	IdempotencyKey string `header:"Idempotency-Key" doc:"api.doc.header.idempotency" maxLength:"255" example:"9f4c7d1e-2b1a-4b5e-9a51-0d7f2f1f6c11"`
}

// change is what a body says about a sale: the new values of facts, why, and which sale
// of several.
type change struct {
	facts                     map[string]string
	note, serialNumber, store string
}

// readChange reads the body. facts are the names of those that it may change.
func (a *API) readChange(c *fiber.Ctx, body []byte, facts []string) (*change, error) {
	s, err := a.bodyObject(c, body)
	if err != nil {
		return nil, err
	}
	read, w := textFields{api: a, c: c, at: "body", seen: map[string]bool{}}, &change{facts: map[string]string{}}
	values := map[string]*string{"note": &w.note, "serialNumber": &w.serialNumber, newStoreID: &w.store}
	for _, name := range facts {
		values[name] = new(string)
	}
	read.object(s, func(name string) *string { return values[name] })
	if len(read.errors) > 0 {
		return nil, a.invalid(c, read.errors...)
	}
	for _, name := range facts {
		if read.seen[name] {
			w.facts[name] = *values[name]
		}
	}
	return w, nil
}

// ofThisOrder reads the body of a change and finds its sale.
func (a *API) ofThisOrder(ctx context.Context, c *call, orderID string, facts []string) (*change, *sales.Found, error) {
	w, err := a.readChange(c.Ctx, c.BodyRaw(), facts)
	if err != nil {
		return nil, nil, err
	}
	found, err := a.theSale(ctx, c, orderID, w.serialNumber, w.store)
	return w, found, err
}

// correctSale handles POST /api/v1/sales/{orderId}/correction.
func (a *API) correctSale(ctx context.Context, in *changeParams) (*output, error) {
	c := callOf(ctx)
	w, found, err := a.ofThisOrder(ctx, c, in.OrderID, intake.CorrectableFacts)
	if err != nil {
		return nil, err
	}
	if len(w.facts) == 0 {
		return nil, a.invalid(c.Ctx, a.fieldError(c.Ctx, models.Invalid("", "api.correct.nothing"), "body", ""))
	}
	correction := intake.Correction{Source: models.SourceAPI, Facts: w.facts, Note: w.note}
	sale, wrong, err := a.Intake.Correct(ctx, c.actor, found.Sale.ID, correction)
	if err != nil {
		return nil, a.refusedAt(c, err, "body", "")
	}
	if len(wrong) > 0 {
		list := make([]shapes.FieldError, len(wrong))
		for i, e := range wrong {
			list[i] = a.fieldError(c.Ctx, e, "body", echoed(w.facts[e.Field]))
		}
		return nil, a.invalid(c.Ctx, list...)
	}
	one, err := a.oneSale(ctx, c, &sales.Found{Sale: *sale})
	return &output{http.StatusOK, one}, err
}

// undoSale handles POST /api/v1/sales/{orderId}/undoing.
func (a *API) undoSale(ctx context.Context, in *changeParams) (*output, error) {
	c := callOf(ctx)
	w, found, err := a.ofThisOrder(ctx, c, in.OrderID, nil)
	if err != nil {
		return nil, err
	}
	if err := a.Intake.TakeBack(ctx, c.actor, found.Sale.ID, models.SourceAPI, w.note); err != nil {
		return nil, a.refusedAt(c, err, "body", "")
	}
	s := &found.Sale
	return &output{http.StatusOK, &shapes.Undone{
		SaleID: s.ID, SerialNumber: string(s.SerialNumber), StoreID: s.MerchantID, OrderID: s.OrderID,
	}}, nil
}

// withdrawParams are the parameters of POST /api/v1/cancellations/{id}/withdrawal.
type withdrawParams struct {
	ID             string `path:"id" doc:"api.doc.path.cancellation" pattern:"^[0-9]{1,18}$" example:"912"`
	IdempotencyKey string `header:"Idempotency-Key" doc:"api.doc.header.idempotency" maxLength:"255" example:"9f4c7d1e-2b1a-4b5e-9a51-0d7f2f1f6c11"`
}

// withdrawCancellation handles POST /api/v1/cancellations/{id}/withdrawal: it is taken
// back, which is possible until it is sent. Its body is an object without fields.
func (a *API) withdrawCancellation(ctx context.Context, in *withdrawParams) (*output, error) {
	c := callOf(ctx)
	s, err := a.bodyObject(c.Ctx, c.BodyRaw())
	if err != nil {
		return nil, err
	}
	read := textFields{api: a, c: c.Ctx, at: "body", seen: map[string]bool{}}
	if read.object(s, func(string) *string { return nil }); len(read.errors) > 0 {
		return nil, a.invalid(c.Ctx, read.errors...)
	}
	found, err := a.theCancellation(ctx, c, in.ID)
	if err != nil {
		return nil, err
	}
	withdrawn, err := a.Cancellations.Withdraw(ctx, c.actor, found.Cancellation.ID)
	if err != nil {
		p := a.problem(c.Ctx, err)
		p.CancellationID = found.Cancellation.ID
		return nil, p
	}
	one, err := a.oneCancellation(ctx, &found.Sale, withdrawn)
	return &output{http.StatusOK, one}, err
}
