package api

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/api/shapes"
	"veinte/models"
	"veinte/models/sales"
	"veinte/models/terminals"
)

// listInput are the parameters of GET /api/v1/sales.
type listInput struct {
	Date     string `query:"date" doc:"api.doc.query.date" format:"date" example:"2026-11-20"`
	From     string `query:"from" doc:"api.doc.query.from" format:"date" example:"2026-11-01"`
	To       string `query:"to" doc:"api.doc.query.to" format:"date" example:"2026-11-20"`
	Store    string `query:"store" doc:"api.doc.query.store" maxLength:"20" example:"ROMA-01"`
	Terminal string `query:"terminal" doc:"api.doc.query.terminal" pattern:"^[0-9]{10}$" example:"1490000001"`
	State    string `query:"state" doc:"api.doc.query.state" enum:"cancelable,requested,sending,accepted,unknown,confirmed,rejected,notCanceled,expired,tooLate" example:"confirmed"`
	Limit    string `query:"limit" doc:"api.doc.query.limit" pattern:"^[0-9]{1,3}$" example:"100"`
	Cursor   string `query:"cursor" doc:"api.doc.query.cursor" maxLength:"200"`
	IfNone   string `header:"If-None-Match" doc:"api.doc.header.ifNoneMatch" example:"W/\"42-1-Zm9v\""`
}

// maxListed is how many sales a page of the API holds at most.
const maxListed = 200

// listSales handles GET /api/v1/sales.
func (a *API) listSales(ctx context.Context, in *listInput) (*output, error) {
	c := callOf(ctx)
	dir, err := a.Directory(ctx)
	if err != nil {
		return nil, err
	}
	if in.From != "" || in.To != "" {
		return a.salesOfRange(ctx, c, dir, in)
	}
	f, err := a.saleFilter(in, dir, c)
	if err != nil {
		return nil, err
	}
	tag, err := a.tagOf(ctx, c, dir, f)
	if err != nil {
		return nil, err
	}
	if in.IfNone != "" && slices.ContainsFunc(strings.Split(in.IfNone, ","), func(t string) bool { return strings.TrimSpace(t) == tag }) {
		c.Set(fiber.HeaderETag, tag)
		return &output{Status: http.StatusNotModified}, nil
	}
	page, err := a.Sales.DaySales(ctx, c.actor, f)
	if err != nil {
		return nil, a.inQuery(c, err, in.Cursor)
	}
	c.Set(fiber.HeaderETag, tag)
	out := &shapes.Sales{Date: string(f.Day), Next: page.Next, Totals: shapes.SaleTotals{
		Sales: page.Filtered.Sales.Count, Amount: amountOf(page.Filtered.Sales.Amount), Canceled: page.Filtered.Canceled.Count,
		CanceledAmount: amountOf(page.Filtered.Canceled.Amount), InProgress: page.Filtered.Open,
	}}
	listed := make([]*models.Sale, len(page.Sales))
	for i := range page.Sales {
		listed[i] = &page.Sales[i].Sale
	}
	out.Items, err = a.salesOf(ctx, c, dir, listed)
	return &output{http.StatusOK, out}, err
}

// inQuery adds the parameter to its refusal; other errors stay as they are.
func (a *API) inQuery(c *call, err error, value string) error {
	return a.refusedAt(c, err, "query", value)
}

// refusedAt says where the value was that is refused; other errors stay as they are.
func (a *API) refusedAt(c *call, err error, at, value string) error {
	var known *models.Error
	if errors.As(err, &known) && known.Kind == models.KindInvalid {
		return a.invalid(c.Ctx, a.fieldError(c.Ctx, known, at, echoed(value)))
	}
	return err
}

