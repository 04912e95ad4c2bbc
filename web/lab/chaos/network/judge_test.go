package network

import (
	"context"
	"fmt"

	"veinte/models"
	"veinte/web/lab"
)

// evidence is the judge's input: the product's records, the service's ledger, and
// what the proxy saw.
type evidence struct {
	cases    map[lab.SaleKey][]lab.Cancellation
	attempts map[int64][]lab.Attempt // by cancellation
	received map[lab.SaleKey]int     // cancel requests in the ledger, whole or not
	truth    map[lab.SaleKey]bool    // whether the terminal canceled it
	seen     map[string]int          // by the proxy, by order
	liars    int                     // attempts whose record contradicts their first byte
}

func (r *run) evidence(ctx context.Context) (*evidence, error) {
	e := &evidence{cases: map[lab.SaleKey][]lab.Cancellation{}, attempts: map[int64][]lab.Attempt{}, received: map[lab.SaleKey]int{}}
	cases, err := r.Cancellations(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range cases {
		k := lab.SaleKey{Serial: c.Serial, OrderID: c.OrderID}
		e.cases[k] = append(e.cases[k], c)
	}
	attempts, err := r.Attempts(ctx)
	if err != nil {
		return nil, err
	}
	for _, a := range attempts {
		e.attempts[a.CancellationID] = append(e.attempts[a.CancellationID], a)
	}
	ledger, err := r.Box.Ledger()
	if err != nil {
		return nil, err
	}
	for _, x := range ledger {
		if x.Kind == "request" && x.Operation == "cancel" {
			e.received[lab.SaleKey{Serial: x.Serial, OrderID: x.OrderID}]++
		}
	}
	if e.truth, err = r.Truth(); err != nil {
		return nil, err
	}
	e.seen, _ = r.door.seenRequests()
	return e, r.Pool.QueryRow(ctx, `SELECT count(*) FROM attempts WHERE (meaning = 'notSent') <> (first_byte_at IS NULL)`).Scan(&e.liars)
}

// judge compares every trial with its expected outcome, after the laboratory's own
// judge.
func (r *run) judge(ctx context.Context) (err error) {
	if r.report.Verdict, err = r.Judge(ctx); err != nil {
		return err
	}
	e, err := r.evidence(ctx)
	if err != nil {
		return err
	}
	if _, partial := r.door.seenRequests(); partial > 0 {
		r.report.Violate("%d requests broke off before the door", partial)
	}
	if e.liars > 0 {
		r.report.Violate("of %d attempts the first byte contradicts what they say", e.liars)
	}
	if n := e.received[lab.SaleKey{}]; n > 0 {
		r.report.Violate("%d requests without an order reached the service", n)
	}
	for _, t := range r.trials {
		r.one(e, t)
	}
	r.figures(e.seen)
	return nil
}

// one judges one trial.
func (r *run) one(e *evidence, t *trial) {
	count := r.tally[t.name]
	if count == nil {
		count = &tally{said: map[string]int{}, states: map[string]int{}}
		r.tally[t.name] = count
	}
	count.cancellations++
	key := lab.SaleKey{Serial: t.sale.Serial, OrderID: t.sale.OrderID}
	var wrongs []string
	wrong := func(format string, args ...any) { wrongs = append(wrongs, fmt.Sprintf(format, args...)) }
	if n := len(e.cases[key]); n != 1 {
		wrong("it has %d cases", n)
	}
	for _, c := range e.cases[key] {
		count.states[c.State]++
		t.judgeCancellation(c, e.attempts[c.ID], wrong)
		if attempts := e.attempts[c.ID]; len(attempts) > 0 {
			last := attempts[len(attempts)-1]
			count.said[last.Meaning+"/"+last.Detail]++
		}
	}
	t.judgeWire(e, key, wrong)
	if len(wrongs) == 0 {
		count.exact++
		return
	}
	r.report.Violate("%s (%s), order %s of %s: %v", t.name, t.how, key.OrderID, key.Serial, wrongs)
}

// judgeCancellation checks the product's records.
func (t *trial) judgeCancellation(c lab.Cancellation, attempts []lab.Attempt, wrong func(string, ...any)) {
	if c.State != string(t.final()) {
		wrong("case %d ended %s/%s, want %s", c.ID, c.State, c.Detail, t.final())
	}
	if c.Conflict != "" {
		wrong("case %d has the conflict %s", c.ID, c.Conflict)
	}
	if n := len(attempts); n != 1 {
		wrong("case %d was tried %d times, want once", c.ID, n)
	}
	for _, a := range attempts {
		if got := (outcome{models.Meaning(a.Meaning), models.Detail(a.Detail)}); got != t.want {
			wrong("attempt %d says %s/%s, want %s/%s", a.Number, got.Meaning, got.Detail, t.want.Meaning, t.want.Detail)
		}
	}
}

// judgeWire checks what was sent, received and done.
func (t *trial) judgeWire(e *evidence, key lab.SaleKey, wrong func(string, ...any)) {
	received := 1
	if !t.delivered {
		received = 0
	}
	if n := e.seen[key.OrderID]; n != 1 {
		wrong("its request left %d times, want once", n)
	}
	if n := e.received[key]; n != received {
		wrong("the service received it %d times, want %d", n, received)
	}
	if want := t.delivered && t.behind == cancels; e.truth[key] != want {
		wrong("its terminal canceled it: %t, want %t", e.truth[key], want)
	}
}
