package changes

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models"
	"veinte/models/database"
	"veinte/models/sales"
)

// ResultFacts are what a program may know of a terminal's post. What the terminal wrote is
// not there: only what was read of it.
type ResultFacts struct {
	ID             int64
	ReceivedAt     time.Time
	Kind           models.ResultKind
	Status         models.ResultStatus
	Note           string
	StoreID        int64 // 0 when it belongs to none
	SerialNumber   string
	MerchantID     string
	OrderID        string
	Folio          string
	Last4          string
	Amount         *models.Money
	ResponseCode   string
	SaleID         *int64
	CancellationID *int64
}

// fill reads the rows of a page as they are now, in one round trip. One that was removed
// since is left out: that it was removed comes later.
func (s *Service) fill(ctx context.Context, page *Page) error {
	ids := map[Kind][]int64{}
	for _, c := range page.Changes {
		ids[c.Kind] = append(ids[c.Kind], c.ID)
	}
	sold, canceled, posted := map[int64]*models.Sale{}, map[int64]*sales.Found{}, map[int64]*ResultFacts{}
	batch := &pgx.Batch{}
	if len(ids[Sale]) > 0 {
		sales.QueueSales(batch, ids[Sale], func(s *models.Sale) { sold[s.ID] = s })
	}
	if len(ids[Cancellation]) > 0 {
		sales.QueueCancellations(batch, ids[Cancellation], func(f *sales.Found) { canceled[f.Cancellation.ID] = f })
	}
	if len(ids[Result]) > 0 {
		batch.Queue(`SELECT id, received_at, kind, status, note, coalesce(`+database.ResultStoreSQL+`, 0) AS store_id, serial_number,
			merchant_id, order_id, folio, last4, amount, response_code, sale_id, cancellation_id FROM results WHERE id = ANY($1)`,
			ids[Result]).Query(func(rows pgx.Rows) error {
			all, err := pgx.CollectRows(rows, pgx.RowToAddrOfStructByName[ResultFacts])
			for _, r := range all {
				posted[r.ID] = r
			}
			return err
		})
	}
	if batch.Len() > 0 {
		if err := s.db.SendBatch(ctx, batch); err != nil {
			return fmt.Errorf("read what changed: %w", err)
		}
	}
	for i := range page.Changes {
		c := &page.Changes[i]
		switch c.Kind {
		case Sale:
			c.Sale = sold[c.ID]
		case Cancellation:
			c.Cancellation = canceled[c.ID]
		case Result:
			c.Result = posted[c.ID]
		}
	}
	page.Changes = slices.DeleteFunc(page.Changes, func(c Change) bool {
		return c.Kind != RemovedSale && c.Sale == nil && c.Cancellation == nil && c.Result == nil
	})
	return nil
}
