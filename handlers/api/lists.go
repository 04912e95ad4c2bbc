package api

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"veinte/handlers/api/shapes"
	"veinte/models"
	"veinte/models/database"
	"veinte/models/sales"
	"veinte/models/terminals"
)

// listParams reads the parameters of lists, and collects what is wrong with them.
type listParams struct {
	api     *API
	c       *call
	dir     *terminals.Directory
	refused []shapes.FieldError
	hidden  bool // it asks for a store or a terminal that is not there for the key
}

func (p *listParams) wrong(name, code, value string) {
	p.refused = append(p.refused, p.api.fieldError(p.c.Ctx, models.Invalid(name, code), "query", echoed(value)))
}

// err is why the list cannot be given; nil when it can.
func (p *listParams) err() error {
	switch {
	case len(p.refused) > 0:
		return p.api.invalid(p.c.Ctx, p.refused...)
	case p.hidden:
		return models.ErrNotFound
	}
	return nil
}

func (p *listParams) size(limit string) int {
	if limit == "" {
		return 50
	}
	n, err := strconv.Atoi(limit)
	if err != nil || n < 1 || n > maxListed {
		p.wrong("limit", "api.limit", limit)
	}
	return n
}

func (p *listParams) store(code string) int64 {
	if code == "" {
		return 0
	}
	for _, s := range p.dir.Visible(p.c.actor) {
		if strings.EqualFold(s.Code, code) {
			return s.ID
		}
	}
	p.hidden = true
	return 0
}

func (p *listParams) terminal(serial string) int64 {
	if serial == "" {
		return 0
	}
	if _, err := models.ParseSerialNumber(serial); err != nil {
		p.wrong("terminal", "serial.invalid", serial)
	}
	for id, t := range p.dir.Terminals {
		if string(t.SerialNumber) == serial {
			return id
		}
	}
	p.hidden = true
	return 0
}

func (p *listParams) day(name, text string) models.Day {
	day, err := models.ParseDay(text)
	if text != "" && err != nil {
		p.wrong(name, "date.invalid", text)
	}
	return day
}

// days reads a range of days: until today when it has no end, and today when there is none.
func (p *listParams) days(from, to string) (first, last models.Day) {
	first, last = p.day("from", from), p.day("to", to)
	if len(p.refused) > 0 {
		return first, last
	}
	today := p.api.Rules.Window().Calendar.Day(p.api.Clock.Now())
	if last == "" {
		last = today
	}
	if first == "" && to != "" {
		p.wrong("from", "api.range.noFrom", "")
	} else if first == "" {
		first = today
	}
	switch days := (&sales.RangeFilter{From: first, To: last}).Days(); {
	case len(p.refused) > 0:
	case days < 1:
		p.wrong("to", "auditFilter.toBeforeFrom", to)
	case days > sales.MaxRange:
		p.wrong("from", "api.range.tooLong", from)
	}
	return first, last
}

// salesOfRange handles GET /api/v1/sales with a range of days.
func (a *API) salesOfRange(ctx context.Context, c *call, dir *terminals.Directory, in *listInput) (*output, error) {
	p := &listParams{api: a, c: c, dir: dir}
	if in.Date != "" {
		p.wrong("date", "api.range.orDate", in.Date)
	}
	f := sales.RangeFilter{
		StoreID: p.store(in.Store), TerminalID: p.terminal(in.Terminal), State: models.SaleState(in.State), Cursor: in.Cursor,
		Size: p.size(in.Limit),
	}
	if f.State != "" && !slices.Contains(models.SaleStates, f.State) {
		p.wrong("state", "state.invalid", in.State)
	}
	f.From, f.To = p.days(in.From, in.To)
	if err := p.err(); err != nil {
		return nil, err
	}
	page, err := a.Sales.SalesOfRange(ctx, c.actor, f)
	if err != nil {
		return nil, a.inQuery(c, err, in.Cursor)
	}
	listed := make([]*models.Sale, len(page.Sales))
	for i := range page.Sales {
		listed[i] = &page.Sales[i]
	}
	out := &shapes.SalesOfRange{From: string(f.From), To: string(f.To), Next: page.Next}
	out.Items, err = a.salesOf(ctx, c, dir, listed)
	return &output{http.StatusOK, out}, err
}

