package database

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"

	"veinte/models"
)

// DB is the product's PostgreSQL. There are two ways to use it, over the same pools, of
// which each kind of work has its own (see ForPage and ForHeavy):
//
//   - Changes go through gorm, in one transaction with their audit entries, with ?
//     for arguments. What gorm cannot express (arrays, advisory locks) goes through
//     the same transaction with $1.
//   - Reads go through pgx, with $1, by Query, QueryRow and SendBatch. What a page
//     reads side by side, by Together or Start, is one batch and one round trip,
//     gorm's finds included.
//
// Columns are read by name, never by counting: gorm and pgx.RowToStructByName do,
// and a list of columns names each beside the destination of its value. A single value,
// such as a count, is scanned as it is.
//
// Advisory locks are in locks.go, the states that statements name in
// models/state_sql.go.
type DB struct {
	gorm *gorm.DB
	sql  *sql.DB
	pool *Pools
	// trouble is what the last transaction failed by; nil when it did not.
	trouble atomic.Pointer[Outage]
	servers *servers
	commits commits
	// committed is called with what transactions have told, see Tx.Tell; nil: nobody measures.
	committed func(event any)
}

// DBConfig has the settings of the connection to the database.
type DBConfig struct {
	URL         string // libpq keywords or address
	PagesURL    string // the same database through a pooler in transaction mode, for pages; "": they take URL
	Application string // shown in pg_stat_activity
	MaxConns    int32  // that all kinds of work share; 0: ten
	Shares      Shares // for each kind of work, instead of MaxConns
	Logger      *slog.Logger
	Tracer      pgx.QueryTracer // of statements; nil: none are traced
}

// Open connects. It fails when the database does not respond.
func Open(ctx context.Context, config DBConfig) (*DB, error) {
	pc, err := pgxpool.ParseConfig(config.URL)
	if err != nil {
		// pgx's text repeats the address, password included.
		return nil, errors.New("DATABASE_URL cannot be read: want postgres://user:password@host/database or libpq keywords")
	}
	of := config.Shares
	if of.Total() == 0 {
		of.Acts = cmp.Or(config.MaxConns, 10)
	}
	described(pc, config.Application)
	for name, value := range limits {
		if _, set := pc.ConnConfig.RuntimeParams[name]; !set {
			pc.ConnConfig.RuntimeParams[name] = value
		}
	}
	pc.ConnConfig.Tracer = config.Tracer
	met := &servers{}
	pc.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		if err := beginEra(ctx, conn); err != nil {
			return err
		}
		return met.meet(ctx, conn)
	}
	pages, err := pooled(config)
	if err != nil {
		return nil, err
	}
	pool, err := openPools(ctx, pc, pages, of)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	if err := pool.Acts().Ping(ctx); err != nil {
		pool.close()
		return nil, fmt.Errorf("reach database: %w", err)
	}
	db := &DB{pool: pool, sql: pool.sql(), servers: met}
	db.commits.places = make(chan struct{}, max(1, pool.Acts().Config().MaxConns/2))
	db.gorm, err = gorm.Open(postgres.New(postgres.Config{Conn: db.sql}), &gorm.Config{
		TranslateError:         true,
		SkipDefaultTransaction: true,
		// A statement that asks for * fails once on each connection when a migration has
		// added a column, and servers of the release before go on serving meanwhile.
		QueryFields: true,
		Logger:      gormLogger{config.Logger},
	})
	if err != nil {
		pool.close()
		return nil, fmt.Errorf("open gorm: %w", err)
	}
	if pages != nil {
		if err := db.limitRole(ctx); err != nil {
			pool.close()
			return nil, err
		}
	}
	return db, db.shareRounds()
}

// beginEra makes a cluster into which a dump was restored write its entries after
// the restored ones, before anything is written. A schema without eras is reported
// elsewhere.
func beginEra(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, `SELECT trail_begin_era()`)
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == "42883" { // no such function
		return nil
	}
	return err
}

// Gorm returns the way by which changes go. Within a transaction use its Tx.
func (db *DB) Gorm() *gorm.DB { return db.gorm }

