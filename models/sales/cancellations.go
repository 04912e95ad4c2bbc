package sales

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models"
	"veinte/models/database"
)

// CancellationPage is a page of the cancellations of a range, each with its sale.
type CancellationPage struct {
	Found []Found
	Next  string // cursor of the next page; "" at the end
}

// CancellationsOfRange returns a page of the cancellations that the actor may see of the
// sales of a range of days, by day and number, the latest first, in one statement.
//
// Errors: ErrNotFound for a store outside the actor's scope, cursor.invalid.
func (s *Service) CancellationsOfRange(ctx context.Context, actor models.Actor, f RangeFilter) (*CancellationPage, error) {
	zone := s.window().Calendar.Zone()
	behind, err := parseRangeCursor(f.Cursor, rangeCursor{At: after})
	if err != nil {
		return nil, err
	}
	q := &query{args: []any{f.From.Time(zone), f.To.Next().Time(zone), behind.At, behind.ID}}
	if err := q.within(actor, f.StoreID); err != nil {
		return nil, err
	}
	q.terminal(f.TerminalID)
	if f.CaseState != "" {
		q.and("s.state = ?", string(f.CaseState))
	}
	if !f.ChangedSince.IsZero() {
		q.and("s.changed_at >= ?", f.ChangedSince)
	}
	rows, err := database.Rows[cancellationRow](ctx, s.db, `SELECT `+cancellationNames+`
		FROM cancellations s JOIN sales o ON o.id = s.sale_id
		WHERE s.cutoff_at >= $1 AND s.cutoff_at < $2 AND (s.cutoff_at, s.id) < ($3, $4)`+q.where.String()+
		fmt.Sprintf(` ORDER BY s.cutoff_at DESC, s.id DESC LIMIT %d`, f.Size+1), q.args...)
	if err != nil {
		return nil, fmt.Errorf("list cancellations from %s to %s: %w", f.From, f.To, err)
	}
	page := &CancellationPage{}
	if len(rows) > f.Size {
		rows = rows[:f.Size]
		end := &rows[f.Size-1]
		page.Next = database.EncodeCursor(rangeCursor{At: end.CutoffAt, ID: end.ID})
	}
	for i := range rows {
		page.Found = append(page.Found, rows[i].found())
	}
	return page, nil
}

// cancellationRow is what a list of cancellations shows of one and of its sale.
type cancellationRow struct {
	ID, SaleID, StoreID int64
	State               models.State
	OmitReceipt         bool
	Reason, Note        string
	Requester           string
	RequestedAt         time.Time
	CutoffAt, ChangedAt time.Time
	Attempts            int
	SerialNumber        models.SerialNumber
	MerchantID, OrderID string
	Amount              models.Money
	Currency            string
}

// cancellationNames are its columns, of cancellations s and sales o.
const cancellationNames = `s.id, s.sale_id, s.store_id, s.state, s.omit_receipt, s.reason, s.note, s.requester, s.requested_at,
	s.cutoff_at, s.changed_at, s.attempts, o.serial_number, o.merchant_id, o.order_id, o.amount, o.currency`

// QueueCancellations adds a question for cancellations, each with its sale.
func QueueCancellations(batch *pgx.Batch, ids []int64, each func(*Found)) {
	batch.Queue(`SELECT `+cancellationNames+` FROM cancellations s JOIN sales o ON o.id = s.sale_id WHERE s.id = ANY($1)`, ids).
		Query(func(rows pgx.Rows) error {
			all, err := pgx.CollectRows(rows, pgx.RowToStructByName[cancellationRow])
			for i := range all {
				found := all[i].found()
				each(&found)
			}
			return err
		})
}

// QueueSales adds a question for sales.
func QueueSales(batch *pgx.Batch, ids []int64, each func(*models.Sale)) {
	batch.Queue(`SELECT `+listedColumns.Names("")+` FROM sales WHERE id = ANY($1)`, ids).Query(func(rows pgx.Rows) error {
		all, err := listedColumns.Collect(rows, nil)
		for i := range all {
			each(&all[i])
		}
		return err
	})
}

func (r *cancellationRow) found() Found {
	return Found{
		Sale: models.Sale{
			ID: r.SaleID, StoreID: r.StoreID, SerialNumber: r.SerialNumber, MerchantID: r.MerchantID, OrderID: r.OrderID,
			Amount: r.Amount, Currency: r.Currency,
		},
		Cancellation: &models.Cancellation{
			ID: r.ID, SaleID: r.SaleID, StoreID: r.StoreID, State: r.State, OmitReceipt: r.OmitReceipt, Reason: r.Reason, Note: r.Note,
			Requester: r.Requester, RequestedAt: r.RequestedAt, CutoffAt: r.CutoffAt, ChangedAt: r.ChangedAt, Attempts: r.Attempts,
		},
	}
}
