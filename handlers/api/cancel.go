package api

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/api/shapes"
	"veinte/models"
	"veinte/models/cancellations"
	"veinte/models/cards"
	"veinte/models/sales"
	"veinte/views/locale"
)

// cancelWish is a program's wish to cancel a sale, as it was read.
type cancelWish struct {
	shapes.CancelInput
	seen   *models.Money // Amount; nil when there is none
	object []byte        // Traceability as it is written; nil when there is none
}

// cancelParams are the parameters of POST /api/v1/sales/{orderId}/cancellation.
type cancelParams struct {
	OrderID        string `path:"orderId" doc:"api.doc.path.orderId" maxLength:"250" example:"261120115930-1490000001"`
	IdempotencyKey string `header:"Idempotency-Key" doc:"api.doc.header.idempotency" maxLength:"255" example:"9f4c7d1e-2b1a-4b5e-9a51-0d7f2f1f6c11"`
}

// cancelSale handles POST /api/v1/sales/{orderId}/cancellation. The rules are the
// same as for a person: the same window, the same refusals, one open cancellation
// per sale.
func (a *API) cancelSale(ctx context.Context, in *cancelParams) (*output, error) {
	c := callOf(ctx)
	wish, err := a.readCancel(c.Ctx, c.BodyRaw())
	if err != nil {
		return nil, err
	}
	storeID, err := a.oneOf(c, "body", wish.StoreID, wish.MerchantID)
	if err != nil {
		return nil, err
	}
	found, err := a.theSale(ctx, c, in.OrderID, wish.SerialNumber, storeID)
	if err != nil {
		return nil, err
	}
	cancellation, err := a.Cancellations.Request(ctx, c.actor, cancellations.CancelRequest{
		SaleID: found.Sale.ID, OmitReceipt: a.omitsReceipt(wish, &found.Sale),
		Reason: wish.Reason, Note: wish.Note, Click: clickOf(in.IdempotencyKey), Seen: wish.seen, Traceability: string(wish.object),
		TicketDate: models.Day(wish.TicketDate),
	})
	if err != nil {
		return nil, a.cancelProblem(c, err, wish, found)
	}
	c.Set(fiber.HeaderLocation, a.BaseURL+Prefix+"/cancellations/"+strconv.FormatInt(cancellation.ID, 10))
	one, err := a.oneCancellation(ctx, &found.Sale, cancellation)
	return &output{http.StatusAccepted, one}, err
}

// omitsReceipt is the request's choice, or the default of the page's form.
func (a *API) omitsReceipt(wish *cancelWish, sale *models.Sale) bool {
	if wish.OmitReceipt != nil {
		return *wish.OmitReceipt
	}
	return !a.Rules.Schedule().At(a.Clock.Now()).Receipt(sale.StoreID, wish.Reason)
}

// cancelProblem writes a refusal with the body's field name, the id of the conflicting
// cancellation, both amounts, or both sales of one charge.
func (a *API) cancelProblem(c *call, err error, wish *cancelWish, found *sales.Found) *Problem {
	var known *models.Error
	if errors.As(err, &known) && known.Kind == models.KindInvalid {
		value := map[string]string{"reason": wish.Reason, "note": wish.Note, "ticketDate": wish.TicketDate}[known.Field]
		p := a.invalid(c.Ctx, a.fieldError(c.Ctx, known, "body", echoed(value)))
		p.cause = err // perhaps recorded
		return p
	}
	p := a.problem(c.Ctx, err)
	var changed *cancellations.AmountChanged
	if errors.As(err, &changed) {
		p.Amount, p.AmountSeen = amountOf(changed.Now), amountOf(changed.Seen)
		p.Detail = locale.T(c.UserContext(), "api.amountChanged", "Seen", p.AmountSeen, "Now", p.Amount)
	}
	if other := cancellations.OtherSale(c.actor, err); other != nil {
		p.Sales = []shapes.SaleName{nameOf(&found.Sale), nameOf(other)}
	}
	if p.Code == kindCancellationOpen.code && found.Cancellation != nil {
		p.CancellationID = found.Cancellation.ID
	}
	return p
}

// clickOf turns an Idempotency-Key into the id of the click. The same key is the
// same cancellation, even if its response was lost.
func clickOf(name string) string {
	if name == "" {
		return "api-" + rand.Text()
	}
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:])
}

// readCancel reads the body.
func (a *API) readCancel(c *fiber.Ctx, body []byte) (*cancelWish, error) {
	s, err := a.bodyObject(c, body)
	if err != nil {
		return nil, err
	}
	wish, omit := &cancelWish{}, false
	read := textFields{
		api: a, c: c, at: "body", seen: map[string]bool{}, flag: &omit, flagIs: "omitReceipt", raw: &wish.object, rawIs: "traceability",
	}
	fields := map[string]*string{
		"reason": &wish.Reason, "note": &wish.Note, "amount": &wish.Amount, "ticketDate": &wish.TicketDate,
		"serialNumber": &wish.SerialNumber, oldStoreID: &wish.MerchantID, newStoreID: &wish.StoreID,
	}
	read.object(s, func(name string) *string { return fields[name] })
	if read.seen["omitReceipt"] {
		wish.OmitReceipt = &omit
	}
	for name, text := range fields {
		held := cards.Holds
		if name == oldStoreID || name == newStoreID {
			held = func(s string) bool { return cards.InReference(s, a.Clock.Now()) }
		}
		if held(*text) {
			wrong := a.fieldError(c, models.Invalid(nameInside(name), "field.cardNumber"), "body", "")
			read.errors = append(read.errors, named(wrong, "body", name))
		}
	}
	if read.seen["amount"] && len(read.errors) == 0 {
		seen, err := models.ParseMoney(wish.Amount)
		if err != nil {
			read.wrong("amount", "amount.invalid", echoed(wish.Amount))
		}
		wish.seen = &seen
	}
	if len(read.errors) > 0 {
		return nil, a.invalid(c, read.errors...)
	}
	return wish, nil
}
