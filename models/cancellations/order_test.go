package cancellations_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/audit/verify"
	"veinte/models/cancellations"
	"veinte/models/database"
	"veinte/models/evidence"
	"veinte/models/modelstest"
	"veinte/models/wiring"
)

// movable is a cancellation whose sale another connection holds while movers wait for it.
type movable struct {
	*modelstest.Office
	t       *testing.T
	sale    *models.Sale
	c       *models.Cancellation
	servers [2]*wiring.Services
	answer  func() error // of the service, to an attempt that is being sent; nil without one
}

// alive is the state sending whose process lives: see "the service's answer".
const alive = "sending, alive"

// holdable brings a cancellation into a state. The second server has connections of its own.
func holdable(t *testing.T, office *modelstest.Office, second *database.DB, in models.State) *movable {
	t.Helper()
	h := &movable{Office: office.Branch(t), t: t}
	config := h.Config
	config.DB = second
	h.servers = [2]*wiring.Services{h.Services, wiring.New(config)}
	if in != alive {
		h.sale, h.c = h.StateOf(in)
		return h
	}
	h.sale, h.c = h.StateOf(models.Requested)
	arrived, answer, sent := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	h.API.Arrived = func(models.Order) {
		close(arrived)
		<-answer
	}
	h.answer = sync.OnceValue(func() error {
		close(answer)
		return <-sent
	})
	go func() {
		_, err := h.Cancellations.Dispatch(context.Background(), h.c.ID)
		sent <- err
	}()
	<-arrived
	return h
}

// play lets movers wait for the sale, one after the other, each on another server.
func (h *movable) play(movers ...mover) {
	h.t.Helper()
	acts := make([]func() error, len(movers))
	for i, m := range movers {
		acts[i] = m(h, h.servers[i%2])
	}
	for i, err := range h.BehindSale(h.sale.ID, acts...) {
		var refused *models.Error
		if err != nil && !errors.As(err, &refused) {
			h.t.Errorf("act %d = %v", i+1, err)
		}
	}
	if h.answer != nil {
		if err := h.answer(); err != nil {
			h.t.Errorf("Dispatch() = %v", err)
		}
	}
}

// mover prepares an act that may move a held cancellation.
type mover func(h *movable, s *wiring.Services) func() error

// posted is a terminal's post.
func posted(change func(h *movable, p *models.Post)) mover {
	return func(h *movable, s *wiring.Services) func() error {
		p := modelstest.CancelPost(h.sale, modelstest.CurrentKey(h.Office, h.c))
		if change != nil {
			change(h, &p)
		}
		return func() error { return s.Results.Receive(context.Background(), p) }
	}
}

// resolved is what a supervisor saw.
func resolved(to models.State) mover {
	return func(h *movable, s *wiring.Services) func() error {
		r := cancellations.Resolution{Outcome: to, AuthCode: "778899"}
		return func() error { return s.Cancellations.Resolve(context.Background(), h.Supervisor, h.c.ID, r) }
	}
}

// due is a task whose time has come, after a while.
func due(after time.Duration, task func(h *movable, s *wiring.Services) (time.Duration, error)) mover {
	return func(h *movable, s *wiring.Services) func() error {
		h.Clock.Advance(after)
		return func() error {
			_, err := task(h, s)
			return err
		}
	}
}

