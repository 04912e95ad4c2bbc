package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/web/lab"
)

const (
	clicksEach   = 3 // of a store
	stampedeTime = time.Minute
	stampedeLeft = 5 * time.Minute // until the cut-off
)

// BenchmarkStampede is some five minutes before the cut-off: in each of 400 stores its manager cancels three
// sales on three terminals within the same minute. It measures when each first byte left
// for the service; none may be late.
func BenchmarkStampede(b *testing.B) {
	s := setup(b)
	managers, err := s.managers(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	s.measure(b, func(ctx context.Context, p *build) error { return p.stampede(ctx, managers) })
}

// managers makes one of each store, and returns their sessions: past the trail and without
// passwords, because the usual way takes minutes.
func (s *bench) managers(ctx context.Context) (sessions []string, err error) {
	conn, err := pgx.Connect(ctx, s.owner())
	if err != nil {
		return nil, err
	}
	defer conn.Close(ctx)
	for store := range stores {
		sessions = append(sessions, fmt.Sprint("gerente-", store+1))
	}
	return sessions, execAll(ctx, conn, []statement{{sql: "SET session_replication_role = replica"}, {`WITH made AS (
			INSERT INTO users (email, name, role, all_stores, password_hash, language, created_at)
			SELECT 'gerente.' || i || '@veinte.example', 'Gerente ' || i, 'manager', false, 'none', '', now()
			FROM generate_series(1, $1::int) i RETURNING id, substr(name, 9)::bigint AS store),
		placed AS (INSERT INTO user_stores (user_id, store_id) SELECT id, store FROM made)
		INSERT INTO sessions (token_hash, user_id, created_at, expires_at, seen_at, address, user_agent)
		SELECT sha256(('gerente-' || store)::bytea), id, now(), now() + interval '1 day', now(), '127.0.0.1', '' FROM made`, []any{stores}}})
}

// click is one that is due in a stampede.
type click struct {
	by   *user
	csrf string
	sale int64
	at   time.Time
}

func (p *build) stampede(ctx context.Context, managers []string) error {
	cutoff := time.Now().Add(stampedeLeft + time.Minute).Truncate(time.Minute).In(p.calendar.Zone())
	if cutoff.Day() != time.Now().In(p.calendar.Zone()).Day() {
		return errors.New("the stampede ends before midnight in Mexico City: try again in a few minutes")
	}
	return p.clicking(ctx, func(c *clicker, _ *lab.Process) error {
		clicks, err := c.dueClicks(ctx, managers)
		if err != nil {
			return err
		}
		const every = stampedeTime / (stores * clicksEach)
		_, err = paced(ctx, int(time.Second/every), stampedeTime-every, func(n int) error {
			clicks[n].at = time.Now()
			return clicks[n].by.press(ctx, clicks[n].sale, clicks[n].csrf)
		})
		if err != nil {
			return err
		}
		if err := c.untilConfirmed(ctx); err != nil {
			return err
		}
		return p.recordStampede(ctx, clicks, cutoff)
	}, "CUTOFF="+cutoff.Format("15:04"))
}

// dueClicks makes the sales, and has each manager's page open.
func (c *clicker) dueClicks(ctx context.Context, managers []string) (all []click, err error) {
	for i, session := range managers {
		by := &user{c.base, session}
		body, err := by.get(ctx, "/sales")
		if err != nil {
			return nil, err
		}
		of, err := c.terminals(ctx, int64(i+1), int64(i+1))
		if err != nil {
			return nil, err
		}
		for _, t := range of[:clicksEach] {
			sale, err := c.sell(ctx, t, "")
			if err != nil {
				return nil, err
			}
			all = append(all, click{by: by, csrf: csrf(body), sale: sale})
		}
	}
	rand.New(rand.NewPCG(20, 0)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all, nil
}

func (p *build) recordStampede(ctx context.Context, clicks []click, cutoff time.Time) error {
	rows, err := p.db.Pool().Query(ctx, `SELECT c.sale_id, a.first_byte_at FROM attempts a JOIN cancellations c ON c.id = a.cancellation_id
		WHERE a.first_byte_at IS NOT NULL`)
	if err != nil {
		return err
	}
	left := map[int64]time.Time{}
	var sale int64
	var at time.Time
	if _, err := pgx.ForEachRow(rows, []any{&sale, &at}, func() error { left[sale] = at; return nil }); err != nil {
		return err
	}
	var each []time.Duration
	late := 0
	for _, c := range clicks {
		at, sent := left[c.sale]
		if !sent || !at.Before(cutoff) {
			late++
			continue
		}
		each = append(each, at.Sub(c.at))
	}
	p.recordTimes("first-byte-", each)
	p.record("first-byte-max-ms", ms(quantile(each, 1)))
	p.record("late", float64(late))
	if late > 0 {
		return fmt.Errorf("%d of %d clicks were late", late, len(clicks))
	}
	return nil
}