// SQL returns the pool as database/sql, for libraries with tables of their own in
// the same database.
func (db *DB) SQL() *sql.DB { return db.sql }

// Pool returns the connections.
func (db *DB) Pool() *Pools { return db.pool }

// Exec is pgx's, for what a page changes beside its reads.
//
// Errors: ErrStale, see InTx.
func (db *DB) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	if err := Confirmed(ctx); err != nil {
		return pgconn.CommandTag{}, err
	}
	return db.pool.Exec(ctx, sql, args...)
}

// Close waits for what is under way and closes every connection.
func (db *DB) Close() {
	_ = db.sql.Close()
	db.pool.close()
}

// Tx is a transaction under way.
type Tx struct {
	*gorm.DB
	SQL       *sql.Tx
	LastWrite *rowWrites
}

// rowWrites has the last row of a transaction by which it can be found again, and what is
// told once it is committed.
type rowWrites struct {
	Last   *written
	events []any
}

// Tell has those who measure know what the transaction does, once it is committed.
func (t Tx) Tell(event any) { t.LastWrite.events = append(t.LastWrite.events, event) }

// OnCommitted has f called with what transactions tell. It is set before anything is
// stored; f must not wait.
func (db *DB) OnCommitted(f func(event any)) { db.committed = f }

func (db *DB) tell(events ...any) {
	for _, e := range events {
		if db.committed != nil {
			db.committed(e)
		}
	}
}

// InTx runs f in one transaction. After an error of COMMIT it reads again by its key
// what f wrote: nil means that it was committed, whatever the connection reported;
// ErrNotCommitted that it was not; ErrCommitInDoubt that it is unknown.
//
// Errors: ErrStale when the page of the transaction was made by what holds no more.
func (db *DB) InTx(ctx context.Context, f func(Tx) error) error {
	if err := Confirmed(ctx); err != nil {
		return err
	}
	kept := &rowWrites{}
	err := db.inTransaction(ctx, kept, f)
	db.noticed(kept, err)
	if err == nil {
		db.tell(kept.events...)
	}
	return err
}

// Insert adds one row by itself, in one round trip. Its errors are those of InTx, except
// that nobody looks whether the row is there after all.
func (db *DB) Insert(ctx context.Context, row any) error {
	if err := Confirmed(ctx); err != nil {
		return err
	}
	err := db.gorm.WithContext(ctx).Create(row).Error
	db.noticed(&rowWrites{Last: &written{}}, err)
	return err
}

func (db *DB) inTransaction(ctx context.Context, kept *rowWrites, f func(Tx) error) error {
	leave, err := db.commits.place(ctx)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	until, stop := context.WithCancel(context.WithoutCancel(ctx))
	alone := context.AfterFunc(ctx, stop)
	end := func() {
		stop()
		leave()
	}
	g := db.gorm.WithContext(until).Begin()
	if g.Error != nil {
		end()
		return fmt.Errorf("begin: %w", errors.Join(g.Error, ctx.Err()))
	}
	g = g.WithContext(ctx)
	done := false
	defer func() {
		if !done {
			alone()
			g.Rollback()
			end()
		}
	}()
	sqlTx, ok := g.Statement.ConnPool.(*sql.Tx)
	if !ok {
		return errors.New("begin: not a database/sql transaction")
	}
	if err := f(Tx{DB: g, SQL: sqlTx, LastWrite: kept}); err != nil {
		return err
	}
	if !alone() {
		return fmt.Errorf("%w: %w", ErrNotCommitted, ctx.Err())
	}
	done = true
	err = db.commits.commit(g, end, db.standbyAway)
	switch {
	case errors.Is(err, errLate):
		return fmt.Errorf("%w: %w", ErrCommitInDoubt, err)
	case err != nil:
		return db.rereadCommit(ctx, kept.Last, err)
	}
	return nil
}

// TakeRow reads the one row that the query selects, or returns ErrNotFound.
func TakeRow(q *gorm.DB, into any) error {
	err := q.Take(into).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return models.ErrNotFound
	}
	return err
}

// NoRows turns pgx's error for no rows into ours.
func NoRows(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return models.ErrNotFound
	}
	return err
}
