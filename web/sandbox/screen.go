package sandbox

import (
	"context"
	"sync"
	"time"
)

// push is one order on its way to a terminal's screen.
type push struct {
	operation string
	order     order
	asked     time.Time // when the service received it
	plan      plan
	request   int64  // its ledger line
	dismiss   func() // removes it from the screen without acting
}

// screens holds the push on each terminal's screen. A terminal shows one push; a
// newer one replaces it, and the older one has no effect. That is our choice: the
// behavior of a real terminal is not published.
type screens struct {
	mu       sync.Mutex
	bySerial map[string]*push
}

func (s *screens) put(p *push) (replaced *push) {
	s.mu.Lock()
	defer s.mu.Unlock()
	replaced = s.bySerial[p.order.SerialNumber]
	s.bySerial[p.order.SerialNumber] = p
	return replaced
}

// takeOff reports whether p was still on the screen, and clears it.
func (s *screens) takeOff(p *push) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bySerial[p.order.SerialNumber] != p {
		return false
	}
	delete(s.bySerial, p.order.SerialNumber)
	return true
}

func (s *screens) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.bySerial)
}

// show puts a push on its terminal's screen and returns. The terminal acts
// after the result delay.
func (s *Sandbox) show(p push) {
	ctx, dismiss := context.WithCancel(s.ctx)
	p.dismiss = dismiss
	s.putOnScreen(&p)
	s.start(func() {
		defer dismiss()
		if wait(ctx, jitter(s.settings.get().ResultDelay)) && s.screens.takeOff(&p) {
			s.act(p)
		}
	})
}

// runNow lets the terminal act at once and returns after its post.
func (s *Sandbox) runNow(p push) {
	p.dismiss = func() {}
	s.putOnScreen(&p)
	if s.screens.takeOff(&p) {
		s.act(p)
	}
}

func (s *Sandbox) putOnScreen(p *push) {
	replaced := s.screens.put(p)
	if replaced == nil {
		return
	}
	replaced.dismiss()
	s.note(&entry{
		Kind: kindTerminal, Event: "pushReplaced", Of: replaced.request, Operation: replaced.operation,
		SerialNumber: replaced.order.SerialNumber, OrderID: replaced.order.OrderID,
	})
}

// act does what a push requests and posts the result.
func (s *Sandbox) act(p push) {
	result := s.carryOut(p)
	d := delivery{event: p.operation, order: p.order.OrderID, serial: p.order.SerialNumber, request: p.request, body: encode(result)}
	if p.plan.name == faultLateResult && !wait(s.ctx, p.plan.delay) {
		return
	}
	s.deliver(d)
	if p.plan.name == faultDuplicateResult {
		s.deliver(d)
	}
}

// carryOut changes the terminal's state and returns the post about it.
func (s *Sandbox) carryOut(p push) post {
	o := p.order
	t, _ := s.registry.terminal(o.SerialNumber)
	sold, known := s.registry.sale(o.SerialNumber, o.OrderID)
	at := s.now()
	var result post
	switch {
	case p.plan.name == faultAbandoned:
		return abandonedPost(t, sold, at, o.Traceability)
	case p.operation == operationReprint:
		result = reprintPost(t, sold, known, o, p.plan.name == faultDeclined)
	case p.plan.name == faultDeclined:
		result = cancelPost(t, orBlank(sold, known, o), declined, at, o.Traceability)
	default:
		after, v, err := s.registry.cancelSale(o.SerialNumber, o.OrderID, p.asked)
		if err != nil {
			s.logger.Error("cancellation not stored", "order", o.OrderID, "error", err)
		}
		result = cancelPost(t, after, v, at, o.Traceability)
	}
	switch p.plan.name {
	case faultWrongAmount:
		result.charge(sold.amount() + 100)
	case faultWrongTerminal:
		result.TerminalID = s.registry.otherSerial(o.SerialNumber)
	}
	return result
}

// orBlank returns the sale, or one with only the order's number when it is unknown.
func orBlank(sold sale, known bool, o order) sale {
	if known {
		return sold
	}
	return sale{OrderID: o.OrderID, SerialNumber: o.SerialNumber, Amount: "0.00"}
}

// otherSerial returns another registered terminal's serial, or an unregistered one.
func (g *registry) otherSerial(serial string) string {
	for _, t := range g.list() {
		if t.SerialNumber != serial {
			return t.SerialNumber
		}
	}
	if serial == "9999999999" {
		return "9999999998"
	}
	return "9999999999"
}
