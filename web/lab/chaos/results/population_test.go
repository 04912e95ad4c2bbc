package results

import (
	"context"
	"fmt"
	"net/url"
	"sync"
	"sync/atomic"

	"veinte/web/lab"
)

// target is a sale that fuzzed bodies name.
type target struct {
	sale            *lab.Sale
	state           string // of its latest cancellation; "" when it has none
	merchant, folio string
	ids             []string // of the attempts of its cancellations
	current         string   // the one whose refusal would count; "" when none would
	truth           []byte   // what its terminal really posted and was not delivered; nil when nothing
	prey            string   // the state that bodies are to bring it to; "" for none
	hit             atomic.Bool
}

// setMember is how one member of a set comes to be. A set has a sale in every
// state that stays as it is while the servers wait long.
type setMember struct {
	prey string
	make func(*making) *lab.Sale
}

var setMembers = []setMember{
	{make: func(m *making) *lab.Sale { return m.sell("") }},
	{make: func(m *making) *lab.Sale { // its folio is that of another sale
		s, twin := m.sell(""), m.newSale(m.terminal, "")
		twin.Amount = s.Amount
		m.sold(twin)
		return s
	}},
	{make: func(m *making) *lab.Sale { return m.requested(m.sell("ackNoResult"), "accepted") }},
	{make: func(m *making) *lab.Sale { return m.requested(m.sell(""), "accepted") }},
	{make: func(m *making) *lab.Sale {
		return m.delivered(m.requested(m.sell("wrongAmount"), "accepted"), "accepted")
	}},
	{make: (*making).doubt},
	{make: func(m *making) *lab.Sale { return m.requested(m.sell("cutBody"), "unknown") }},
	{make: func(m *making) *lab.Sale { return m.delivered(m.requested(m.sell("declined"), "accepted"), "rejected") }},
	{make: func(m *making) *lab.Sale {
		s := m.doubt()
		m.form(s, "resolution", url.Values{"outcome": {"notCanceled"}, "note": {"La terminal no imprimió nada."}})
		m.await(s, "notCanceled")
		return s
	}},
	{make: func(m *making) *lab.Sale { return m.delivered(m.requested(m.sell(""), "accepted"), "confirmed") }},
	{make: (*making).occupied},
	{make: func(m *making) *lab.Sale {
		s := m.occupied()
		m.form(s, "withdrawal", url.Values{})
		return s
	}},
	{make: func(m *making) *lab.Sale { // its second cancellation
		s := m.newSale(m.terminal, "")
		m.fault(s, "declined", 1)
		m.fault(s, "ackNoResult", -1)
		m.delivered(m.requested(m.sold(s), "accepted"), "rejected")
		return m.requested(s, "accepted")
	}},
	{prey: "confirmed", make: func(m *making) *lab.Sale { return m.requested(m.sell(""), "accepted") }},
	{prey: "confirmed", make: func(m *making) *lab.Sale { return m.requested(m.sell("cutBody"), "unknown") }},
	{prey: "rejected", make: func(m *making) *lab.Sale { return m.requested(m.sell("declined"), "accepted") }},
}

// populate makes the sets, each member on a terminal of its own.
func (r *run) populate(ctx context.Context) ([]*target, error) {
	targets := make([]*target, r.Sets*len(setMembers))
	makings := make([]*making, len(targets))
	places := make(chan struct{}, 16)
	var group sync.WaitGroup
	for i := range targets {
		makings[i] = &making{run: r, ctx: ctx, terminal: i}
		places <- struct{}{}
		group.Go(func() {
			targets[i] = makings[i].target(setMembers[i%len(setMembers)])
			<-places
		})
	}
	group.Wait()
	for i, m := range makings {
		if m.err != nil {
			return nil, fmt.Errorf("member %d of a set: %w", i%len(setMembers), m.err)
		}
	}
	return targets, nil
}

func (m *making) target(member setMember) *target {
	s := member.make(m)
	t := &target{sale: s, merchant: merchant(s.Terminal), folio: folio(s), prey: member.prey}
	if t.prey != "" {
		t.truth = m.held(s)
	}
	var err error
	t.ids, err = m.attemptIDs(s)
	m.fail(err)
	_, t.state, err = m.latest(m.ctx, s)
	m.fail(err)
	if (t.state == "accepted" || t.state == "unknown") && len(t.ids) > 0 {
		t.current = t.ids[len(t.ids)-1]
	}
	return t
}
