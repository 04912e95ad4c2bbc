package results

import (
	"context"
	"fmt"
	"sync/atomic"

	"veinte/web/lab"
)

// target is a sale that fuzzed bodies name.
type target struct {
	sale            *lab.Sale
	state           string // of its latest case; "" when it has none
	merchant, folio string
	twin            bool     // another sale of its terminal has the same folio
	ids             []string // of the attempts of its cases
	current         string   // the one whose refusal would count; "" when none would
	truth           *post    // what its terminal really said and was not delivered; nil when nothing
	prey            string   // the state that bodies are to bring it to; "" for none
	hit             atomic.Bool
}

// setMember is how one member of a set comes to be. A set has a sale in every
// state that stays as it is while the servers wait long.
type setMember struct {
	prey string
	make func(*round) *lab.Sale
}

// terminalsOfSet is how many terminals a set takes.
var terminalsOfSet = len(setMembers)

var setMembers = []setMember{
	{make: func(r *round) *lab.Sale { return r.sell("") }},
	{make: func(r *round) *lab.Sale { // its folio is that of another sale
		s, twin := r.sell(""), r.unsold("")
		twin.Amount = s.Amount
		r.soldNow(twin)
		return s
	}},
	{make: func(r *round) *lab.Sale { s := r.sell("ackNoResult"); r.requested(s, "accepted"); return s }},
	{make: func(r *round) *lab.Sale { s := r.sell(""); r.requested(s, "accepted"); return s }},
	{make: func(r *round) *lab.Sale {
		s := r.sell("wrongAmount")
		r.requested(s, "accepted")
		r.deliver(r.held(s), 1)
		return s
	}},
	{make: func(r *round) *lab.Sale { return r.doubt() }},
	{make: func(r *round) *lab.Sale { s := r.sell("cutBody"); r.requested(s, "unknown"); return s }},
	{make: func(r *round) *lab.Sale {
		s := r.sell("declined")
		r.requested(s, "accepted")
		r.deliver(r.held(s), 1)
		r.await(s, "rejected")
		return s
	}},
	{make: func(r *round) *lab.Sale { s := r.doubt(); r.settledNotCanceled(s); return s }},
	{make: func(r *round) *lab.Sale {
		s := r.sell("")
		r.requested(s, "accepted")
		r.deliver(r.held(s), 1)
		r.await(s, "confirmed")
		return s
	}},
	{make: func(r *round) *lab.Sale { // waits for its terminal
		r.requested(r.sell("ackNoResult"), "accepted")
		s := r.sell("")
		r.requested(s, "requested")
		return s
	}},
	{make: func(r *round) *lab.Sale {
		r.requested(r.sell("ackNoResult"), "accepted")
		s := r.sell("")
		r.requested(s, "requested")
		r.form(s, "withdrawal", nil)
		return s
	}},
	{make: func(r *round) *lab.Sale { // its second case
		s := r.unsold("")
		r.fault(s, "declined", 1)
		r.fault(s, "ackNoResult", -1)
		r.soldNow(s)
		r.requested(s, "accepted")
		r.deliver(r.held(s), 1)
		r.requested(s, "accepted")
		return s
	}},
	{prey: "confirmed", make: func(r *round) *lab.Sale { s := r.sell(""); r.requested(s, "accepted"); return s }},
	{prey: "confirmed", make: func(r *round) *lab.Sale { s := r.sell("cutBody"); r.requested(s, "unknown"); return s }},
	{prey: "rejected", make: func(r *round) *lab.Sale { s := r.sell("declined"); r.requested(s, "accepted"); return s }},
}

// populate makes the sets, each member on a terminal of its own.
func (r *run) populate(ctx context.Context, from int) ([]*target, error) {
	targets := make([]*target, r.Sets*len(setMembers))
	var rounds []*round
	for i := range targets {
		member := setMembers[i%len(setMembers)]
		k := &kind{name: fmt.Sprintf("member %d of a set", i%len(setMembers)), today: func(one *round) {
			targets[i] = one.target(member)
		}}
		rounds = append(rounds, &round{run: r, kind: k, terminal: from + i})
	}
	if err := r.play(ctx, rounds, (*round).playToday); err != nil {
		return nil, err
	}
	for _, one := range rounds {
		if one.over {
			return nil, fmt.Errorf("%s: it did not come to be", one.kind.name)
		}
	}
	return targets, nil
}

func (r *round) target(m setMember) *target {
	s := m.make(r)
	t := &target{sale: s, merchant: merchant(s.Terminal), folio: folio(s), prey: m.prey}
	if m.prey != "" {
		t.truth = r.held(s)
	}
	var err error
	if t.ids, err = r.attemptIDs(s); err != nil {
		r.fail(err)
	}
	cases, err := r.casesOf(r.ctx, s)
	r.fail(err)
	if len(cases) > 0 {
		t.state = cases[len(cases)-1].state
	}
	if t.state == "accepted" || t.state == "unknown" {
		t.current = t.ids[len(t.ids)-1]
	}
	var sales int
	if !r.ended() {
		r.fail(r.Pool.QueryRow(r.ctx, `SELECT count(*) FROM sales WHERE serial_number = $1 AND folio = $2`, s.Serial, t.folio).Scan(&sales))
	}
	t.twin = sales > 1
	return t
}
