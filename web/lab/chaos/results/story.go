package results

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"veinte/web/lab"
)

// sameDay are the kinds that are over before the night.
var sameDay = append(append(append(append([]kind{}, positives...), strangers...), negatives...), inquiries...)

// random is the round's own source of choices.
func (r *round) random() *rand.Rand { return r.Rand(uint64(r.terminal) + 1000) }

// soldNow makes a sale that was prepared, and waits until it is known.
func (r *round) soldNow(s *lab.Sale) {
	if !r.ended() {
		r.fail(r.SellUnseen(r.ctx, s))
	}
	r.seen(s)
}

// unseen makes a sale whose post is held too.
func (r *round) unseen() (*lab.Sale, *post) {
	s := r.unsold("")
	r.office.set(r.office.closed, s.OrderID)
	if !r.ended() {
		r.fail(r.SellUnseen(r.ctx, s))
	}
	return s, r.held(s)
}

// doubt is a sale whose cancel was answered with an error and reached nobody.
func (r *round) doubt() *lab.Sale {
	s := r.sell("500")
	r.requested(s, "unknown")
	return s
}

// slow is a sale whose cancel is under way, at a service that takes its time.
func (r *round) slow() *lab.Sale {
	s := r.unsold("")
	if !r.ended() {
		r.fail(r.Box.Fault(r.ctx, lab.Fault{Fault: "slow", OrderID: s.OrderID, SerialNumber: s.Serial, Delay: "4s"}))
	}
	r.soldNow(s)
	r.request(s)
	return s
}

// answered waits until the service's answer is kept with the attempt.
func (r *round) answered(s *lab.Sale) {
	r.until("the answer is kept", func() (bool, error) {
		var n int
		err := r.Pool.QueryRow(r.ctx, `SELECT count(*) FROM attempts a JOIN cancellations c ON c.id = a.cancellation_id
			WHERE c.sale_id = $1 AND a.meaning = 'accepted'`, s.ID).Scan(&n)
		return n == 1, err
	})
}

// early is how far a slow case had come when its result was there: it was
// sending, unless this machine was slower still than the service.
func (r *round) early(s *lab.Sale) string {
	if strings.HasPrefix(r.movesNow(s), toAccepted) {
		return toAccepted
	}
	return "requested sending"
}

func (r *round) movesNow(s *lab.Sale) string {
	moves, err := r.movesOf(r.ctx, s)
	r.fail(err)
	return strings.Join(moves, " ")
}

// sentTimes says how many cancels of a sale the service may have received.
func (r *round) sentTimes(s *lab.Sale, want int) {
	if got := r.sent(s, "cancel"); !r.ended() && got != want {
		r.wrong("%d cancels were sent, want %d", got, want)
	}
}

// together posts several things at the same instant.
func (r *round) together(posts ...*post) {
	var group sync.WaitGroup
	for _, p := range posts {
		// A copy, because each goroutine may find something wrong.
		one := &round{run: r.run, ctx: r.ctx, kind: r.kind, terminal: r.terminal}
		group.Go(func() { one.deliver(p, 1) })
	}
	group.Wait()
}

// attempt is the id of the sale's n-th cancel that the service has received.
func (r *round) attempt(s *lab.Sale, n int) string {
	ids, err := r.attemptIDs(s)
	if err == nil && len(ids) < n && !r.ended() {
		err = fmt.Errorf("the ledger has %d cancels of %s, want %d", len(ids), s.OrderID, n)
	}
	r.fail(err)
	if len(ids) < n {
		return ""
	}
	return ids[n-1]
}

// made is a post that the terminal might have made of a sale: a cancellation
// that was approved, but for the fields that are named.
func (r *round) made(s *lab.Sale, pairs ...any) *post {
	base := &post{body: []byte("{}")}
	return r.office.altered(base, append([]any{
		"orderId", s.OrderID, "terminalId", s.Serial, "storeId", merchant(s.Terminal), "amount", s.Amount, "authAmount", s.Amount,
		"folioNumber", folio(s), "responseCode", "00", "transType", "V", "isRePrint", false, "reprintModule", "C",
		"cardNumber", "8610", "message", "Transacción exitosa", "traceability",
		map[string]any{},
	}, pairs...)...)
}

// merchant and folio are how the laboratory's terminals name themselves and sales.
func merchant(terminal int) string { return fmt.Sprint(900000 + terminal) }

func folio(s *lab.Sale) string { return "venta_" + s.Amount }

// renameFirstAttempt gives the first attempt of a sale's case another id.
func (r *round) renameFirstAttempt(s *lab.Sale, id string) {
	if r.ended() {
		return
	}
	sum := sha256.Sum256([]byte(id))
	_, err := r.Pool.Exec(r.ctx, `UPDATE attempts SET key_hash = $1 FROM cancellations c
		WHERE c.id = cancellation_id AND c.sale_id = $2 AND number = 1`, hex.EncodeToString(sum[:]), s.ID)
	r.fail(err)
}

// quiet waits until the terminal can no longer act on the sale's push.
func (r *round) quiet(s *lab.Sale) {
	r.until("the terminal's quiet time is over", func() (over bool, err error) {
		err = r.Pool.QueryRow(r.ctx, `SELECT max(last_push_at) < $1 FROM cancellations WHERE sale_id = $2`,
			time.Now().Add(-quietTime), s.ID).Scan(&over)
		return over, err
	})
}

// askedInTheQuiet reports whether the sale was asked about before that.
func (r *round) askedInTheQuiet(s *lab.Sale) (early bool) {
	if r.ended() {
		return false
	}
	r.fail(r.Pool.QueryRow(r.ctx, `SELECT max(i.sent_at) < max(c.last_push_at) + $1 FROM inquiries i
		JOIN cancellations c ON c.id = i.cancellation_id WHERE c.sale_id = $2`, quietTime, s.ID).Scan(&early))
	return early
}
