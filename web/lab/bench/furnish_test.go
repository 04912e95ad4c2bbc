package bench

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"veinte/models"
	"veinte/web/lab"
)

const (
	doubtFirst   = 41 // the first store in doubt
	doubtStores  = 10
	strays       = 30 // results without a sale
	pagesEntries = 100_000
)

// furniture is what pages are about.
type furniture struct {
	paths    *strings.Replacer // fills in what a path is about
	sessions map[string]string // by who looks
}

// furnish makes what a shop has in the evening, by the product's own ways: a cancellation
// that is confirmed, some in doubt, results of nobody's sale, and a sealed trail.
func (s *bench) furnish(ctx context.Context) (*furniture, error) {
	if err := s.fillSealed(ctx, pagesEntries); err != nil {
		return nil, err
	}
	var canceled, free, entry int64
	err := s.build(s.builds[0]).clicking(ctx, func(c *clicker, _ *lab.Process) error {
		all, err := c.terminals(ctx, typicalStore, typicalStore)
		if err != nil {
			return err
		}
		if free, err = c.sell(ctx, all[1], ""); err != nil {
			return err
		}
		if canceled, err = c.sell(ctx, all[0], ""); err != nil {
			return err
		}
		if _, err := c.cancel(ctx, canceled); err != nil {
			return err
		}
		if err := c.untilConfirmed(ctx); err != nil {
			return err
		}
		if err := c.doubts(ctx); err != nil {
			return err
		}
		const last = `SELECT max(id) FROM audit_entries WHERE sale_id = $1`
		if err := s.db.Pool().QueryRow(ctx, last, canceled).Scan(&entry); err != nil {
			return err
		}
		return s.untilSealed(ctx)
	})
	if err != nil {
		return nil, err
	}
	var few []int64
	for n := range int64(doubtStores) {
		few = append(few, doubtFirst+n)
	}
	limited, err := s.person(ctx, "few", models.Supervisor, few...)
	if err != nil {
		return nil, err
	}
	administrator, err := s.person(ctx, "administrator", models.Administrator)
	return &furniture{
		paths:    strings.NewReplacer("{canceled}", fmt.Sprint(canceled), "{free}", fmt.Sprint(free), "{entry}", fmt.Sprint(entry)),
		sessions: map[string]string{"manager": s.manager, "supervisor": s.supervisor, "few": limited, "administrator": administrator},
	}, err
}

// doubts cancels in each of some stores a sale whose answer is lost, and posts results of
// sales that nobody knows.
func (c *clicker) doubts(ctx context.Context) error {
	all, err := c.terminals(ctx, doubtFirst, doubtFirst+doubtStores-1)
	if err != nil {
		return err
	}
	for n := range doubtStores {
		sale, err := c.sell(ctx, all[4*n], "reset")
		if err != nil {
			return err
		}
		if _, err := c.cancel(ctx, sale); err != nil {
			return err
		}
	}
	for n := range strays {
		t := all[n%len(all)]
		body := fmt.Sprintf(`{"transType":"V","responseCode":"00","orderId":"stray-%s","amount":"120.50","storeId":%q,"terminalId":%q}`,
			rand.Text(), t.Merchant, t.Serial)
		if _, err := (&user{base: c.base}).post(ctx, "/results/"+resultsSecret, "application/json", []byte(body)); err != nil {
			return err
		}
	}
	const doubted = `SELECT count(*) = $1 FROM cancellations WHERE state = 'unknown'`
	return lab.Eventually(ctx, time.Minute, "every lost answer is a doubt", func(ctx context.Context) (all bool, err error) {
		err = c.db.Pool().QueryRow(ctx, doubted, doubtStores).Scan(&all)
		return all, err
	})
}
