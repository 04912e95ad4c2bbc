package database_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"veinte/models"
	"veinte/models/database"
	"veinte/models/modelstest"
)

// asker notes the round trips of reads by the beginning of their transaction, which the
// statements of one round trip share.
type asker struct{ db *database.DB }

func (a asker) at(into *time.Time) func(context.Context) error {
	return func(ctx context.Context) error {
		return a.db.QueryRow(ctx, "SELECT transaction_timestamp()").Scan(into)
	}
}

func (a asker) page(t *testing.T, page func(context.Context) error) {
	t.Helper()
	if err, stale := a.db.Page(t.Context(), nil, page); err != nil || stale != nil {
		t.Fatalf("the page has the errors %v and %v, want none", err, stale)
	}
}

// TestReadsShareRoundTrips: what is asked side by side is one round trip, also by reads
// within reads and by what was begun earlier; what depends on an answer is the next.
func TestReadsShareRoundTrips(t *testing.T) {
	t.Parallel()
	a := asker{modelstest.NewDB(t)}
	var begun, row, batch, inner, other, after, second, later time.Time
	a.page(t, func(ctx context.Context) error {
		frame := database.Start(ctx, a.at(&begun))
		err := database.Together(ctx,
			func(ctx context.Context) error { // the second round trip of one is that of the other
				if err := a.at(&row)(ctx); err != nil {
					return err
				}
				return a.at(&after)(ctx)
			},
			func(ctx context.Context) error {
				b := &pgx.Batch{}
				b.Queue("SELECT transaction_timestamp()").QueryRow(func(r pgx.Row) error { return r.Scan(&batch) })
				if err := a.db.SendBatch(ctx, b); err != nil {
					return err
				}
				return a.at(&second)(ctx)
			},
			func(ctx context.Context) error { return database.Together(ctx, a.at(&inner), a.at(&other)) },
		)
		if err = errors.Join(err, frame.Wait()); err != nil {
			return err
		}
		return a.at(&later)(ctx)
	})
	for name, at := range map[string]time.Time{"what began": begun, "a batch": batch, "a read within": inner, "the other": other} {
		if !at.Equal(row) {
			t.Errorf("%s was a round trip of its own: %s, and %s", name, at, row)
		}
	}
	if !second.Equal(after) || !after.After(row) || !later.After(after) {
		t.Errorf("round trips at %s, %s (and %s), %s: want three, one after the other", row, after, second, later)
	}
}

// TestAReadKeepsItsFailure: what one read does wrong is no other's failure.
func TestAReadKeepsItsFailure(t *testing.T) {
	t.Parallel()
	a := asker{modelstest.NewDB(t)}
	fail := func(sql string, into any, err *error) func(context.Context) error {
		return func(ctx context.Context) error {
			*err = a.db.QueryRow(ctx, sql).Scan(into)
			return nil
		}
	}
	var n int
	var before, after time.Time
	var zero, none, kind, large, fine1, fine2 error
	a.page(t, func(ctx context.Context) error {
		return database.Together(ctx,
			func(ctx context.Context) error { fine1 = a.at(&before)(ctx); return nil },
			fail("SELECT 1 / (random() * 0)::int", &n, &zero),
			fail("SELECT 1 WHERE false", &n, &none),
			fail("SELECT 'text'", &n, &kind),
			func(ctx context.Context) error {
				large = a.db.QueryRow(ctx, "SELECT $1::int", int64(1)<<40).Scan(&n)
				return nil
			},
			func(ctx context.Context) error { fine2 = a.at(&after)(ctx); return nil },
		)
	})
	if fine1 != nil || fine2 != nil || before.IsZero() || after.IsZero() {
		t.Errorf("others failed too: %v, %v", fine1, fine2)
	}
	if zero == nil || !strings.Contains(zero.Error(), "division by zero") || !errors.Is(none, pgx.ErrNoRows) ||
		kind == nil || !strings.Contains(kind.Error(), "cannot scan") || large == nil || !strings.Contains(large.Error(), "encode") {
		t.Errorf("failures are %v; %v; %v; %v", zero, none, kind, large)
	}
}

