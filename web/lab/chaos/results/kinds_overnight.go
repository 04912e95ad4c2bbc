package results

// overnight is what comes a day late: nothing that was awaited yesterday still
// is, every window has closed, and a result is no less true for it.
var overnight = []kind{
	{name: "a day late, over a doubt", today: func(r *round) {
		s := r.sell("")
		r.requested(s, "accepted")
		r.post = r.held(s)
	}, tomorrow: func(r *round) {
		r.is(r.sale, "unknown", toAccepted+" unknown")
		r.deliver(r.post, 3)
		r.became(r.post, "applied 1, duplicate 2")
		r.is(r.sale, "confirmed", toAccepted+" unknown confirmed")
	}},
	{name: "a day late, over a refusal", today: func(r *round) {
		s := r.sell("")
		r.requested(s, "accepted")
		r.post = r.held(s)
		r.deliver(r.office.altered(r.post, "responseCode", refusalCode), 1)
		r.is(s, "rejected", toRejected)
	}, tomorrow: func(r *round) {
		r.deliver(r.post, 3)
		r.is(r.sale, "confirmed/latePositive", toRejected+" confirmed")
	}},
	{name: "a day late, over a person's word", today: func(r *round) {
		s := r.sell("cutBody")
		r.requested(s, "unknown")
		r.post = r.held(s)
		r.settledNotCanceled(s)
	}, tomorrow: func(r *round) {
		r.deliver(r.post, 3)
		r.is(r.sale, "confirmed/latePositive", toUnknown+" notCanceled confirmed")
	}},
	{name: "a day late, over a case that expired", today: func(r *round) {
		r.requested(r.sell("ackNoResult"), "accepted")
		s := r.sell("")
		r.sale = s
		r.requested(s, "requested")
		r.post = r.byHand(s)
	}, tomorrow: func(r *round) {
		r.is(r.sale, "expired", "requested expired")
		r.deliver(r.post, 3)
		r.is(r.sale, "confirmed/latePositive", "requested expired confirmed")
	}},
	{name: "a day late, canceled by hand", today: func(r *round) {
		r.post = r.byHand(r.sell(""))
	}, tomorrow: func(r *round) {
		r.deliver(r.post, 3)
		r.is(r.sale, "confirmed/withoutCase", "confirmed")
	}},
	{name: "a day late, the sale of a cancellation", today: func(r *round) {
		s, sale := r.unseen()
		v := r.byHand(s)
		r.deliver(v, 2)
		r.became(v, "unmatched 2")
		r.post = sale
	}, tomorrow: func(r *round) {
		r.deliver(r.post, 2)
		r.seen(r.sale)
		r.until("the result of the day before is read again", func() (bool, error) {
			cases, err := r.casesOf(r.ctx, r.sale)
			return len(cases) > 0, err
		})
		r.is(r.sale, "confirmed/withoutCase", "confirmed")
	}},
	{name: "a day late, a refusal", today: func(r *round) {
		s := r.sell("declined")
		r.requested(s, "accepted")
		r.post = r.held(s)
	}, tomorrow: func(r *round) {
		r.deliver(r.office.altered(r.post, "traceability", map[string]any{}), 2)
		r.deliver(r.office.altered(r.post, "traceability", trace(forgedID(r.random()))), 2)
		r.is(r.sale, "unknown", toAccepted+" unknown")
		r.deliver(r.post, 3)
		r.is(r.sale, "rejected", toAccepted+" unknown rejected")
	}},
	{name: "a day late, once more", today: func(r *round) {
		s := r.sell("")
		r.requested(s, "accepted")
		r.post = r.held(s)
		r.deliver(r.post, 1)
	}, tomorrow: func(r *round) {
		r.deliver(r.post, 3)
		r.is(r.sale, "confirmed", toAccepted+" confirmed")
	}},
	{name: "a day late, with another amount", today: func(r *round) {
		s := r.sell("wrongAmount")
		r.requested(s, "accepted")
		r.post = r.held(s)
	}, tomorrow: func(r *round) {
		r.deliver(r.post, 3)
		r.became(r.post, "conflict 3")
		r.is(r.sale, "unknown/amountDiffers", toAccepted+" unknown")
	}},
}