// saleFilter reads the parameters.
func (a *API) saleFilter(in *listInput, dir *terminals.Directory, c *call) (sales.Filter, error) {
	p := &listParams{api: a, c: c, dir: dir}
	f := sales.Filter{
		Day: a.Rules.Window().Calendar.Day(a.Clock.Now()), State: models.SaleState(in.State), Cursor: in.Cursor, Size: p.size(in.Limit),
		StoreID: p.store(in.Store), TerminalID: p.terminal(in.Terminal),
	}
	if in.Date != "" {
		f.Day = p.day("date", in.Date)
	}
	if in.State != "" && !slices.Contains(models.SaleStates, f.State) {
		p.wrong("state", "state.invalid", in.State)
	}
	return f, p.err()
}

// tagOf returns an entity tag for the list: it changes with every change of a sale,
// when the window closes, and with what else decides whether a sale can be canceled.
func (a *API) tagOf(ctx context.Context, c *call, dir *terminals.Directory, f sales.Filter) (string, error) {
	revision, err := a.Sales.DayRevision(ctx, c.actor, f)
	if err != nil {
		return "", err
	}
	now, window := a.Clock.Now(), a.Rules.Window()
	open := window.Calendar.Day(now) == f.Day && window.DayOpen(now)
	cutoff := window.Calendar.Cutoff(now).Unix() // an administrator may have made it earlier
	var retired []int64
	for id, t := range dir.Terminals {
		if t.RetiredAt != nil {
			retired = append(retired, id)
		}
	}
	slices.Sort(retired)
	sum := sha256.Sum256(fmt.Appendf(nil, "%t %d %s %d %v %v %s %+v %t %v", open, cutoff, window.Margin, c.actor.UserID, c.actor.AllStores,
		c.actor.StoreIDs, c.Get(fiber.HeaderAcceptLanguage), f, a.Paused(ctx), retired))
	return fmt.Sprintf(`W/"%d-%s"`, revision, base64.RawURLEncoding.EncodeToString(sum[:9])), nil
}

// findInput are the parameters of GET /api/v1/sales/{orderId}.
type findInput struct {
	OrderID      string `path:"orderId" doc:"api.doc.path.orderId" maxLength:"250" example:"261120115930-1490000001"`
	SerialNumber string `query:"serialNumber" doc:"api.doc.query.serialNumber" pattern:"^[0-9]{10}$" example:"1490000001"`
	StoreID      string `query:"storeId" doc:"api.doc.query.storeId" maxLength:"250" example:"9000010"`
	MerchantID   string `query:"merchantId" doc:"api.doc.merchantId" deprecated:"true" maxLength:"250"`
}

// findSale handles GET /api/v1/sales/{orderId}: was it canceled?
func (a *API) findSale(ctx context.Context, in *findInput) (*output, error) {
	c := callOf(ctx)
	storeID, err := a.oneOf(c, "query", in.StoreID, in.MerchantID)
	if err != nil {
		return nil, err
	}
	found, err := a.theSale(ctx, c, in.OrderID, in.SerialNumber, storeID)
	if err != nil {
		return nil, err
	}
	one, err := a.oneSale(ctx, c, found)
	return &output{http.StatusOK, one}, err
}

// oneSale is the response for one sale.
func (a *API) oneSale(ctx context.Context, c *call, found *sales.Found) (*shapes.Sale, error) {
	dir, err := a.Directory(ctx)
	if err != nil {
		return nil, err
	}
	why, err := a.Cancellations.WhyNot(ctx, c.actor, []*models.Sale{&found.Sale}, dir.Terminals)
	if err != nil {
		return nil, err
	}
	out := a.saleOf(c, dir, &found.Sale, found.Cancellation, why[0])
	return &out, nil
}

// saleIDInput is the parameter of GET /api/v1/sales/id/{id}.
type saleIDInput struct {
	ID string `path:"id" doc:"api.doc.sale.id" pattern:"^[0-9]{1,18}$" example:"48213"`
}

