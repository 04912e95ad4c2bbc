// Package changes follows sales, cancellations and results as they change, for programs
// that keep a copy of them. It reads, and changes nothing.
package changes

import (
	"context"
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"veinte/models"
	"veinte/models/database"
	"veinte/models/sales"
)

// Kind is of what there is a change.
type Kind string

// The kinds. What one transaction changed is followed in this order.
const (
	Sale         Kind = "sale"
	RemovedSale  Kind = "saleRemoved" // taken back: it is in no list any more
	Cancellation Kind = "cancellation"
	Result       Kind = "result" // what a terminal posted, and what was made of it
)

// Kinds are all of them, in their order.
var Kinds = []Kind{Sale, RemovedSale, Cancellation, Result}

// Change is one row as it is now, at the place of its latest change. Only the field of
// its kind is there.
type Change struct {
	Kind         Kind
	Cursor       string // behind it
	ID           int64
	Sale         *models.Sale
	Cancellation *sales.Found
	Result       *ResultFacts
}

// Page is a piece of what changed.
type Page struct {
	Changes []Change
	After   string // where the next piece begins; unchanged when nothing has changed
	More    bool   // there may be more already
	// Again is that the cursor was of another state of the database: a server that took
	// over may lack what the one before had committed last. The piece begins earlier,
	// so that nothing of what came after is missed.
	Again bool
}

// Service follows changes.
type Service struct{ db *database.DB }

// New returns a Service.
func New(db *database.DB) *Service { return &Service{db: db} }

// The bounds of a piece.
const (
	// MaxPage is how many changes a piece has at most.
	MaxPage = 500
	// scanned is how many rows are read for a piece when the actor sees only some stores:
	// what a small store waits for is bounded, however much the others sell.
	scanned = 5000
)

// Follow returns what changed after a cursor, "" for the beginning, within the actor's
// stores: each row as it is now, in the order of transactions, and below the oldest one
// that is still running. Neither time nor number is an order in which nothing is missed: a
// transaction that began first may commit last. kinds are those that are wanted; none for
// all.
//
// A row that changes while somebody reads on moves behind what they have read, so that it
// comes again; it is never passed over.
//
// Errors: ErrForbidden, cursor.invalid.
func (s *Service) Follow(ctx context.Context, actor models.Actor, after string, kinds []Kind, most int) (*Page, error) {
	if !actor.May(models.FollowChanges) {
		return nil, models.ErrForbidden
	}
	from, err := parsePosition(after)
	if err != nil {
		return nil, err
	}
	most = min(max(most, 1), MaxPage)
	rows, lived, err := s.places(ctx, actor, from, kinds, most)
	if err != nil {
		return nil, err
	}
	page := &Page{After: after}
	if from.lived != lived && after != "" {
		page.Again = true
		if from, err = s.before(ctx, from); err != nil {
			return nil, err
		}
		if rows, lived, err = s.places(ctx, actor, from, kinds, most); err != nil {
			return nil, err
		}
		from.lived = lived
		page.After = from.cursor()
	}
	read := 0
	for _, r := range rows {
		if len(page.Changes) == most {
			break
		}
		read++
		at := position{lived: lived, era: r.Era, txid: r.Txid, kind: r.Kind, id: r.ID}
		page.After = at.cursor()
		if actor.Sees(r.StoreID) {
			page.Changes = append(page.Changes, Change{Kind: Kinds[r.Kind], Cursor: page.After, ID: r.ID})
		}
	}
	page.More = read < len(rows) || len(rows) == window(actor, most)
	if err := s.fill(ctx, page); err != nil {
		return nil, err
	}
	return page, nil
}

// window is how many rows are looked at for a piece.
func window(actor models.Actor, most int) int {
	if actor.AllStores {
		return most
	}
	return max(most, scanned)
}

// place is a changed row: where it stands in the order, and whose it is.
type place struct {
	Kind    int
	Era     int
	Txid    string
	ID      int64
	StoreID int64
}

// tables are where the kinds are: table, number, and store of a row.
var tables = map[Kind][3]string{
	Sale:         {"sales", "id", "store_id"},
	RemovedSale:  {"undone_sales", "sale_id", "(sale->>'store_id')::bigint"},
	Cancellation: {"cancellations", "id", "store_id"},
	Result:       {"results", "id", "coalesce(" + database.ResultStoreSQL + ", 0)"},
}