// movers are what may move a cancellation, by name.
var movers = map[string]mover{
	"a result":          posted(nil),
	"a refusal":         posted(func(_ *movable, p *models.Post) { p.ResponseCode = "51" }),
	"an operation left": posted(func(_ *movable, p *models.Post) { p.Kind, p.ResponseCode, p.Amount = models.ResultAbandoned, "", nil }),
	"a result at its own address": posted(func(_ *movable, p *models.Post) {
		p.AttemptKey, p.OwnAddress, p.AddressSerial = "", true, p.SerialNumber
	}),
	// It was posted before anybody knew the sale.
	"a result read again": func(h *movable, s *wiring.Services) func() error {
		p := modelstest.CancelPost(h.sale, "")
		p.OrderID = "unknown " + h.sale.OrderID
		r := h.Post(p)
		modelstest.Exec(h.t, h.Owner, `UPDATE results SET order_id = $2, key_hash = $3 WHERE id = $1`,
			r.ID, h.sale.OrderID, modelstest.CurrentKey(h.Office, h.c))
		return func() error { return s.Results.RereadExplained(context.Background()) }
	},
	"the answer: still charged": answered(models.StandingCharged),
	"the answer: canceled":      answered(models.StandingCanceled),
	"a person: canceled":        resolved(models.Confirmed),
	"a person: still charged":   resolved(models.NotCanceled),
	"a report": func(h *movable, s *wiring.Services) func() error {
		return func() error {
			return h.DB.InTx(context.Background(), func(t database.Tx) error {
				l, err := s.Cancellations.Hold(t, h.sale.ID)
				if err != nil {
					return err
				}
				if err := l.Decisive(); err != nil {
					return err
				}
				_, err = l.Apply(context.Background(), evidence.ReportSays(h.Supervisor, true, "row 7"))
				return err
			})
		}
	},
	"its sending": due(0, func(h *movable, s *wiring.Services) (time.Duration, error) {
		return s.Cancellations.Dispatch(context.Background(), h.c.ID)
	}),
	"the service's answer": func(h *movable, _ *wiring.Services) func() error { return h.answer },
	"the service's refusal": func(h *movable, _ *wiring.Services) func() error {
		h.API.Then(modelstest.NoTerminal)
		return h.answer
	},
	"its withdrawal": due(0, func(h *movable, s *wiring.Services) (time.Duration, error) {
		_, err := s.Cancellations.Withdraw(context.Background(), h.Manager, h.c.ID)
		return 0, err
	}),
	"its end at the cut-off": due(9*time.Hour, func(h *movable, s *wiring.Services) (time.Duration, error) {
		return s.Cancellations.Expire(context.Background(), h.c.ID)
	}),
	"the end of its process": due(45*time.Second, func(h *movable, s *wiring.Services) (time.Duration, error) {
		return s.Cancellations.Recover(context.Background(), h.c.ID, 1)
	}),
	"the end of the wait": due(4*time.Minute, func(h *movable, s *wiring.Services) (time.Duration, error) {
		return s.Cancellations.EndResultWait(context.Background(), h.c.ID, 1)
	}),
	"a question": due(0, func(h *movable, s *wiring.Services) (time.Duration, error) {
		return s.Cancellations.Inquire(context.Background(), h.c.ID, 0)
	}),
	"another request": due(0, func(h *movable, s *wiring.Services) (time.Duration, error) {
		_, err := s.Cancellations.Request(context.Background(), h.Supervisor, h.CancelRequest(h.sale))
		return 0, err
	}),
}

// answered is the terminal's answer to an inquiry that was sent after the quiet time.
func answered(standing models.SaleStanding) mover {
	return func(h *movable, s *wiring.Services) func() error {
		h.Clock.Advance(4 * time.Minute)
		before := len(h.Inquiries.Orders())
		if _, err := h.Cancellations.Inquire(context.Background(), h.c.ID, 0); err != nil {
			h.t.Fatalf("Inquire() = %v", err)
		}
		p := modelstest.InquiryPost(h.sale, standing)
		if sent := h.Inquiries.Orders()[before:]; len(sent) > 0 {
			p.AttemptKey = sent[0].Key.Hash()
		}
		return func() error { return s.Results.Receive(context.Background(), p) }
	}
}

// moversOf are the movers that matter in a state.
var moversOf = map[models.State][]string{
	models.Requested: {"its sending", "its withdrawal", "its end at the cut-off", "a person: canceled", "a report"},
	models.Sending: {
		"the end of its process", "a result", "a refusal", "an operation left", "a result at its own address", "a result read again",
		"a person: canceled", "a report",
	},
	alive: {
		"the service's answer", "the service's refusal", "the end of its process", "a result", "a refusal", "a result read again",
		"a person: canceled", "a report",
	},
	models.Accepted: {
		"the end of the wait", "a result", "a refusal", "an operation left", "a result at its own address", "a result read again",
		"a person: canceled", "a report",
	},
	models.Unknown: {
		"a result", "a refusal", "a result read again", "the answer: still charged", "the answer: canceled", "a person: canceled",
		"a person: still charged", "a report", "a question",
	},
	models.NotCanceled: {"a result", "a result read again", "a person: canceled", "a report", "another request"},
	models.Rejected:    {"a result", "a result at its own address", "a result read again", "a person: canceled", "another request"},
}

// TestAResultIsToldBehindTheMoveItWaitedFor: the wait for a result ends while a result
// is being read.
func TestAResultIsToldBehindTheMoveItWaitedFor(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	h := holdable(t, o, modelstest.Open(t, o.URL), models.Accepted)
	h.play(movers["the end of the wait"], movers["a result"])
	got := movesTold(t, o, h.sale.ID)
	want := []string{"→ requested", "requested → sending", "sending → accepted", "accepted → unknown", "unknown → confirmed"}
	modelstest.Equal(t, "moves as the trail tells them", got, want)
	o.CheckInvariants(t)
}

// movesTold is the moves of a sale in the order of the seal and of the stream.
func movesTold(t *testing.T, o *modelstest.Office, saleID int64) []string {
	t.Helper()
	var moves string
	err := o.Owner.QueryRow(`SELECT string_agg(concat_ws(' ', before->>'state', '→', after->>'state'), '|' ORDER BY era, txid, id)
		FROM audit_entries WHERE sale_id = $1 AND action IN ('cancellation.requested', 'cancellation.moved')`, saleID).Scan(&moves)
	if err != nil {
		t.Fatalf("read the moves of sale %d: %v", saleID, err)
	}
	return strings.Split(moves, "|")
}

