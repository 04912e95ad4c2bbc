package results

// negatives are results that say that nothing was canceled. Only one that
// carries the current attempt's id counts.
var negatives = []kind{
	{name: "a refusal without an attempt id", today: func(r *round) {
		s := r.sell("declined")
		r.requested(s, "accepted")
		no := r.held(s)
		bare := r.office.altered(no, "traceability", map[string]any{})
		r.deliver(bare, 3)
		r.became(bare, "ignored 3")
		r.is(s, "accepted", toAccepted)
		r.deliver(no, 1)
		r.is(s, "rejected", toRejected)
		r.deliver(no, 2)
		r.is(s, "rejected", toRejected)
	}},
	{name: "an operation that was left, without and with its attempt id", today: func(r *round) {
		s := r.sell("abandoned")
		r.requested(s, "accepted")
		no := r.held(s)
		r.deliver(r.office.altered(no, "traceability", map[string]any{}), 2)
		r.deliver(r.office.altered(no, "traceability", map[string]any{}, "orderId", s.OrderID), 2)
		r.is(s, "accepted", toAccepted)
		r.deliver(no, 4)
		r.is(s, "rejected", toRejected)
	}},
	{name: "a result that does not say how it ended", today: func(r *round) {
		s := r.sell("")
		r.requested(s, "accepted")
		p := r.held(s)
		for _, code := range []any{nil, "", " ", []any{"00"}, map[string]any{"code": "00"}, true} {
			r.deliver(r.office.altered(p, "responseCode", code), 1)
			r.is(s, "accepted", toAccepted)
		}
		r.deliver(p, 1)
		r.is(s, "confirmed", toAccepted+" confirmed")
	}},
	{name: "a refusal of the first case during the second", today: func(r *round) {
		s := r.unsold("")
		r.fault(s, "declined", 1)
		r.fault(s, "ackNoResult", -1)
		r.soldNow(s)
		r.requested(s, "accepted")
		no := r.held(s)
		r.deliver(no, 1)
		r.is(s, "rejected", toRejected)
		r.requested(s, "accepted")
		const moves = toRejected + " " + toAccepted
		r.deliver(no, 3)
		r.deliver(r.office.altered(no, "transType", "", "orderId", "", "responseCode", "02"), 2)
		r.is(s, "rejected accepted", moves)
		r.deliver(r.office.altered(no, "traceability", trace(r.attempt(s, 2))), 2)
		r.is(s, "rejected rejected", moves+" rejected")
	}},
}

// refusedFirst begins with servers that find nobody at the service's address, so
// that the case gets a second attempt. It goes on with ones that do.
var refusedFirst = []kind{{
	name: "a refusal of the first attempt during a later one",
	today: func(r *round) {
		s := r.sell("ackNoResult")
		r.request(s)
		r.until("an attempt did not leave", func() (bool, error) {
			var n int
			err := r.Pool.QueryRow(r.ctx, `SELECT count(*) FROM attempts a JOIN cancellations c ON c.id = a.cancellation_id
				WHERE c.sale_id = $1 AND a.meaning = 'notSent'`, s.ID).Scan(&n)
			return n > 0, err
		})
	},
	tomorrow: func(r *round) {
		s := r.sale
		r.await(s, "accepted")
		before := r.movesNow(s)
		// Nobody can know the id of an attempt that never left. So that one is
		// heard all the same, as if the proof had been wrong, the first attempt
		// is given another id: the database keeps only its hash.
		id := forgedID(r.random())
		r.renameFirstAttempt(s, id)
		no := r.made(s, "responseCode", refusalCode, "traceability", trace(id))
		r.deliver(no, 3)
		r.became(no, "ignored 3")
		r.deliver(r.made(s, "transType", "", "orderId", "", "responseCode", "02", "traceability", trace(id)), 1)
		r.is(s, "accepted", before)
		r.deliver(r.made(s, "responseCode", refusalCode, "traceability", trace(r.attempt(s, 1))), 2)
		r.is(s, "rejected", before+" rejected")
	},
}}
