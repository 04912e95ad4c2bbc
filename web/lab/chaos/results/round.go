package results

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"veinte/web/lab"
)

// kind is one way in which posts come wrong, and what it must come to. A round
// of it has a terminal of its own.
type kind struct {
	name     string
	today    func(*round)
	tomorrow func(*round) // what comes a day later; nil when nothing does
}

// round is one playing of a kind. Its methods do nothing once something went
// wrong, so that a kind reads as a story.
type round struct {
	*run
	ctx      context.Context
	kind     *kind
	terminal int
	sale     *lab.Sale // the first one, for the day after
	post     *post     // likewise
	err      error     // the laboratory's failure
	over     bool      // the product did wrong: what follows would only say so again
}

func (r *round) ended() bool { return r.err != nil || r.over }

func (r *round) fail(err error) {
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("%s: %w", r.kind.name, err)
	}
}

func (r *round) wrong(format string, args ...any) {
	r.over = true
	r.violate("%s (terminal %d): %s", r.kind.name, r.terminal, fmt.Sprintf(format, args...))
}

// until waits for something that the product is to do.
func (r *round) until(what string, f func() (bool, error)) {
	deadline := time.Now().Add(patience)
	for !r.ended() {
		ok, err := f()
		switch {
		case err != nil:
			r.fail(fmt.Errorf("wait until %s: %w", what, err))
		case ok:
			return
		case r.ctx.Err() != nil:
			r.fail(r.ctx.Err())
		case time.Now().After(deadline):
			r.wrong("after %s it is still not so that %s", patience, what)
		default:
			time.Sleep(5 * time.Millisecond)
		}
	}
}

// patience is how long the product may take for what it does by itself.
const patience = 90 * time.Second

// sell makes a sale whose amount, and so whose folio, no other sale has.
func (r *round) sell(fault string) *lab.Sale {
	s := r.unsold(fault)
	if !r.ended() {
		r.fail(r.SellUnseen(r.ctx, s))
	}
	r.seen(s)
	return s
}

// unsold prepares a sale that is not made yet.
func (r *round) unsold(fault string) *lab.Sale {
	s := r.newSale(r.terminal, fault)
	if r.sale == nil {
		r.sale = s
	}
	return s
}

func (r *round) seen(s *lab.Sale) {
	if !r.ended() {
		r.fail(r.Seen(r.ctx, s))
	}
}

// ask lets a person press the button of a sale.
func (r *round) ask(who *lab.Person, s *lab.Sale) {
	if r.ended() {
		return
	}
	if a := who.Click(r.ctx, r.server(), s.ID, fmt.Sprintf("click-%d", r.clicks.Add(1)), true); !a.OK() {
		r.wrong("asked to cancel: %v", a.Problem())
	}
}

func (r *round) request(s *lab.Sale) { r.ask(r.Managers[r.terminal%len(r.Managers)], s) }

// await waits until the sale's latest case is in a state.
func (r *round) await(s *lab.Sale, state string) {
	r.until("the case is "+state, func() (bool, error) {
		cases, err := r.casesOf(r.ctx, s)
		return len(cases) > 0 && cases[len(cases)-1].state == state, err
	})
}

// requested asks and waits for a state.
func (r *round) requested(s *lab.Sale, state string) {
	r.request(s)
	r.await(s, state)
}

// form sends a form of the sale's latest case.
func (r *round) form(s *lab.Sale, path string, fields url.Values) {
	if r.ended() {
		return
	}
	cases, err := r.casesOf(r.ctx, s)
	r.fail(err)
	if r.ended() || len(cases) == 0 {
		return
	}
	if fields == nil {
		fields = url.Values{}
	}
	a := r.Supervisor.Post(r.ctx, r.server(), fmt.Sprintf("/cancellations/%d/%s", cases[len(cases)-1].id, path), fields)
	if !a.OK() {
		r.wrong("%s: %v", path, a.Problem())
	}
}

