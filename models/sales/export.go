package sales

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/audit/export"
	"veinte/models/database"
)

// ExportFilter is what is exported: the filter of the list, on any range of days.
type ExportFilter struct {
	Filter
	From, To models.Day // both included; From may be empty: from the first sale on
}

// ParseExport reads an export's filter: the names of the list's filter, and from and
// to. A single date is a range of one day; without any day it is today.
func ParseExport(typed func(name string) string, now time.Time, today models.Day) (ExportFilter, []*models.Error) {
	p := audit.FilterParser{Typed: typed, Now: now}
	f := ExportFilter{From: p.Day("from"), To: p.Day("to")}
	p.Judge(f.From == "" || f.To == "" || f.From <= f.To, "to", "auditFilter.toBeforeFrom")
	var wrong []*models.Error
	f.Filter, wrong = ParseFilter(typed, now)
	switch ranged := f.From != "" || f.To != ""; {
	case !ranged && f.Day != "":
		f.From, f.To = f.Day, f.Day
	case !ranged:
		f.From, f.To = today, today
	case f.To == "":
		f.To = today
	}
	f.Day = ""
	return f, append(wrong, p.Wrong...)
}

// Values returns the name and text of each part that filters.
func (f *ExportFilter) Values() [][2]string {
	values := f.Filter.Values()
	for _, day := range [][2]string{{"from", string(f.From)}, {"to", string(f.To)}} {
		if day[1] != "" {
			values = append(values, day)
		}
	}
	return values
}

// Attributes is the filter as the trail records it.
func (f *ExportFilter) Attributes() map[string]any {
	attributes := f.Filter.Attributes()
	for _, day := range [][2]string{{"from", string(f.From)}, {"to", string(f.To)}} {
		if day[1] != "" {
			attributes[day[0]] = day[1]
		}
	}
	return attributes
}

// ExportRow is a sale as a file has it, with its latest cancellation.
type ExportRow struct {
	models.Sale
	TerminalLabel   string
	CancellationID  int64 // 0: none was ever asked for
	CancellationNow models.State
	Detail          models.Detail // what led to that state
	Requester       string        // a person or a program; "" when it was canceled on the terminal itself
	Reason          string        // code
	Note            string
	RequestedAt     *time.Time
	ChangedAt       *time.Time
	CanceledFolio   string // of the terminal's result about the cancellation
}

// exportColumns are the columns of an ExportRow: of sale s, its terminal t, its latest
// cancellation c and the terminal's result r about that.
var exportColumns = append(saleOfExport(listedColumns), database.Columns[ExportRow]{
	{Name: "terminal_label", SQL: "t.label", At: func(r *ExportRow) any { return &r.TerminalLabel }},
	{Name: "cancellation_id", SQL: "coalesce(c.id, 0)", At: func(r *ExportRow) any { return &r.CancellationID }},
	{Name: "cancellation_now", SQL: "coalesce(c.state, '')", At: func(r *ExportRow) any { return &r.CancellationNow }},
	{Name: "detail", SQL: "coalesce(c.detail, '')", At: func(r *ExportRow) any { return &r.Detail }},
	{Name: "requester", SQL: "coalesce(c.requester, '')", At: func(r *ExportRow) any { return &r.Requester }},
	{Name: "reason", SQL: "coalesce(c.reason, '')", At: func(r *ExportRow) any { return &r.Reason }},
	{Name: "note", SQL: "coalesce(c.note, '')", At: func(r *ExportRow) any { return &r.Note }},
	{Name: "requested_at", SQL: "c.requested_at", At: func(r *ExportRow) any { return &r.RequestedAt }},
	{Name: "changed_at", SQL: "c.changed_at", At: func(r *ExportRow) any { return &r.ChangedAt }},
	{Name: "canceled_folio", SQL: "coalesce(r.folio, '')", At: func(r *ExportRow) any { return &r.CanceledFolio }},
}...)

func saleOfExport(columns database.Columns[models.Sale]) database.Columns[ExportRow] {
	all := database.Within(func(r *ExportRow) *models.Sale { return &r.Sale }, columns)
	for i := range all {
		all[i].SQL = "s." + all[i].Name
	}
	return all
}

// FileWriter writes sales as a file, while it is streamed.
type FileWriter interface {
	Begin() error
	Sale(r *ExportRow) error // the row is another one at the next call
	End(t ExportTotals) error
	export.Breakable
}

// ExportTotals is the summary at the end of a file.
type ExportTotals struct {
	Sales, Canceled        int64
	Amount, CanceledAmount models.Money
}

// Exporter writes sales as files, by the rules and limits of the trail's exports.
type Exporter struct {
	sales *Service
	files *export.Service
}

// NewExporter makes it.
func NewExporter(s *Service, files *export.Service) *Exporter { return &Exporter{s, files} }

