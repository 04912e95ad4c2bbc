package changes_test

import (
	"context"
	"database/sql"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/changes"
	"veinte/models/modelstest"
)

// program is one that may follow changes, of all stores or of some.
func program(stores ...*models.Store) models.Actor {
	a := models.Actor{
		UserID: 1, Name: "Almacén de datos", Role: models.Integration, AllStores: len(stores) == 0,
		Grants: []models.Permission{models.FollowChanges},
	}
	for _, s := range stores {
		a.StoreIDs = append(a.StoreIDs, s.ID)
	}
	return a
}

// follow reads on until nothing more is there at the moment.
func follow(t *testing.T, o *modelstest.Office, who models.Actor, after string, size int) (seen []changes.Change, next string) {
	t.Helper()
	for {
		page, err := o.Changes.Follow(t.Context(), who, after, nil, size)
		if err != nil {
			t.Fatalf("Follow() = %v", err)
		}
		seen, after = append(seen, page.Changes...), page.After
		if !page.More {
			return seen, after
		}
	}
}

// settled follows until the change of a sale has come: transactions of other tests hold
// the order up.
func settled(t *testing.T, o *modelstest.Office, who models.Actor, after string, sale int64) (seen []changes.Change, next string) {
	t.Helper()
	modelstest.WaitFor(t, fmt.Sprintf("the change of sale %d", sale), func() bool {
		more, next := follow(t, o, who, after, 50)
		seen, after = append(seen, more...), next
		return slices.ContainsFunc(more, func(c changes.Change) bool { return c.Kind == changes.Sale && c.ID == sale })
	})
	return seen, after
}

