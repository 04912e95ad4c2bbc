package api

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"veinte/handlers/api/shapes"
	"veinte/models"
	"veinte/models/changes"
	"veinte/models/terminals"
)

// changesInput are the parameters of GET /api/v1/changes.
type changesInput struct {
	After string `query:"after" doc:"api.doc.query.after" maxLength:"120"`
	Types string `query:"types" doc:"api.doc.query.types" maxLength:"80" example:"sale,cancellation"`
	Limit string `query:"limit" doc:"api.doc.query.changesLimit" pattern:"^[0-9]{1,3}$" example:"200"`
}

// followChanges handles GET /api/v1/changes.
func (a *API) followChanges(ctx context.Context, in *changesInput) (*output, error) {
	c := callOf(ctx)
	dir, err := a.Directory(ctx)
	if err != nil {
		return nil, err
	}
	p := &listParams{api: a, c: c, dir: dir}
	most := 200
	if in.Limit != "" {
		if most, err = strconv.Atoi(in.Limit); err != nil || most < 1 || most > changes.MaxPage {
			p.wrong("limit", "api.changesLimit", in.Limit)
		}
	}
	kinds := p.kinds(in.Types)
	if err := p.err(); err != nil {
		return nil, err
	}
	page, err := a.FollowChanges(ctx, c.actor, in.After, kinds, most)
	if err != nil {
		return nil, a.inQuery(c, err, in.After)
	}
	out := &shapes.Changes{Items: make([]shapes.Change, len(page.Changes)), After: page.After, More: page.More, Again: page.Again}
	var sold []*models.Sale
	for i := range page.Changes {
		if s := page.Changes[i].Sale; s != nil {
			sold = append(sold, s)
		}
	}
	listed, err := a.salesOf(ctx, c, dir, sold)
	if err != nil {
		return nil, err
	}
	for i := range page.Changes {
		change := &page.Changes[i]
		item := &out.Items[i]
		item.Cursor, item.Type, item.ID = change.Cursor, string(change.Kind), change.ID
		switch {
		case change.Sale != nil:
			item.Sale, listed = &listed[0], listed[1:]
		case change.Cancellation != nil:
			item.Cancellation = new(cancellationOf(ctx, dir, &change.Cancellation.Sale, change.Cancellation.Cancellation))
		case change.Result != nil:
			item.Result = resultOf(dir, change.Result)
		}
	}
	return &output{http.StatusOK, out}, nil
}

// kinds reads which changes are wanted; nil: all.
func (p *listParams) kinds(types string) (kinds []changes.Kind) {
	if types == "" {
		return nil
	}
	for name := range strings.SplitSeq(types, ",") {
		kind := changes.Kind(name)
		if kind == changes.RemovedSale || !slices.Contains(changes.Kinds, kind) || slices.Contains(kinds, kind) {
			p.wrong("types", "api.types.invalid", types)
			return nil
		}
		kinds = append(kinds, kind)
	}
	return kinds
}

func resultOf(dir *terminals.Directory, r *changes.ResultFacts) *shapes.Result {
	out := &shapes.Result{
		ID: r.ID, Kind: string(r.Kind), Status: string(r.Status), Note: r.Note, ReceivedAt: r.ReceivedAt.UTC(),
		SerialNumber: r.SerialNumber, StoreID: r.MerchantID, OrderID: r.OrderID, Folio: r.Folio, Last4: r.Last4,
		ResponseCode: r.ResponseCode, SaleID: deref(r.SaleID), CancellationID: deref(r.CancellationID),
	}
	if s := dir.Stores[r.StoreID]; s != nil {
		out.Store = s.Code
	}
	if r.Amount != nil {
		out.Amount = amountOf(*r.Amount)
	}
	return out
}
