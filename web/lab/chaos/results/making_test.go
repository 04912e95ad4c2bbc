package results

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/web/lab"
)

// making brings a sale that fuzzed bodies name to its state, on a terminal of its
// own, because an open cancellation occupies it. Its methods do nothing after an
// error, so that the steps read in sequence.
type making struct {
	*run
	ctx      context.Context
	terminal int
	err      error
}

func (m *making) fail(err error) {
	if m.err == nil {
		m.err = err
	}
}

// until waits for something that the product is to do.
func (m *making) until(what string, f func() (bool, error)) {
	if m.err == nil {
		m.fail(lab.Eventually(m.ctx, 90*time.Second, what, func(context.Context) (bool, error) { return f() }))
	}
}

// sell makes a sale whose amount, and so whose folio, no other sale has.
func (m *making) sell(fault string) *lab.Sale { return m.sold(m.newSale(m.terminal, fault)) }

// sold makes a sale that was prepared, and waits until it is known.
func (m *making) sold(s *lab.Sale) *lab.Sale {
	if m.err == nil {
		m.fail(m.SellUnseen(m.ctx, s))
	}
	if m.err == nil {
		m.fail(m.Seen(m.ctx, s))
	}
	return s
}

// requested requests the sale's cancellation and waits for a state.
func (m *making) requested(s *lab.Sale, state string) *lab.Sale {
	if m.err == nil {
		a := m.Managers[m.terminal%len(m.Managers)].Click(m.ctx, m.Servers[m.terminal%2], s.ID, fmt.Sprintf("click-%d", m.clicks.Add(1)), true)
		if !a.OK() {
			m.fail(a.Problem())
		}
	}
	m.await(s, state)
	return s
}

// await waits until the sale's latest cancellation is in a state.
func (m *making) await(s *lab.Sale, state string) {
	m.until("the case is "+state, func() (bool, error) {
		_, is, err := m.latest(m.ctx, s)
		return is == state, err
	})
}

// form sends a form of the sale's latest cancellation.
func (m *making) form(s *lab.Sale, path string, fields url.Values) {
	id, _, err := m.latest(m.ctx, s)
	m.fail(err)
	if m.err != nil {
		return
	}
	if a := m.Supervisor.Post(m.ctx, m.Servers[0], fmt.Sprintf("/cancellations/%d/%s", id, path), fields); !a.OK() {
		m.fail(a.Problem())
	}
}

// doubt makes a sale whose cancel got an error and reached no terminal.
func (m *making) doubt() *lab.Sale { return m.requested(m.sell("500"), "unknown") }

// occupied makes a sale whose cancellation waits for its terminal, which has another
// push.
func (m *making) occupied() *lab.Sale {
	m.requested(m.sell("ackNoResult"), "accepted")
	return m.requested(m.sell(""), "requested")
}

// fault requests a fault for the sale's next cancels.
func (m *making) fault(s *lab.Sale, name string, times int) {
	if m.err == nil {
		m.fail(m.Box.Fault(m.ctx, lab.Fault{Fault: name, OrderID: s.OrderID, SerialNumber: m.Serial(s.Terminal), Times: times}))
	}
}

// held waits for the next post of a sale's terminal.
func (m *making) held(s *lab.Sale) (body []byte) {
	m.until("the terminal posts", func() (bool, error) {
		body = m.office.take(s.OrderID)
		return body != nil, nil
	})
	return body
}

// delivered passes on what the terminal posts next, and waits for a state.
func (m *making) delivered(s *lab.Sale, state string) *lab.Sale {
	body := m.held(s)
	if m.err != nil {
		return s
	}
	status, answer, err := m.office.post(m.ctx, m.office.door(), body)
	if err != nil || !good(status, answer) {
		m.fail(fmt.Errorf("a post was answered %d %s: %w", status, answer, err))
	}
	m.await(s, state)
	return s
}

// latest returns the sale's latest cancellation; no state when it has none.
func (r *run) latest(ctx context.Context, s *lab.Sale) (id int64, state string, err error) {
	err = r.Pool.QueryRow(ctx, `SELECT id, state FROM cancellations WHERE sale_id = $1 ORDER BY id DESC LIMIT 1`, s.ID).Scan(&id, &state)
	if errors.Is(err, pgx.ErrNoRows) {
		err = nil
	}
	return id, state, err
}

// attemptIDs are the ids of the sale's cancels, oldest first. Only the
// terminals and the ledger know it.
func (r *run) attemptIDs(s *lab.Sale) (ids []string, err error) {
	entries, err := r.Box.Ledger()
	for _, e := range entries {
		if e.Kind == "request" && e.Operation == "cancel" && e.OrderID == s.OrderID && e.Serial == s.Serial {
			if id := e.AttemptID(); id != "" {
				ids = append(ids, id)
			}
		}
	}
	return ids, err
}

// merchant and folio are how the laboratory's terminals name themselves and sales.
func merchant(terminal int) string { return fmt.Sprint(900000 + terminal) }

func folio(s *lab.Sale) string { return "venta_" + s.Amount }

// good reports whether a terminal is content with the answer.
func good(status int, answer string) bool {
	return status == http.StatusOK && strings.Contains(answer, `"code":"00"`)
}