// settledNotCanceled lets the supervisor say that the sale is still charged.
func (r *round) settledNotCanceled(s *lab.Sale) {
	r.form(s, "resolution", url.Values{"outcome": {"notCanceled"}, "note": {"La terminal no imprimió nada."}})
	r.await(s, "notCanceled")
}

// asked presses "Verificar" and takes what the terminal answers.
func (r *round) asked(s *lab.Sale) *post {
	r.form(s, "inquiry", url.Values{})
	return r.held(s)
}

// byHand cancels on the device itself, and takes what the terminal says of it.
func (r *round) byHand(s *lab.Sale) *post {
	if !r.ended() {
		r.fail(r.Box.Control(r.ctx, "POST", "/control/cancellations-on-terminal",
			map[string]string{"orderId": s.OrderID, "serialNumber": s.Serial}, nil))
	}
	return r.held(s)
}

// held waits for the next post of a sale's terminal.
func (r *round) held(s *lab.Sale) *post {
	p := &post{body: []byte("{}")}
	r.until("the terminal posts", func() (bool, error) {
		got := r.office.take(s.OrderID)
		if got != nil {
			p = got
		}
		return got != nil, nil
	})
	return p
}

// deliver posts something several times at the same instant, to both servers.
func (r *round) deliver(p *post, times int) {
	if r.ended() {
		return
	}
	var group sync.WaitGroup
	answers := make([]string, times)
	for i := range times {
		group.Go(func() {
			status, answer, err := r.office.post(r.ctx, r.office.door(), p.body, "application/json")
			if err != nil || !good(status, answer) {
				answers[i] = fmt.Sprintf("%d %s %v", status, answer, err)
			}
		})
	}
	group.Wait()
	r.posted.Add(int64(times))
	for _, a := range answers {
		if a != "" {
			r.wrong("a post was answered %s", a)
		}
	}
}

// became says what became of a post's deliveries: "applied 1, duplicate 4".
func (r *round) became(p *post, want string) {
	if r.ended() {
		return
	}
	got, err := r.statuses(r.ctx, p)
	r.fail(err)
	if r.ended() || got == want {
		return
	}
	r.wrong("the post became %q, want %q", got, want)
}

// is says what the sale's cases are, each with its conflict, and every move that
// they made: is(s, "confirmed/latePositive", "requested sending unknown confirmed").
func (r *round) is(s *lab.Sale, wantCases, wantMoves string) {
	if r.ended() {
		return
	}
	cases, err := r.casesOf(r.ctx, s)
	r.fail(err)
	moves, err := r.movesOf(r.ctx, s)
	r.fail(err)
	var got []string
	for _, c := range cases {
		got = append(got, c.String())
	}
	if text := strings.Join(got, " "); !r.ended() && text != wantCases {
		r.wrong("cases are %q, want %q (moves: %s)", text, wantCases, strings.Join(moves, " "))
	}
	if text := strings.Join(moves, " "); !r.ended() && text != wantMoves {
		r.wrong("moves are %q, want %q", text, wantMoves)
	}
}

// sent says how many cancels of a sale the service has received.
func (r *round) sent(s *lab.Sale, operation string) (n int) {
	entries, err := r.Box.Ledger()
	r.fail(err)
	for _, e := range entries {
		if e.Kind == "request" && e.Operation == operation && e.OrderID == s.OrderID && e.Serial == s.Serial {
			n++
		}
	}
	return n
}

// fault demands a fault of the sale's cancels to come.
func (r *round) fault(s *lab.Sale, name string, times int, acts ...bool) {
	f := lab.Fault{Fault: name, OrderID: s.OrderID, SerialNumber: s.Serial, Times: times}
	if len(acts) > 0 {
		f.Acts = &acts[0]
	}
	if !r.ended() {
		r.fail(r.Box.Fault(r.ctx, f))
	}
}

// shown says that the page of results shows an order among those with a status.
func (r *round) shown(status, order string) {
	r.until("the page of results shows "+order, func() (bool, error) {
		a := r.Supervisor.Get(r.ctx, r.server(), "/results?status="+status)
		return a.OK() && strings.Contains(a.Text, order), a.Err
	})
}
