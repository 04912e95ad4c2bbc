package lab

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"veinte/web/lab/trace"
)

// Verdict is the judge's result: the ledger compared with the product's records.
type Verdict struct {
	Sales          int            // that terminals made
	Canceled       int            // that terminals really canceled
	Clicks         int            // clicks on the button
	Acknowledged   int            // of these, answered 200 or 303
	Unanswered     int            // of these, without a whole answer
	Cancellations  int            //
	States         map[string]int // cancellations by state
	Faults         map[string]int // that the sandbox injected, by name
	Deliveries     int            // whole cancel requests that the service received
	CutRequests    int            // that it received in part
	Refused        int            // of the whole ones, refused for their token
	Doubles        int            // deliveries beyond the first of a cancellation
	Unrecorded     int            // deliveries of no committed attempt
	Lost           int            // acknowledged clicks without a cancellation
	Contradictions int            // final states that the ledger contradicts
	Unproven       int            // moves to a final state for which the ledger has no proof
	Posts          int            // of terminals that were answered 200 with code 00
	PostsLost      int            // of these, not stored
	Automatically  int            // cancellations that ended automatically
	ByPeople       int            // cancellations that a person ended
	LeftOpen       int            // cancellations that are not final
	Moves          int            // in the trail, each checked against the table of moves
	Violations     []string       // empty when all is well
}

// evidence is the judge's input.
type evidence struct {
	*Verdict
	entries  []Entry
	truth    map[SaleKey]bool
	clicks   []Click
	cases    []Cancellation
	attempts []Attempt
	moves    []Move
	received map[int64]int // deliveries of each cancellation
}

func (e *evidence) violate(format string, args ...any) {
	e.Violations = append(e.Violations, fmt.Sprintf(format, args...))
}