// findSaleByID handles GET /api/v1/sales/id/{id}.
func (a *API) findSaleByID(ctx context.Context, in *saleIDInput) (*output, error) {
	c := callOf(ctx)
	id, err := strconv.ParseInt(in.ID, 10, 64)
	if err != nil {
		return nil, models.ErrNotFound
	}
	found, hidden, err := a.Sales.SaleOfID(ctx, c.actor, id)
	if err := c.nothing(found, hidden, err); err != nil {
		return nil, err
	}
	one, err := a.oneSale(ctx, c, &found[0])
	return &output{http.StatusOK, one}, err
}

// referenceInput is the parameter of GET /api/v1/sales/reference/{reference}.
type referenceInput struct {
	Reference string `path:"reference" doc:"api.doc.path.reference" maxLength:"80" example:"ticket 7841"`
}

// findByReference handles GET /api/v1/sales/reference/{reference}. A ticket can be paid
// with several cards, so the answer is a list.
func (a *API) findByReference(ctx context.Context, in *referenceInput) (*output, error) {
	c := callOf(ctx)
	found, hidden, err := a.Sales.SalesOfReference(ctx, c.actor, unescaped(in.Reference))
	if err := c.nothing(found, hidden, err); err != nil {
		return nil, err
	}
	out := &shapes.SaleMatches{Items: make([]shapes.Sale, len(found))}
	for i := range found {
		one, err := a.oneSale(ctx, c, &found[i])
		if err != nil {
			return nil, err
		}
		out.Items[i] = *one
	}
	return &output{http.StatusOK, out}, nil
}

// nothing is why no sale was found; nil when there is one. One of another store is
// recorded as a denial.
func (c *call) nothing(found []sales.Found, hidden bool, err error) error {
	switch {
	case err != nil || len(found) > 0:
		return err
	case hidden:
		return c.denied(models.ErrNotFound)
	}
	return models.ErrNotFound
}

// unescaped is a part of an address with the characters that an address must escape.
func unescaped(s string) string {
	if text, err := url.PathUnescape(s); err == nil {
		return text
	}
	return s
}

// theSale finds the one sale of an order number. If several have the number, the
// problem lists their names and nothing else, because a key that may cancel may not
// always read.
func (a *API) theSale(ctx context.Context, c *call, orderID, serial, merchant string) (*sales.Found, error) {
	name := sales.OrderName{OrderID: unescaped(orderID), SerialNumber: serial, MerchantID: merchant}
	found, hidden, err := a.Sales.SalesOfOrder(ctx, c.actor, name)
	if err := c.nothing(found, hidden, err); err != nil {
		return nil, err
	}
	if len(found) == 1 {
		return &found[0], nil
	}
	p := a.of(c.Ctx, kindAmbiguous, "api.ambiguous")
	p.cause = errDiffers
	for i := range found {
		p.Sales = append(p.Sales, nameOf(&found[i].Sale))
	}
	return nil, p
}

// cancellationInput is the parameter of GET /api/v1/cancellations/{id}.
type cancellationInput struct {
	ID string `path:"id" doc:"api.doc.path.cancellation" pattern:"^[0-9]{1,18}$" example:"912"`
}

// findCancellation handles GET /api/v1/cancellations/{id}.
func (a *API) findCancellation(ctx context.Context, in *cancellationInput) (*output, error) {
	found, err := a.theCancellation(ctx, callOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	one, err := a.oneCancellation(ctx, &found.Sale, found.Cancellation)
	return &output{http.StatusOK, one}, err
}

// oneCancellation is the response for one cancellation.
func (a *API) oneCancellation(ctx context.Context, s *models.Sale, c *models.Cancellation) (*shapes.Cancellation, error) {
	dir, err := a.Directory(ctx)
	if err != nil {
		return nil, err
	}
	out := cancellationOf(ctx, dir, s, c)
	return &out, nil
}

// theCancellation finds a cancellation with its sale.
func (a *API) theCancellation(ctx context.Context, c *call, text string) (*sales.Found, error) {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id <= 0 {
		return nil, models.ErrNotFound
	}
	found, hidden, err := a.Sales.Latest(ctx, c.actor, id)
	if hidden {
		err = c.denied(models.ErrNotFound)
	}
	return found, err
}