func said(seen []changes.Change) string {
	var all []string
	for _, c := range seen {
		text := fmt.Sprint(c.Kind, " ", c.ID)
		switch {
		case c.Sale != nil:
			text += " " + string(c.Sale.State)
		case c.Cancellation != nil:
			text += " " + string(c.Cancellation.Cancellation.State)
		case c.Result != nil:
			text += " " + string(c.Result.Status)
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

// TestEachChangeComesOnce: what is there comes once, and again when it changes.
func TestEachChangeComesOnce(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	who := program()
	sale := o.Sale(5000)
	seen, after := settled(t, o, who, "", sale.ID)
	if got, want := said(seen), fmt.Sprintf("sale %d cancelable, result 1 applied", sale.ID); got != want {
		t.Errorf("at first came %q, want %q", got, want)
	}
	if again, _ := follow(t, o, who, after, 1); len(again) > 0 {
		t.Errorf("without a change came %q", said(again))
	}
	c := o.Request(sale)
	seen, after = settled(t, o, who, after, sale.ID)
	if got, want := said(seen), fmt.Sprintf("sale %d requested, cancellation %d requested", sale.ID, c.ID); got != want {
		t.Errorf("after a request came %q, want %q", got, want)
	}
	o.Dispatch(c.ID)
	seen, _ = settled(t, o, who, after, sale.ID)
	if got, want := said(seen), fmt.Sprintf("sale %d accepted, cancellation %d accepted", sale.ID, c.ID); !strings.HasSuffix(got, want) {
		t.Errorf("after it was sent came %q, want %q at the end", got, want)
	}
}

// TestARemovedSaleIsTold: whoever keeps a copy learns that a sale is gone.
func TestARemovedSaleIsTold(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	copies(t, o, "'GONE'", 1)
	gone := o.FindSale("GONE")
	who, there := program(o.Store), program(o.Branch(t).Store)
	_, after := settled(t, o, who, "", gone.ID)
	modelstest.Exec(t, o.Owner, `WITH gone AS (DELETE FROM sales WHERE id = $1 RETURNING *)
		INSERT INTO undone_sales (sale_id, undone_at, sale) SELECT id, now(), to_jsonb(gone) FROM gone`, gone.ID)
	mark := o.Sale(200)
	seen, _ := settled(t, o, who, after, mark.ID)
	if got, want := said(seen), fmt.Sprintf("saleRemoved %d, ", gone.ID); !strings.HasPrefix(got, want) {
		t.Errorf("after a sale was taken back came %q, want %q first", got, want)
	}
	if seen, _ := follow(t, o, there, "", 50); len(seen) > 0 {
		t.Errorf("a key of another store gets %q", said(seen))
	}
}

// copies makes sales like one of the office's terminal, with order numbers of their own.
func copies(t *testing.T, o *modelstest.Office, order string, count int) {
	t.Helper()
	modelstest.Exec(t, o.Owner, `INSERT INTO sales (store_id, terminal_id, serial_number, merchant_id, order_id, amount, currency, sold_at,
			received_at, business_day, cutoff_at, last4, card_brand, auth_code, folio, source, recorded_by)
		SELECT store_id, terminal_id, serial_number, merchant_id, `+order+`, amount, currency, sold_at,
			received_at, business_day, cutoff_at, last4, card_brand, auth_code, folio, 'api', 'x'
		FROM sales, generate_series(1, $2) n WHERE id = $1`, o.Sale(100).ID, count)
}

// TestAStoreFollowsItsOwn: rows of other stores are passed over, however many there are,
// and not read again.
func TestAStoreFollowsItsOwn(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	there := o.Branch(t)
	for range 30 {
		o.Sale(100)
	}
	own := there.Sale(700)
	seen, after := settled(t, o, program(there.Store), "", own.ID)
	if got, want := said(seen), fmt.Sprintf("sale %d cancelable, result 31 applied", own.ID); got != want {
		t.Errorf("a key of one store gets %q, want %q", got, want)
	}
	all, last := follow(t, o, program(), "", 7)
	if len(all) != 62 || last != after {
		t.Errorf("a key of all stores gets %d changes and ends at %s, want 62 and %s", len(all), last, after)
	}
}

// TestNoChangeIsPassedOver changes sales in transactions that overlap, wait and roll back,
// while a program follows: what it knows in the end is what is there. By the highest number
// that was seen, as anybody would follow at first, it misses some.
func TestNoChangeIsPassedOver(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	copies(t, o, "'W-' || n", writers*written)
	first := modelstest.Scan[int64](t, o.Owner, `SELECT min(id) FROM sales WHERE order_id LIKE 'W-%'`)
	var ids []int64
	for i := range int64(writers * written) {
		ids = append(ids, first+i)
	}
	// What a program has without the order of commits: the highest transaction so far.
	modelstest.Exec(t, o.Owner, `CREATE VIEW naive AS SELECT changed_txid::text::bigint AS n, id, folio FROM sales`)
	ctx, over := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() { write(t, o.Owner, ids[w*written:(w+1)*written], w) })
	}
	go func() { wg.Wait(); over() }()
	followed, naive, highest := map[int64]string{}, map[int64]string{}, int64(0)
	after, who := "", program()
	for ctx.Err() == nil {
		page, err := o.Changes.Follow(t.Context(), who, after, nil, 5)
		if err != nil {
			t.Fatalf("Follow() = %v", err)
		}
		after = page.After
		know(followed, page.Changes)
		highest = byNumber(t, o.Owner, naive, highest)
	}
	mark := o.Sale(200)
	rest, _ := settled(t, o, who, after, mark.ID)
	know(followed, rest)
	byNumber(t, o.Owner, naive, highest)
	missed := 0
	for _, id := range ids {
		want := modelstest.Scan[string](t, o.Owner, fmt.Sprintf(`SELECT folio FROM sales WHERE id = %d`, id))
		if followed[id] != want {
			t.Errorf("of sale %d the program knows %q, and it is %q", id, followed[id], want)
		}
		if naive[id] != want {
			missed++
		}
	}
	if missed == 0 {
		t.Errorf("by number alone nothing was missed: the test tries too little")
	}
	t.Logf("by number alone %d of %d sales were missed", missed, len(ids))
}

// How many write at once, and how many sales each.
const writers, written = 6, 25

// write changes the folio of sales, each once, in transactions that have their
// number long before they end.
func write(t *testing.T, owner *sql.DB, ids []int64, w int) {
	random := rand.New(rand.NewPCG(uint64(w), 20))
	for i, id := range ids {
		tx, err := owner.Begin()
		if err != nil {
			t.Error(err)
			return
		}
		_, err = tx.Exec(`UPDATE sales SET folio = $2 WHERE id = $1`, id, fmt.Sprintf("F-%d-%d", w, i))
		if err == nil {
			_, err = tx.Exec(`SELECT pg_sleep($1)`, random.Float64()*0.03) // it works on for as long
		}
		if err != nil || i%5 == 4 {
			err = tx.Rollback()
		} else {
			err = tx.Commit()
		}
		if err != nil {
			t.Error(err)
		}
	}
}

func know(known map[int64]string, seen []changes.Change) {
	for _, c := range seen {
		if c.Sale != nil {
			known[c.ID] = c.Sale.Folio
		}
	}
}

// byNumber follows as if transactions ended in the order of their numbers.
func byNumber(t *testing.T, owner *sql.DB, known map[int64]string, highest int64) int64 {
	t.Helper()
	rows, err := owner.Query(`SELECT n, id, folio FROM naive WHERE n > $1 ORDER BY n`, highest)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var folio string
		if err := rows.Scan(&highest, &id, &folio); err != nil {
			t.Fatal(err)
		}
		known[id] = folio
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return highest
}

// TestANewDatabaseBeginsEarlier: a cursor of a database that was replaced may be ahead of
// what the new one does next. It begins an hour before that was noticed.
func TestANewDatabaseBeginsEarlier(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	who := program()
	first := o.Sale(100)
	settled(t, o, who, "", first.ID)
	lived := modelstest.Scan[int64](t, o.Owner, `SELECT coalesce(max(id), 0) FROM database_changes`)
	ahead := base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "c%d.1.9000000000000000000.3.9", lived))
	if page, err := o.Changes.Follow(t.Context(), who, ahead, nil, 50); err != nil || len(page.Changes) > 0 || page.Again {
		t.Fatalf("from ahead = %+v, %v, want nothing", page, err)
	}
	modelstest.Exec(t, o.Owner, fmt.Sprintf(`INSERT INTO database_changes (identity, cause, doubts, noticed_at)
		VALUES ('another', 'promoted', 0, '%s')`, o.Clock.Now().Format(time.RFC3339)))
	page, err := o.Changes.Follow(t.Context(), who, ahead, nil, 50)
	if err != nil || !page.Again || !strings.Contains(said(page.Changes), fmt.Sprintf("sale %d ", first.ID)) {
		t.Errorf("in a new database = %+v, %v, want what there is and that it comes again", page, err)
	}
	next, err := o.Changes.Follow(t.Context(), who, page.After, nil, 50)
	if err != nil || next.Again || len(next.Changes) > 0 {
		t.Errorf("after it = %+v, %v, want nothing", next, err)
	}
}

// TestOddCursors: what nobody gave out is refused, and asks the database nothing.
func TestOddCursors(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	for _, text := range []string{
		"c", "c1.1.5.3", "c1.1.5.3.9.9", "c1.1.5.4.9", "c1.1.5.-2.9", "c1.1.-5.3.9", "c1.9999999999.5.3.9", "t5.9", "c1.1.x.3.9",
		"c1.1.9223372036854775808.3.9", "c-1.1.5.3.9", "c1.1.5.3.-1",
	} {
		cursor := base64.RawURLEncoding.EncodeToString([]byte(text))
		_, err := o.Changes.Follow(t.Context(), program(), cursor, nil, 5)
		if !modelstest.IsError(err, models.Invalid("after", "cursor.invalid")) {
			t.Errorf("Follow(%s) = %v, want cursor.invalid", text, err)
		}
	}
	if _, err := o.Changes.Follow(t.Context(), o.Manager, "", nil, 5); err != models.ErrForbidden {
		t.Errorf("a person follows: %v, want ErrForbidden", err)
	}
}