// Judge compares the ledger, which only the sandbox writes, with the product's
// cancellations, attempts and trail. Call it when no cancellation is under way and
// no terminal shows a push. It changes nothing and may be called again.
func (l *Lab) Judge(ctx context.Context) (*Verdict, error) {
	for begin := time.Now(); ; {
		v, err := l.judge(ctx)
		// A post is in the ledger only after its response, so the state that it
		// proves may be visible here a moment earlier.
		if err != nil || v.Unproven == 0 || time.Since(begin) > postsNoted {
			return v, err
		}
		select {
		case <-ctx.Done():
			return v, ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// postsNoted is the maximum delay of a post's line in the ledger.
const postsNoted = 5 * time.Second

func (l *Lab) judge(ctx context.Context) (*Verdict, error) {
	e := &evidence{Verdict: &Verdict{States: map[string]int{}, Faults: map[string]int{}}, clicks: l.Clicks()}
	var errs [5]error
	e.cases, errs[0] = l.Cancellations(ctx)
	e.attempts, errs[1] = l.Attempts(ctx)
	e.moves, errs[2] = l.Moves(ctx)
	// The ledger is read last, so that it has everything that the other reads have.
	e.entries, errs[3] = l.Box.Ledger()
	e.truth, errs[4] = l.Truth()
	if err := errors.Join(errs[:]...); err != nil {
		return nil, fmt.Errorf("judge: %w", err)
	}
	e.deliveries()
	e.acknowledgements()
	e.endings()
	if !l.options.PostsHeld {
		e.proofs()
		errs[0] = l.judgePosts(ctx, e)
	}
	if err := errors.Join(errs[0], l.judgeRecords(ctx, e), l.judgeMoves(ctx, e)); err != nil {
		return nil, fmt.Errorf("judge: %w", err)
	}
	return e.Verdict, nil
}

// judgeMoves checks every move in the trail against the table that is written from
// the domain.
func (l *Lab) judgeMoves(ctx context.Context, e *evidence) error {
	moves, rows, err := trace.Load(ctx, l.Pool)
	if err != nil {
		return err
	}
	e.Verdict.Moves = len(moves)
	for _, v := range trace.Check(moves, rows) {
		e.violate("%s", v)
	}
	return nil
}

// deliveries compares the attempts with what the service received: each delivery has
// a committed attempt, none is repeated, and none is recorded as never sent.
func (e *evidence) deliveries() {
	byHash := map[string]Attempt{}
	for _, a := range e.attempts {
		byHash[a.KeyHash] = a
	}
	token := map[int64]bool{} // requests refused for their token: the gateway's refusal, no delivery
	for _, x := range e.entries {
		if x.Kind == "answer" && x.Status == 401 && strings.Contains(x.Answer, "invalid_token") {
			token[x.Of] = true
		}
		if x.Kind == "answer" && x.Fault != "" {
			e.Faults[x.Fault]++
		}
	}
	e.received = map[int64]int{}
	for _, x := range e.entries {
		if x.Kind != "request" || x.Operation != "cancel" {
			continue
		}
		hash := x.AttemptHash()
		if hash == "" {
			e.CutRequests++
			continue
		}
		e.Deliveries++
		a, known := byHash[hash]
		switch {
		case !known:
			e.Unrecorded++
			e.violate("ledger %d: order %s was sent without a committed attempt", x.Seq, x.OrderID)
		case token[x.Seq]:
			e.Refused++
		default:
			if a.Meaning == "notSent" {
				e.violate("ledger %d: attempt %d of case %d was received, and we say that it never left", x.Seq, a.Number, a.CancellationID)
			}
			if e.received[a.CancellationID]++; e.received[a.CancellationID] > 1 {
				e.Doubles++
				e.violate("ledger %d: case %d was delivered %d times", x.Seq, a.CancellationID, e.received[a.CancellationID])
			}
		}
	}
}

// acknowledgements compares the cancellations with the responses that users got.
func (e *evidence) acknowledgements() {
	type key struct {
		user  int64
		click string
	}
	there := map[key]int64{}
	for _, c := range e.cases {
		if c.UserID != nil {
			there[key{*c.UserID, c.Click}] = c.SaleID
		}
	}
	for _, c := range e.clicks {
		e.Clicks++
		if c.Status == 0 {
			e.Unanswered++
		}
		if !c.Acknowledged() {
			continue
		}
		e.Acknowledged++
		if there[key{c.UserID, c.Click}] != c.SaleID {
			e.Lost++
			e.violate("click %s on sale %d was answered %d, and there is no case", c.Click, c.SaleID, c.Status)
		}
	}
}

// endings compares final states with what the terminals did.
func (e *evidence) endings() {
	last := map[int64]Move{}
	for _, m := range e.moves {
		last[m.CancellationID] = m
	}
	type said struct{ confirmed, open bool }
	sales := map[SaleKey]*said{}
	for _, c := range e.cases {
		e.Cancellations++
		e.States[c.State]++
		k := SaleKey{c.Serial, c.OrderID}
		if sales[k] == nil {
			sales[k] = &said{}
		}
		switch {
		case c.State == "confirmed":
			sales[k].confirmed = true
		case c.State == "unknown" || c.Underway():
			sales[k].open = true
			e.LeftOpen++
			continue
		}
		if last[c.ID].UserID != nil {
			e.ByPeople++
		} else {
			e.Automatically++
		}
	}
	for _, canceled := range e.truth {
		e.Sales++
		if canceled {
			e.Canceled++
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(sales), func(a, b SaleKey) int { return strings.Compare(a.OrderID, b.OrderID) }) {
		s := sales[k]
		switch {
		case s.confirmed && !e.truth[k]:
			e.Contradictions++
			e.violate("order %s of terminal %s is confirmed, and its terminal did not cancel it", k.OrderID, k.Serial)
		case e.truth[k] && !s.confirmed && !s.open:
			e.Contradictions++
			e.violate("order %s of terminal %s was canceled, and every case of it ended otherwise", k.OrderID, k.Serial)
		}
	}
}

// judgeRecords compares the product's tables with each other, guided by the ledger:
// every delivery must be in the trail, and the list of sales must match the
// cancellations.
func (l *Lab) judgeRecords(ctx context.Context, e *evidence) error {
	silent, err := collect[struct {
		CancellationID int64
		Number         int
	}](ctx, l, `SELECT cancellation_id, number FROM attempts EXCEPT
		SELECT cancellation_id, attempt_number FROM audit_entries WHERE action = 'cancellation.moved' AND after->>'state' = 'sending'`)
	if err != nil {
		return err
	}
	for _, a := range silent {
		e.violate("attempt %d of case %d is not in the trail", a.Number, a.CancellationID)
	}
	several, err := collect[struct{ SaleID, Open int64 }](ctx, l, `SELECT sale_id, count(*) AS open FROM cancellations
		WHERE state IN ('requested', 'sending', 'accepted', 'unknown') GROUP BY sale_id HAVING count(*) > 1`)
	if err != nil {
		return err
	}
	for _, s := range several {
		e.violate("sale %d has %d open cases", s.SaleID, s.Open)
	}
	shown, err := collect[struct {
		SaleID      int64
		Sale, Cases string
	}](ctx, l, `SELECT s.id AS sale_id, s.state AS sale, c.state AS cases FROM sales s JOIN LATERAL (
			SELECT state FROM cancellations WHERE sale_id = s.id ORDER BY (state = 'confirmed') DESC, id DESC LIMIT 1) c ON true
		WHERE s.state <> c.state AND c.state <> 'withdrawn'`)
	if err != nil {
		return err
	}
	for _, s := range shown {
		e.violate("sale %d shows %s, its case is %s", s.SaleID, s.Sale, s.Cases)
	}
	return nil
}
