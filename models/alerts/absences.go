package alerts

import (
	"context"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/audit/sealing"
	"veinte/models/database"
)

// maxChecked limits how many overdue things are raised at once.
const maxChecked = 200

// sealLagLimit is how old an unsealed entry may be, once any entry is sealed.
const sealLagLimit = 5 * time.Minute

// sealStartGrace is how long a process with a key may take to seal the first entry
// of a trail.
const sealStartGrace = 2 * time.Minute

// checkAbsences raises alerts about things that did not happen, which leave no
// entry.
func (a *Service) checkAbsences(ctx context.Context, t database.Tx, rules map[Kind]*AlertRule, now time.Time) error {
	type finder func(context.Context, database.Tx, *AlertRule, time.Time) ([]finding, error)
	for kind, find := range map[Kind]finder{
		AlertDoubt: oldDoubts, KindSilent: silentTerminals, KindTrail: a.checkSealing,
	} {
		r := rules[kind]
		if r == nil || !r.Active {
			continue
		}
		found, err := find(ctx, t, r, now)
		if err != nil {
			return fmt.Errorf("find %s: %w", kind, err)
		}
		if kind == KindTrail {
			found = append(found, a.noDirectory()...)
		}
		for i := range found {
			if err := a.raise(t, r, found[i], now); err != nil {
				return err
			}
		}
	}
	return nil
}

// notRaised excludes what was raised or counted already: its cause is given as SQL.
func notRaised(kind Kind, cause string) string {
	return ` NOT EXISTS (SELECT FROM alerts k WHERE k.kind = '` + string(kind) + `' AND k.cause = ` + cause + `)
		AND NOT EXISTS (SELECT FROM alert_repeats k WHERE k.kind = '` + string(kind) + `' AND k.cause = ` + cause + `) `
}

func oldDoubts(ctx context.Context, t database.Tx, r *AlertRule, now time.Time) ([]finding, error) {
	const cause = `'doubt ' || c.id || ' ' || c.version`
	return findings(ctx, t, `SELECT `+cause+` AS cause, 'sale ' || s.id AS subject, c.store_id, o.name AS store_name, s.id AS sale_id,
			s.order_id, s.serial_number, s.amount, c.changed_at AS since
		FROM cancellations c JOIN sales s ON s.id = c.sale_id JOIN stores o ON o.id = c.store_id
		WHERE c.state = `+models.UnknownSQL+` AND c.changed_at <= $1 AND ($2 OR c.store_id = ANY($3)) AND `+notRaised(AlertDoubt, cause)+
		`ORDER BY c.changed_at, c.id LIMIT $4`, r, now)
}

// silentFor is how long a terminal that posts nothing is reported: after a month its
// absence is known.
const silentFor = `30 days`

func silentTerminals(ctx context.Context, t database.Tx, r *AlertRule, now time.Time) ([]finding, error) {
	const cause = `'silent ' || m.id || ' ' || extract(epoch FROM m.last_result_at)`
	return findings(ctx, t, `SELECT `+cause+` AS cause, 'terminal ' || m.serial_number AS subject, a.store_id, o.name AS store_name,
			m.serial_number, m.last_result_at AS since
		FROM terminals m JOIN assignments a ON a.terminal_id = m.id AND a.valid_to IS NULL JOIN stores o ON o.id = a.store_id
		WHERE m.retired_at IS NULL AND m.last_result_at <= $1 AND m.last_result_at > $1::timestamptz - interval '`+silentFor+`'
			AND ($2 OR a.store_id = ANY($3)) AND `+notRaised(KindSilent, cause)+`ORDER BY m.last_result_at, m.id LIMIT $4`, r, now)
}

// findings reads what has been open for longer than the rule's minutes.
func findings(ctx context.Context, t database.Tx, query string, r *AlertRule, now time.Time) ([]finding, error) {
	rows, err := database.TxRows[struct {
		Cause, Subject        string
		StoreID, SaleID       *int64
		StoreName             string
		OrderID, SerialNumber string
		Amount                models.Money
		Since                 time.Time
	}](ctx, t, query, now.Add(-time.Duration(r.Minutes)*time.Minute), r.AllStores, []int64(r.StoreIDs), maxChecked)
	if err != nil {
		return nil, err
	}
	all := make([]finding, len(rows))
	for i, x := range rows {
		minutes := int(now.Sub(x.Since) / time.Minute)
		all[i] = finding{
			cause: x.Cause, subject: x.Subject, storeID: x.StoreID, storeName: x.StoreName, saleID: x.SaleID,
			facts: Facts{Order: x.OrderID, Serial: x.SerialNumber, Amount: x.Amount, Minutes: minutes},
		}
	}
	return all, nil
}

// checkNeverSealed finds a process with a key that has sealed nothing since it
// started.
func (a *Service) checkNeverSealed(now time.Time) []finding {
	if !a.sealing || now.Sub(a.began) < sealStartGrace {
		return nil
	}
	return []finding{{
		cause: "never " + a.began.UTC().Format(time.RFC3339), subject: "sealing.still",
		facts: Facts{Minutes: int(now.Sub(a.began) / time.Minute), Action: "sealing.still"},
	}}
}

// noDirectory finds that checkpoints are stored only in the database: whoever
// deletes the end of the trail can delete them too, and after a restart nobody would
// notice.
func (a *Service) noDirectory() []finding {
	if !a.sealing || a.checkpointsLeave {
		return nil
	}
	return []finding{{
		cause: "nowhere " + a.began.UTC().Format(time.DateOnly), subject: "sealing.nowhere", facts: Facts{Action: "sealing.nowhere"},
	}}
}

// checkSealing finds entries that wait too long to be sealed, once any entry has
// been sealed: then somebody relies on it. It needs no signed-in user.
func (a *Service) checkSealing(ctx context.Context, t database.Tx, _ *AlertRule, now time.Time) ([]finding, error) {
	status, err := database.TxRows[struct {
		Size   int64
		Oldest *time.Time // that is not sealed
		Waits  bool
	}](ctx, t, sealing.StatusSQL)
	if err == nil && len(status) == 0 {
		return a.checkNeverSealed(now), nil
	}
	if err != nil || status[0].Oldest == nil || now.Sub(*status[0].Oldest) < sealLagLimit {
		return nil, err
	}
	s := status[0]
	why, cause := models.Action("sealing.still"), "still "
	if s.Waits { // it waits for a transaction: slow, but not suspicious
		why, cause = "sealing.held", "held "
	}
	return []finding{{
		cause: cause + models.JsonNumber(s.Size), subject: string(why),
		facts: Facts{Count: s.Size, Minutes: int(now.Sub(*s.Oldest) / time.Minute), Action: why},
	}}, nil
}