// places lists the next rows, and says in how many databases this installation has lived.
// The horizon is that of the statement's own snapshot. Limits are part of the text: with a
// parameter the planner would expect a tenth of the tables, and sort them.
func (s *Service) places(
	ctx context.Context, actor models.Actor, from position, kinds []Kind, most int,
) (rows []place, lived int64, err error) {
	limit := window(actor, most)
	args := []any{from.era, from.txid}
	var parts []string
	for i, kind := range Kinds {
		if len(kinds) > 0 && !slices.Contains(kinds, kind) && (kind != RemovedSale || !slices.Contains(kinds, Sale)) {
			continue
		}
		t := tables[kind]
		args = append(args, from.behind(i))
		parts = append(parts, fmt.Sprintf(`(SELECT %d AS kind, changed_era AS era, changed_txid, %s AS id, %s AS store_id FROM %s
			WHERE (changed_era, changed_txid, %[2]s) > ($1, $2::text::xid8, $%[5]d)
				AND (changed_era, changed_txid) < ((SELECT era FROM until), (SELECT txid FROM until))
			ORDER BY changed_era, changed_txid, %[2]s LIMIT %[6]d)`, i, t[1], t[2], t[0], len(args), limit))
	}
	batch := &pgx.Batch{}
	batch.Queue(`SELECT coalesce(max(id), 0) FROM database_changes`).QueryRow(func(row pgx.Row) error { return row.Scan(&lived) })
	batch.Queue(fmt.Sprintf(`WITH until AS MATERIALIZED (SELECT trail_era() AS era, pg_snapshot_xmin(pg_current_snapshot()) AS txid)
		SELECT kind, era, changed_txid::text AS txid, id, store_id FROM (%s) changed
		ORDER BY era, changed_txid, kind, id LIMIT %d`, strings.Join(parts, " UNION ALL "), limit), args...).
		Query(func(found pgx.Rows) (err error) {
			rows, err = pgx.CollectRows(found, pgx.RowToStructByName[place])
			return err
		})
	if err := s.db.SendBatch(ctx, batch); err != nil {
		return nil, 0, fmt.Errorf("follow changes: %w", err)
	}
	return rows, lived, nil
}

// before is where to begin when the database was replaced since a position was given out.
// Whatever the new one did, it did after it was noticed, or shortly before: servers look
// when they connect. An hour is plenty, and what comes twice does no harm.
func (s *Service) before(ctx context.Context, from position) (position, error) {
	var era int
	var txid string
	err := s.db.QueryRow(ctx, `SELECT era, txid::text FROM audit_entries
		WHERE at < (SELECT min(noticed_at) FROM database_changes WHERE id > $1) - interval '1 hour'
		ORDER BY at DESC, id DESC LIMIT 1`, from.lived).Scan(&era, &txid)
	switch err = database.NoRows(err); {
	case err == models.ErrNotFound:
		return position{txid: "0", kind: -1}, nil
	case err != nil:
		return from, fmt.Errorf("find where the database was replaced: %w", err)
	}
	earlier := position{era: era, txid: txid, kind: -1}
	if from.less(earlier) {
		return from, nil
	}
	return earlier, nil
}

// position is a place in the order of changes.
type position struct {
	lived int64 // how many databases there had been when it was given out
	era   int
	txid  string
	kind  int // of Kinds; -1: before all of the transaction
	id    int64
}

// behind is the number of a kind behind which the next rows of the transaction are.
func (p position) behind(kind int) int64 {
	switch {
	case kind < p.kind:
		return math.MaxInt64
	case kind > p.kind:
		return -1
	}
	return p.id
}

// less reports whether a position is of an earlier transaction.
func (p position) less(q position) bool {
	a, _ := strconv.ParseUint(p.txid, 10, 64)
	b, _ := strconv.ParseUint(q.txid, 10, 64)
	return p.era < q.era || p.era == q.era && a < b
}

func (p position) cursor() string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "c%d.%d.%s.%d.%d", p.lived, p.era, p.txid, p.kind, p.id))
}

func parsePosition(cursor string) (position, error) {
	p := position{txid: "0", kind: -1}
	if cursor == "" {
		return p, nil
	}
	invalid := models.Invalid("after", "cursor.invalid")
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	text, marked := strings.CutPrefix(string(raw), "c")
	parts := strings.Split(text, ".")
	if err != nil || !marked || len(parts) != 5 {
		return p, invalid
	}
	var numbers [5]int64
	for i, part := range parts {
		if numbers[i], err = strconv.ParseInt(part, 10, 64); err != nil || numbers[i] < -1 || numbers[i] < 0 && i != 3 {
			return p, invalid
		}
	}
	if numbers[1] > math.MaxInt32 || numbers[3] >= int64(len(Kinds)) {
		return p, invalid
	}
	return position{
		lived: numbers[0], era: int(numbers[1]), txid: strconv.FormatInt(numbers[2], 10), kind: int(numbers[3]), id: numbers[4],
	}, nil
}
