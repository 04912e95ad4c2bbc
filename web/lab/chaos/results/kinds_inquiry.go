package results

// inquiries are answers to questions about a sale, while the terminal can still
// act on the push: "still charged" proves nothing yet.
var inquiries = []kind{
	{name: "still charged, too early", today: func(r *round) {
		s := r.doubt()
		c := r.asked(s)
		r.deliver(c, 3)
		r.became(c, "ignored 3")
		r.is(s, "unknown", toUnknown)
	}},
	{name: "reversed, declined, nonsense: for a person to read", today: func(r *round) {
		s := r.doubt()
		c := r.asked(s)
		for _, standing := range []any{"RV", "D", "X", "", nil, true, "v", "C V", []any{"V"}} {
			r.deliver(r.office.altered(c, "reprintModule", standing), 2)
			r.is(s, "unknown", toUnknown)
		}
	}},
	{name: "a reversal that is pending, then the terminal's next transaction", today: func(r *round) {
		s := r.doubt()
		r.deliver(r.office.altered(r.asked(s), "reprintModule", "PRV"), 2)
		before := r.sent(s, "reprint")
		r.sell("")
		r.until("the terminal is asked again", func() (bool, error) { return r.sent(s, "reprint") > before, nil })
		r.is(s, "unknown", toUnknown)
	}},
	{name: "canceled, says the inquiry, and the result is lost", today: func(r *round) {
		s := r.sell("cutBody")
		r.requested(s, "unknown")
		r.held(s) // and never delivered
		v := r.asked(s)
		r.deliver(r.office.altered(v, "amount", "1.00"), 1)
		r.deliver(r.office.altered(v, "terminalId", r.Serial(r.terminal+1)), 1)
		r.deliver(r.office.altered(v, "isRePrint", false, "transType", "A"), 1)
		r.is(s, "unknown", toUnknown)
		r.deliver(v, 3)
		r.became(v, "applied 1, duplicate 2")
		r.is(s, "confirmed", toUnknown+" confirmed")
	}},
	{name: "still charged, after it was confirmed", today: func(r *round) {
		s := r.sell("")
		r.requested(s, "accepted")
		p := r.held(s)
		r.deliver(p, 1)
		r.deliver(r.office.altered(p, "isRePrint", true, "reprintModule", "C", "transType", "A"), 2)
		r.is(s, "confirmed/stillCharged", toAccepted+" confirmed")
	}},
	{name: "still charged, while the result is awaited", today: func(r *round) {
		s := r.sell("")
		r.requested(s, "accepted")
		p := r.held(s)
		r.deliver(r.made(s, "isRePrint", true, "reprintModule", "C", "transType", "A"), 2)
		r.is(s, "accepted", toAccepted)
		r.deliver(p, 1)
		r.is(s, "confirmed", toAccepted+" confirmed")
	}},
	{name: "canceled by hand, and only a reprint says so", today: func(r *round) {
		s := r.sell("")
		p := r.byHand(s) // and never delivered
		r.deliver(r.office.altered(p, "isRePrint", true, "reprintModule", "V", "folioNumber", ""), 3)
		r.is(s, "confirmed/withoutCase", "confirmed")
	}},
}

// afterQuiet are answers once the terminal can no longer act.
var afterQuiet = []kind{
	{name: "still charged, asked after the quiet", today: func(r *round) {
		s := r.doubt()
		r.quiet(s)
		c := r.asked(s)
		f := r.office.altered(c, "traceability", trace(forgedID(r.random())))
		r.deliver(f, 2)
		r.is(s, "unknown", toUnknown)
		r.deliver(c, 3)
		r.is(s, "notCanceled", toUnknown+" notCanceled")
	}},
	{name: "still charged, nobody asked", today: func(r *round) {
		s := r.doubt()
		r.quiet(s)
		r.deliver(r.made(s, "isRePrint", true, "reprintModule", "C", "transType", "A"), 2)
		if r.sent(s, "reprint") == 0 { // on a slow machine the product asks by itself
			r.is(s, "unknown", toUnknown)
		}
	}},
	{name: "still charged, asked before the quiet", today: func(r *round) {
		s := r.doubt()
		c := r.asked(s)
		early := r.askedInTheQuiet(s)
		r.quiet(s)
		if early { // else the machine was too slow to be early
			r.deliver(c, 2)
			r.is(s, "unknown", toUnknown)
		}
	}},
	{name: "a refusal of the first case during the second, which a supervisor asked for", today: func(r *round) {
		s := r.unsold("")
		r.fault(s, "500", 1)
		r.fault(s, "ackNoResult", -1)
		r.soldNow(s)
		r.requested(s, "unknown")
		r.settledNotCanceled(s)
		r.ask(r.Supervisor, s)
		r.await(s, "accepted")
		const moves = toUnknown + " notCanceled " + toAccepted
		no := r.made(s, "responseCode", refusalCode, "traceability", trace(r.attempt(s, 1)))
		r.deliver(no, 3)
		r.became(no, "ignored 3")
		r.deliver(r.office.altered(no, "transType", "", "orderId", ""), 2)
		r.is(s, "notCanceled accepted", moves)
		r.deliver(r.office.altered(no, "traceability", trace(r.attempt(s, 2))), 2)
		r.is(s, "notCanceled rejected", moves+" rejected")
	}},
}