// salesOf builds the response for sales, without their cancellations.
func (a *API) salesOf(ctx context.Context, c *call, dir *terminals.Directory, listed []*models.Sale) ([]shapes.Sale, error) {
	why, err := a.Cancellations.WhyNot(ctx, c.actor, listed, dir.Terminals)
	if err != nil {
		return nil, err
	}
	all := make([]shapes.Sale, len(listed))
	for i, s := range listed {
		all[i] = a.saleOf(c, dir, s, nil, why[i])
	}
	return all, nil
}

// cancellationsInput are the parameters of GET /api/v1/cancellations.
type cancellationsInput struct {
	From         string `query:"from" doc:"api.doc.query.from" format:"date" example:"2026-11-01"`
	To           string `query:"to" doc:"api.doc.query.to" format:"date" example:"2026-11-20"`
	Store        string `query:"store" doc:"api.doc.query.store" maxLength:"20" example:"ROMA-01"`
	Terminal     string `query:"terminal" doc:"api.doc.query.terminal" pattern:"^[0-9]{10}$" example:"1490000001"`
	State        string `query:"state" doc:"api.doc.query.caseState" enum:"requested,withdrawn,expired,sending,accepted,rejected,unknown,confirmed,notCanceled" example:"confirmed"`
	ChangedSince string `query:"changedSince" doc:"api.doc.query.changedSince" format:"date-time" example:"2026-11-20T18:00:00Z"`
	Limit        string `query:"limit" doc:"api.doc.query.limit" pattern:"^[0-9]{1,3}$" example:"100"`
	Cursor       string `query:"cursor" doc:"api.doc.query.cursor" maxLength:"200"`
}

// listCancellations handles GET /api/v1/cancellations.
func (a *API) listCancellations(ctx context.Context, in *cancellationsInput) (*output, error) {
	c := callOf(ctx)
	dir, err := a.Directory(ctx)
	if err != nil {
		return nil, err
	}
	p := &listParams{api: a, c: c, dir: dir}
	f := sales.RangeFilter{
		StoreID: p.store(in.Store), TerminalID: p.terminal(in.Terminal), CaseState: models.State(in.State), Cursor: in.Cursor,
		Size: p.size(in.Limit),
	}
	if f.CaseState != "" && !slices.Contains(models.States, f.CaseState) {
		p.wrong("state", "state.invalid", in.State)
	}
	if in.ChangedSince != "" {
		if f.ChangedSince, err = time.Parse(time.RFC3339, in.ChangedSince); err != nil || f.ChangedSince.Year() < 2000 {
			p.wrong("changedSince", "soldAt.invalid", in.ChangedSince)
		}
	}
	f.From, f.To = p.days(in.From, in.To)
	if err := p.err(); err != nil {
		return nil, err
	}
	page, err := a.Sales.CancellationsOfRange(ctx, c.actor, f)
	if err != nil {
		return nil, a.inQuery(c, err, in.Cursor)
	}
	out := &shapes.Cancellations{From: string(f.From), To: string(f.To), Items: make([]shapes.Cancellation, len(page.Found)), Next: page.Next}
	for i := range page.Found {
		out.Items[i] = cancellationOf(ctx, dir, &page.Found[i].Sale, page.Found[i].Cancellation)
	}
	return &output{http.StatusOK, out}, nil
}

// storesInput are the parameters of GET /api/v1/stores.
type storesInput struct {
	Limit  string `query:"limit" doc:"api.doc.query.listLimit" pattern:"^[0-9]{1,3}$" example:"100"`
	Cursor string `query:"cursor" doc:"api.doc.query.cursor" maxLength:"200"`
}