// TestEveryPairOfMoversIsToldInOrder: two movers wait for a held sale, in either order;
// then each move of the trail begins where the last one ended, by the order of the seal
// and of the stream, and times do not go back.
func TestEveryPairOfMoversIsToldInOrder(t *testing.T) {
	t.Parallel()
	for state, names := range moversOf {
		t.Run(string(state), func(t *testing.T) {
			t.Parallel()
			o := modelstest.NewOffice(t)
			second := modelstest.Open(t, o.URL)
			for _, first := range names {
				for _, then := range names {
					if strings.HasPrefix(first, "the service") && strings.HasPrefix(then, "the service") {
						continue // it answers once
					}
					h := holdable(t, o, second, state)
					h.play(movers[first], movers[then])
					if broken := o.InvariantErrors(); len(broken) > 0 {
						t.Fatalf("%s, then %s: %v", first, then, broken)
					}
				}
			}
			followed(t, o)
			intact(t, o)
		})
	}
}

// followed reads the whole trail as a program does, and checks the order of its moves.
func followed(t *testing.T, o *modelstest.Office) {
	t.Helper()
	last := int64(modelstest.Count(t, o.Owner, `SELECT id FROM audit_entries ORDER BY era DESC, txid DESC, id DESC LIMIT 1`))
	program := models.Actor{Role: models.Integration, Name: "siem", AllStores: true, Grants: []models.Permission{models.FollowAudit}}
	was, after, end := map[int64]models.AuditEntry{}, "", false
	modelstest.WaitFor(t, "the stream to reach the last entry", func() bool {
		s, err := o.Audit.FollowAudit(t.Context(), program, after, audit.MaxStreamed)
		if err != nil {
			t.Fatalf("FollowAudit(%q) = %v", after, err)
		}
		after = s.After
		for _, e := range s.Entries {
			end = end || e.ID == last
			if e.Action != models.ActionCancellationRequested && e.Action != models.ActionCancellationMoved {
				continue
			}
			if before, known := was[*e.CancellationID]; known && (stateOf(t, e.Before) != stateOf(t, before.After) || e.At.Before(before.At)) {
				t.Errorf("entry %d begins at %s in %s, entry %d before it ended at %s in %s",
					e.ID, e.At, e.Before, before.ID, before.At, before.After)
			}
			was[*e.CancellationID] = e
		}
		return end
	})
}

// intact seals the trail and verifies it.
func intact(t *testing.T, o *modelstest.Office) {
	t.Helper()
	o.SealTrail(int64(modelstest.Count(t, o.Owner, `SELECT id FROM audit_entries ORDER BY era DESC, txid DESC, id DESC LIMIT 1`)))
	v, err := wiring.Over(o.DB).Verify.VerifyTrail(t.Context(), verify.TrailCheck{})
	if err != nil {
		t.Fatalf("VerifyTrail() = %v", err)
	}
	for _, f := range v.Findings {
		if f.Code == verify.FindMove { // the branches have clocks of their own, which is another finding
			t.Errorf("VerifyTrail() finds %+v", f)
		}
	}
}

func stateOf(t *testing.T, attributes []byte) models.State {
	t.Helper()
	var is struct{ State models.State }
	if len(attributes) > 0 {
		if err := json.Unmarshal(attributes, &is); err != nil {
			t.Fatal(err)
		}
	}
	return is.State
}

// TestTimesDoNotGoBackBetweenServers: the clocks of two servers differ by a little. The
// one that is behind writes no time before the other's last move, nor does a cancellation
// begin before the one before it ended. It decides by its own clock.
func TestTimesDoNotGoBackBetweenServers(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	config := o.Config
	slow := modelstest.NewClock(o.Clock.Now().Add(-1500 * time.Millisecond))
	config.Clock = slow
	behind := wiring.New(config)
	sale := o.Sale(125000)
	c := o.Request(sale)
	o.API.Then(modelstest.NoTerminal)
	if _, err := behind.Cancellations.Dispatch(t.Context(), c.ID); err != nil {
		t.Fatalf("Dispatch() = %v", err)
	}
	o.CheckInvariants(t)
	rejected := o.Cancellation(c.ID)
	again, err := behind.Cancellations.Request(t.Context(), o.Manager, o.CancelRequest(sale))
	if err != nil {
		t.Fatalf("Request() = %v", err)
	}
	if again.RequestedAt.Before(rejected.ChangedAt) {
		t.Errorf("requested at %s, the cancellation before it ended at %s", again.RequestedAt, rejected.ChangedAt)
	}
	if begun := rejected.AttemptList[0].StartedAt; !begun.Equal(slow.Now()) {
		t.Errorf("the attempt began at %s, want %s: by the clock of who sends", begun, slow.Now())
	}
	// Until the cut-off by its own clock it sends.
	o.Clock.Set(sale.CutoffAt)
	slow.Set(sale.CutoffAt.Add(-time.Minute))
	if wait, err := behind.Cancellations.Expire(t.Context(), again.ID); wait == 0 || err != nil {
		t.Errorf("Expire() a minute before the cut-off waits %s, %v, want a wait", wait, err)
	}
}
