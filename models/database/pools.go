package database

import (
	"context"
	"database/sql"
	"database/sql/driver"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
)

// Shares are how many connections each kind of work has for itself.
type Shares struct {
	Acts  int32 // what somebody does, results, sending, the queue, and all that is not of the others
	Pages int32
	Heavy int32 // files out and in, and what takes as long
}

// Total is how many connections there are at most.
func (s Shares) Total() int32 { return s.Acts + s.Pages + s.Heavy }

type share int

const (
	ofActs share = iota
	ofPages
	ofHeavy
	shares
)

type shareKey struct{}

// ForPage is a context whose questions take the connections of pages, which are busy when
// many people look at something that takes long. Clicks and results go on meanwhile.
func ForPage(ctx context.Context) context.Context { return context.WithValue(ctx, shareKey{}, ofPages) }

// ForHeavy is a context whose questions take the connections of what takes long: an
// export, an import, a report, a verification.
func ForHeavy(ctx context.Context) context.Context {
	return context.WithValue(ctx, shareKey{}, ofHeavy)
}

// ForAct is a context whose questions take the connections of acts, whatever it is made
// from.
func ForAct(ctx context.Context) context.Context { return context.WithValue(ctx, shareKey{}, ofActs) }

// Pools are the connections. Each kind of work has a pool of its own, so that none can
// take those of another. Where there are no shares they are one pool.
type Pools [shares]*pgxpool.Pool

// openPools makes the pools. That of pages has a configuration of its own where they go
// through a pooler.
func openPools(ctx context.Context, config, pages *pgxpool.Config, of Shares) (p *Pools, err error) {
	p = &Pools{}
	for i, n := range [shares]int32{ofActs: of.Acts, ofPages: of.Pages, ofHeavy: of.Heavy} {
		if n == 0 {
			p[i] = p[ofActs]
			continue
		}
		own := config.Copy()
		if share(i) == ofPages && pages != nil {
			own = pages
		}
		own.MaxConns = n
		if p[i], err = pgxpool.NewWithConfig(ctx, own); err != nil {
			p.close()
			return nil, err
		}
	}
	return p, nil
}

// of is the pool of a context's work.
func (p *Pools) of(ctx context.Context) *pgxpool.Pool {
	of, _ := ctx.Value(shareKey{}).(share)
	return p[of]
}

// Acts is the pool of acts, for libraries that want one.
func (p *Pools) Acts() *pgxpool.Pool { return p[ofActs] }

// each calls f with each pool once.
func (p *Pools) each(f func(*pgxpool.Pool)) {
	for i, pool := range p {
		if pool != nil && (i == int(ofActs) || pool != p[ofActs]) {
			f(pool)
		}
	}
}

func (p *Pools) close() { p.each((*pgxpool.Pool).Close) }

// Count is how many connections there are, and how many of them are in use.
func (p *Pools) Count() (all, busy int) {
	p.each(func(pool *pgxpool.Pool) {
		stat := pool.Stat()
		all, busy = all+int(stat.TotalConns()), busy+int(stat.AcquiredConns())
	})
	return all, busy
}

// Stats are the figures of each kind of work.
func (p *Pools) Stats() map[string]*pgxpool.Stat {
	all := map[string]*pgxpool.Stat{}
	for i, name := range [shares]string{ofActs: "acts", ofPages: "pages", ofHeavy: "heavy"} {
		if pool := p[i]; pool != nil && (i == int(ofActs) || pool != p[ofActs]) {
			all[name] = pool.Stat()
		}
	}
	return all
}

// Acquire is pgx's, and so are those below.
func (p *Pools) Acquire(ctx context.Context) (*pgxpool.Conn, error) { return p.of(ctx).Acquire(ctx) }

func (p *Pools) Begin(ctx context.Context) (pgx.Tx, error) { return p.of(ctx).Begin(ctx) }

func (p *Pools) BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error) {
	return p.of(ctx).BeginTx(ctx, options)
}

func (p *Pools) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	return p.of(ctx).Exec(ctx, sql, args...)
}

func (p *Pools) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return p.of(ctx).Query(ctx, sql, args...)
}

func (p *Pools) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return p.of(ctx).QueryRow(ctx, sql, args...)
}

func (p *Pools) SendBatch(ctx context.Context, batch *pgx.Batch) pgx.BatchResults {
	return p.of(ctx).SendBatch(ctx, batch)
}

// Connect takes a connection as a driver.Connector of database/sql.
func (p *Pools) Connect(ctx context.Context) (driver.Conn, error) {
	return stdlib.GetPoolConnector(p.of(ctx)).Connect(ctx)
}

// Driver is of a driver.Connector.
func (p *Pools) Driver() driver.Driver { return stdlib.GetDefaultDriver() }

// sql is the pools as database/sql. It keeps no connection: they are the pools'.
func (p *Pools) sql() *sql.DB {
	db := sql.OpenDB(p)
	db.SetMaxIdleConns(0)
	return db
}