// Estimate returns about how many sales a filter matches.
//
// Errors: ErrForbidden, ErrNotFound for a store outside the scope.
func (x *Exporter) Estimate(ctx context.Context, actor models.Actor, f ExportFilter) (export.Count, error) {
	if !actor.May(models.ViewSales) {
		return export.Count{}, models.ErrForbidden
	}
	stores, err := x.sales.terminals.Scope(ctx, actor, f.StoreID)
	if err != nil {
		return export.Count{}, err
	}
	q := x.sales.rangeQuery(stores, f)
	return x.files.Estimate(ctx, "sales s", strings.TrimPrefix(q.where.String(), " AND "), q.args)
}

// rangeQuery is the condition of a filter on all of its days.
func (s *Service) rangeQuery(stores []int64, f ExportFilter) *query {
	q := &query{}
	q.and("s.business_day <= ?", string(f.To))
	if f.From != "" {
		q.and("s.business_day >= ?", string(f.From))
	}
	today := s.window().Calendar.Day(s.clock.Now())
	q.filter(stores, f.Filter, s.openOn(today))
	q.terminal(f.TerminalID)
	return q
}

// Start records that somebody exports sales, before the first of them is sent.
//
// Errors: ErrForbidden, ErrNotFound for a store outside the scope,
// export.ErrTooManyExports.
func (x *Exporter) Start(
	ctx context.Context, actor models.Actor, format export.Format, f ExportFilter, query string,
) (*export.Export, error) {
	count, err := x.Estimate(ctx, actor, f)
	if err != nil {
		return nil, err
	}
	return x.files.Start(ctx, actor, export.Order{
		Subject: export.Sales, Format: format, Query: query, Filters: f.Attributes(), Expected: count.Entries,
	})
}

// Refused records that a file was asked for that cannot be made.
func (x *Exporter) Refused(ctx context.Context, actor models.Actor, format export.Format, f ExportFilter, refusal error) error {
	return x.files.Refused(ctx, actor, export.Order{Subject: export.Sales, Format: format, Filters: f.Attributes()}, refusal)
}

// Run writes the sales that the filter matches, the oldest first, and records the
// result. It reads one snapshot, day by day and row by row: each day is in the order of
// its index, so that a million rows are sorted nowhere.
func (x *Exporter) Run(ctx context.Context, actor models.Actor, of *export.Export, f ExportFilter, out FileWriter) error {
	return x.files.Run(ctx, actor, of, out, func(ctx context.Context, tx pgx.Tx, written *atomic.Int64) error {
		stores, err := x.sales.terminals.Scope(ctx, actor, f.StoreID)
		if err != nil {
			return err
		}
		first, last, err := daysOf(ctx, tx, stores, f)
		if err != nil {
			return err
		}
		if err := out.Begin(); err != nil {
			return err
		}
		var totals ExportTotals
		for day := first; day != "" && day <= last; day = day.Next() {
			if err := x.sales.writeDay(ctx, tx, stores, day, f, &totals, written, out); err != nil {
				return fmt.Errorf("pass on the sales of %s: %w", day, err)
			}
		}
		return out.End(totals)
	})
}

// daysOf narrows a range to the days that have sales at all; "" when none has.
func daysOf(ctx context.Context, tx pgx.Tx, stores []int64, f ExportFilter) (first, last models.Day, err error) {
	from := f.From
	if from == "" {
		from = "0001-01-01"
	}
	row := tx.QueryRow(ctx, `SELECT coalesce(min(business_day)::text, ''), coalesce(max(business_day)::text, '') FROM day_totals
		WHERE store_id = ANY($1) AND business_day BETWEEN $2 AND $3`, stores, string(from), string(f.To))
	if err := row.Scan(&first, &last); err != nil {
		return "", "", fmt.Errorf("find the days of an export: %w", err)
	}
	return first, last, nil
}

// writeDay writes the sales of one day.
func (s *Service) writeDay(
	ctx context.Context, tx pgx.Tx, stores []int64, day models.Day, f ExportFilter,
	totals *ExportTotals, written *atomic.Int64, out FileWriter,
) error {
	f.Day = day
	q := s.saleQuery(stores, f.Filter)
	q.terminal(f.TerminalID)
	now, window := s.clock.Now(), s.window()
	rows, _ := tx.Query(ctx, `SELECT `+exportColumns.Values()+`
		FROM sales s JOIN terminals t ON t.id = s.terminal_id
		LEFT JOIN LATERAL (
			SELECT id, state, detail, requester, reason, note, requested_at, changed_at FROM cancellations
			WHERE sale_id = s.id AND s.state <> `+models.CancelableSQL+` ORDER BY id DESC LIMIT 1
		) c ON true
		LEFT JOIN LATERAL (
			SELECT folio FROM results WHERE sale_id = s.id AND cancellation_id = c.id AND folio <> '' ORDER BY id DESC LIMIT 1
		) r ON true
		WHERE s.business_day = $1`+q.where.String()+` ORDER BY s.sold_at, s.id`, q.args...)
	return exportColumns.Each(rows, func(r *ExportRow) error {
		totals.Sales++
		totals.Amount += r.Amount
		if r.State == models.SaleConfirmed {
			totals.Canceled++
			totals.CanceledAmount += r.Amount
		}
		r.State = r.Shown(window, now)
		written.Store(totals.Sales)
		return out.Sale(r)
	})
}