// listStores handles GET /api/v1/stores, by code as people count. They are in memory.
func (a *API) listStores(ctx context.Context, in *storesInput) (*output, error) {
	c := callOf(ctx)
	dir, err := a.Directory(ctx)
	if err != nil {
		return nil, err
	}
	p := &listParams{api: a, c: c, dir: dir}
	size := p.size(in.Limit)
	if err := p.err(); err != nil {
		return nil, err
	}
	visible := dir.Visible(c.actor)
	if in.Cursor != "" {
		var behind models.Store
		if err := database.DecodeCursor(in.Cursor, &behind.Code); err != nil {
			return nil, a.inQuery(c, err, in.Cursor)
		}
		first := slices.IndexFunc(visible, func(s models.Store) bool { return models.ByCode(s, behind) > 0 })
		if visible = visible[max(first, 0):]; first < 0 {
			visible = nil
		}
	}
	out := &shapes.Stores{Items: []shapes.Store{}}
	if len(visible) > size {
		visible = visible[:size]
		out.Next = database.EncodeCursor(visible[size-1].Code)
	}
	for _, s := range visible {
		out.Items = append(out.Items, storeOf(&s))
	}
	return &output{http.StatusOK, out}, nil
}

func storeOf(s *models.Store) shapes.Store {
	return shapes.Store{
		StoreNumber: s.ID, Store: s.Code, StoreName: s.Name, TimeZone: s.TimeZone, CreatedAt: s.CreatedAt.UTC(), Version: s.Version,
	}
}

// terminalsInput are the parameters of GET /api/v1/terminals.
type terminalsInput struct {
	Store  string `query:"store" doc:"api.doc.query.store" maxLength:"20" example:"ROMA-01"`
	State  string `query:"state" doc:"api.doc.query.terminalState" enum:"active,retired" example:"active"`
	Limit  string `query:"limit" doc:"api.doc.query.listLimit" pattern:"^[0-9]{1,3}$" example:"100"`
	Cursor string `query:"cursor" doc:"api.doc.query.cursor" maxLength:"200"`
}

// listTerminals handles GET /api/v1/terminals.
func (a *API) listTerminals(ctx context.Context, in *terminalsInput) (*output, error) {
	c := callOf(ctx)
	dir, err := a.Directory(ctx)
	if err != nil {
		return nil, err
	}
	p := &listParams{api: a, c: c, dir: dir}
	f := terminals.ListFilter{
		StoreID: p.store(in.Store), State: terminals.StatusFilter(in.State), Cursor: in.Cursor, Size: p.size(in.Limit),
	}
	if f.State != "" && f.State != terminals.Active && f.State != terminals.Retired {
		p.wrong("state", "state.invalid", in.State)
	}
	if err := p.err(); err != nil {
		return nil, err
	}
	page, next, err := a.Terminals.List(ctx, c.actor, f)
	if err != nil {
		return nil, a.inQuery(c, err, in.Cursor)
	}
	out := &shapes.Terminals{Items: make([]shapes.Terminal, len(page)), Next: next}
	for i := range page {
		out.Items[i] = terminalOf(dir, &page[i])
	}
	return &output{http.StatusOK, out}, nil
}

func terminalOf(dir *terminals.Directory, t *terminals.Listed) shapes.Terminal {
	out := shapes.Terminal{
		SerialNumber: string(t.SerialNumber), Label: t.Label, StoreID: t.MerchantID,
		Since: inUTC(t.Since), RetiredAt: inUTC(t.RetiredAt), LastResultAt: inUTC(t.LastResultAt),
		Version: t.Version,
	}
	if s := dir.Stores[t.StoreID]; s != nil {
		out.Store, out.StoreName = s.Code, s.Name
	}
	return out
}

func inUTC(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	return new(t.UTC())
}

// listReasons handles GET /api/v1/reasons. They are few, and come at once; those that are
// not in use any more name old cancellations.
func (a *API) listReasons(ctx context.Context, _ *struct{}) (*output, error) {
	all, err := a.Rules.AllReasons(ctx)
	if err != nil {
		return nil, err
	}
	out := &shapes.Reasons{Items: make([]shapes.Reason, len(all))}
	for i, r := range all {
		out.Items[i] = shapes.Reason{
			Code: r.Code, LabelES: r.LabelES, LabelEN: r.LabelEN, NeedsNote: r.Code == models.ReasonOther, InUse: r.RetiredAt == nil,
		}
	}
	return &output{http.StatusOK, out}, nil
}