// TestKeptRowsAreRead: rows in memory have the values, of every kind, that a query by
// itself has.
func TestKeptRowsAreRead(t *testing.T) {
	t.Parallel()
	a := asker{modelstest.NewDB(t)}
	type row struct {
		N        int64
		Text     string
		Maybe    *string
		At       time.Time
		Day      time.Time
		IDs      []int64
		Bytes    []byte
		Document map[string]any
		Yes      bool
	}
	const query = `SELECT n, 'año ' || n AS text, CASE WHEN n > 1 THEN 'x' END AS maybe, '2026-11-26 01:00Z'::timestamptz AS at,
		'2026-11-26'::date AS day, array[n, 7]::bigint[] AS ids, '\x00ff'::bytea AS bytes, '{"a": 1}'::jsonb AS document, n = 1 AS yes
		FROM generate_series(1, $1) n`
	want, err := database.Rows[row](t.Context(), a.db, query, 2)
	if err != nil || len(want) != 2 {
		t.Fatalf("read %v: %v", want, err)
	}
	a.page(t, func(ctx context.Context) error {
		got, err := database.Rows[row](ctx, a.db, query, 2)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("kept rows are\n%+v, want\n%+v", got, want)
		}
		if _, none := database.Row[row](ctx, a.db, query, 0); none == nil {
			t.Error("no row is one")
		}
		return err
	})
}

// TestNothingIsChangedByAStalePage: a page acts only once it is known that what it is made
// by still holds.
func TestNothingIsChangedByAStalePage(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	for _, holds := range []bool{true, false} {
		asked, ran := false, false
		confirm := func(ctx context.Context) error {
			if err := db.QueryRow(ctx, "SELECT true").Scan(&asked); err != nil || holds {
				return err
			}
			return errors.New("the session has ended")
		}
		var read int
		err, stale := db.Page(t.Context(), confirm, func(ctx context.Context) error {
			if err := db.QueryRow(ctx, "SELECT 1").Scan(&read); err != nil {
				return err
			}
			_, execErr := db.Exec(ctx, "SELECT 1")
			err := db.InTx(ctx, func(database.Tx) error {
				ran = true
				if !asked {
					t.Error("it was changed before the answer was there")
				}
				return nil
			})
			if (execErr == nil) != holds {
				t.Errorf("a statement of a page that holds=%t has the error %v", holds, execErr)
			}
			return err
		})
		if ran != holds || read != 1 || (stale == nil) != holds || errors.Is(err, database.ErrStale) == holds {
			t.Errorf("holds=%t: changed %t, read %d, errors %v and %v", holds, ran, read, err, stale)
		}
	}
}

// TestAPanicOfAReadIsThePages: it is neither lost nor ends the program, and nothing waits
// for ever.
func TestAPanicOfAReadIsThePages(t *testing.T) {
	t.Parallel()
	a := asker{modelstest.NewDB(t)}
	var at time.Time
	defer func() {
		if p, _ := recover().(string); !strings.Contains(p, "too much") || at.IsZero() {
			t.Errorf("the page panicked with %q, and read %s beside", p, at)
		}
	}()
	a.page(t, func(ctx context.Context) error {
		return database.Together(ctx, a.at(&at), func(context.Context) error { panic("too much") })
	})
}

// TestALockEndsNoPage: a read that waits for a lock of one that asks does not stop both.
func TestALockEndsNoPage(t *testing.T) {
	t.Parallel()
	a := asker{modelstest.NewDB(t)}
	var mu sync.Mutex
	locked := make(chan bool)
	var first, second time.Time
	a.page(t, func(ctx context.Context) error {
		return database.Together(ctx, func(ctx context.Context) error {
			mu.Lock()
			defer mu.Unlock()
			close(locked)
			return a.at(&first)(ctx)
		}, func(ctx context.Context) error {
			<-locked
			mu.Lock()
			defer mu.Unlock()
			return a.at(&second)(database.Alone(ctx))
		})
	})
	if !second.After(first) {
		t.Errorf("read at %s and %s", first, second)
	}
}

// TestWithoutAPageReadsFollowEachOther: what shares no round trips runs as it is written.
func TestWithoutAPageReadsFollowEachOther(t *testing.T) {
	t.Parallel()
	var order []int
	note := func(n int) func(context.Context) error {
		return func(context.Context) error { order = append(order, n); return nil }
	}
	task := database.Start(t.Context(), note(3))
	if err := database.Together(t.Context(), note(1), note(2)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(task.Wait(), task.Wait()); err != nil || !reflect.DeepEqual(order, []int{1, 2, 3}) {
		t.Errorf("they ran as %v (%v), want each once", order, err)
	}
}

// TestGormSharesRoundTrips: what is found by gorm is what it is without a page, in the same
// round trip as all else.
func TestGormSharesRoundTrips(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	now := time.Date(2026, 11, 26, 19, 0, 0, 0, time.UTC)
	ana := modelstest.User(t, db, now, "ana@example.com", models.Administrator)
	find := func(into *models.User) func(context.Context) error {
		return func(ctx context.Context) error { return db.Gorm().WithContext(ctx).Take(into, ana.ID).Error }
	}
	var want, got models.User
	if err := find(&want)(t.Context()); err != nil || want.Name == "" {
		t.Fatalf("found %+v: %v", want, err)
	}
	a := asker{db}
	var beside time.Time
	var users []struct {
		ID    int64
		At    time.Time
		Texts models.Texts
		None  models.Texts
	}
	var none error
	a.page(t, func(ctx context.Context) error {
		return database.Together(ctx, find(&got), a.at(&beside), func(ctx context.Context) error {
			return db.Gorm().WithContext(ctx).Table("users").
				Select("id, transaction_timestamp() AS at, array['a b', 'c'] AS texts, NULL::text[] AS none").
				Where("id IN ?", []int64{ana.ID, -1}).Find(&users).Error
		}, func(ctx context.Context) error {
			none = db.Gorm().WithContext(ctx).Take(&models.User{}, -1).Error
			return nil
		})
	})
	if !reflect.DeepEqual(got, want) || !errors.Is(none, gorm.ErrRecordNotFound) {
		t.Errorf("found\n%+v, want\n%+v; nobody is %v", got, want, none)
	}
	if len(users) != 1 || users[0].ID != ana.ID || !users[0].At.Equal(beside) ||
		!slices.Equal(users[0].Texts, models.Texts{"a b", "c"}) || len(users[0].None) != 0 {
		t.Errorf("found %+v beside what was read at %s", users, beside)
	}
}

// TestABatchThatBreaksOffFails: whoever does not wait for the answers of a batch gets an
// error, and no connection is kept.
func TestABatchThatBreaksOffFails(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	columns := database.Columns[int]{{Name: "n", At: func(n *int) any { return n }}}
	broken := "a function that panics"
	for name, read := range map[string]func(pgx.Rows) error{
		"by columns": func(rows pgx.Rows) error { return columns.Each(rows, func(*int) error { return nil }) },
		"by names": func(rows pgx.Rows) error {
			return database.Each(rows, func(*struct{ N int }) error { return nil })
		},
		broken: func(pgx.Rows) error { panic("of a reader") },
	} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		batch := &pgx.Batch{}
		batch.Queue("SELECT 1 AS n FROM pg_sleep(60) -- " + name).Query(read)
		go func() { // once it is under way
			defer cancel()
			for under := false; !under && t.Context().Err() == nil; {
				_ = db.Pool().QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE state = 'active'
					AND pid <> pg_backend_pid() AND query LIKE '%-- ' || $1)`, name).Scan(&under)
			}
		}()
		func() {
			defer func() {
				if p := recover(); (p != nil) != (name == broken) {
					t.Errorf("%s: %v", name, p)
				}
			}()
			if err := db.SendBatch(ctx, batch); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v, want that nobody waits any more", name, err)
			}
		}()
	}
	modelstest.WaitFor(t, "no connection is in use", func() bool {
		_, busy := db.Pool().Count()
		return busy == 0
	})
}
