package results

// What a case goes through before and after the posts, for most kinds.
const (
	toAccepted  = "requested sending accepted"
	toUnknown   = "requested sending unknown"
	toRejected  = "requested sending accepted rejected"
	refusalCode = "51"
)

// positives are results that say that the sale is canceled: once, early, late,
// twice, in another order. Each must confirm, and each once.
var positives = []kind{
	{name: "a result five times at once", today: func(r *round) {
		s := r.sell("")
		r.requested(s, "accepted")
		p := r.held(s)
		r.deliver(p, 5)
		r.became(p, "applied 1, duplicate 4")
		r.is(s, "confirmed", toAccepted+" confirmed")
	}},
	{name: "a terminal that posts its result twice", today: func(r *round) {
		s := r.sell("duplicateResult")
		r.requested(s, "accepted")
		p, again := r.held(s), r.held(s)
		r.deliver(p, 1)
		r.deliver(again, 1)
		r.became(p, "applied 1")
		r.became(again, "duplicate 1")
		r.is(s, "confirmed", toAccepted+" confirmed")
	}},
	{name: "a result before the HTTP answer, from the terminal itself", today: func(r *round) {
		s := r.unsold("resultBeforeAnswer")
		r.office.set(r.office.through, s.OrderID)
		r.soldNow(s)
		r.requested(s, "confirmed")
		r.answered(s)
		r.is(s, "confirmed", "requested sending confirmed")
	}},
	{name: "a result before the HTTP answer, three times", today: func(r *round) {
		s := r.slow()
		p := r.held(s)
		r.deliver(p, 3)
		r.answered(s)
		r.is(s, "confirmed", r.early(s)+" confirmed")
	}},
	{name: "a refusal before the HTTP answer, then the result", today: func(r *round) {
		s := r.slow()
		p := r.held(s)
		r.deliver(r.office.altered(p, "responseCode", refusalCode), 1)
		r.answered(s)
		r.is(s, "rejected", r.early(s)+" rejected")
		r.deliver(p, 2)
		r.is(s, "confirmed/latePositive", r.early(s)+" rejected confirmed")
	}},
	{name: "a result after a cut answer", today: func(r *round) {
		s := r.sell("cutBody")
		r.requested(s, "unknown")
		p := r.held(s)
		r.deliver(p, 2)
		r.became(p, "applied 1, duplicate 1")
		r.is(s, "confirmed", toUnknown+" confirmed")
	}},
	{name: "a result and its refusal swapped", today: func(r *round) {
		s := r.sell("")
		r.requested(s, "accepted")
		p := r.held(s)
		no := r.office.altered(p, "responseCode", refusalCode)
		r.deliver(no, 1)
		r.is(s, "rejected", toRejected)
		r.deliver(p, 2)
		r.is(s, "confirmed/latePositive", toRejected+" confirmed")
		r.deliver(no, 2)                                           // confirmed absorbs; the contradiction is for a supervisor
		r.is(s, "confirmed/latePositive", toRejected+" confirmed") // which nobody has looked at yet
		r.became(no, "applied 1, conflict 2")
	}},
	{name: "a result after somebody said that it is not canceled", today: func(r *round) {
		s := r.sell("cutBody")
		r.requested(s, "unknown")
		p := r.held(s)
		r.settledNotCanceled(s)
		// Asked again: it waits for the terminal's quiet, and is not sent any more.
		r.ask(r.Supervisor, s)
		r.await(s, "requested")
		r.deliver(p, 2)
		r.is(s, "confirmed/latePositive withdrawn", toUnknown+" notCanceled requested confirmed withdrawn")
		r.sentTimes(s, 1)
	}},
	{name: "canceled by hand while a case waits for its terminal", today: func(r *round) {
		r.requested(r.sell("ackNoResult"), "accepted")
		s := r.sell("")
		r.requested(s, "requested")
		p := r.byHand(s)
		r.deliver(p, 3)
		r.became(p, "applied 1, duplicate 2")
		r.is(s, "confirmed", "requested confirmed")
		r.sentTimes(s, 0)
	}},
	{name: "canceled by hand after the case was taken back", today: func(r *round) {
		r.requested(r.sell("ackNoResult"), "accepted")
		s := r.sell("")
		r.requested(s, "requested")
		r.form(s, "withdrawal", nil)
		r.deliver(r.byHand(s), 2)
		r.is(s, "confirmed/latePositive", "requested withdrawn confirmed")
	}},
	{name: "canceled by hand, four times at once", today: func(r *round) {
		s := r.sell("")
		p := r.byHand(s)
		r.deliver(p, 4)
		r.became(p, "applied 1, duplicate 3")
		r.is(s, "confirmed/withoutCase", "confirmed")
	}},
	{name: "canceled by hand, with the folio only", today: func(r *round) {
		s := r.sell("")
		p := r.office.altered(r.byHand(s), "orderId", "")
		r.deliver(p, 2)
		r.became(p, "applied 1, duplicate 1")
		r.is(s, "confirmed/withoutCase", "confirmed")
	}},
	{name: "a cancellation before its sale", today: func(r *round) {
		s, sale := r.unseen()
		p := r.byHand(s)
		r.deliver(p, 1)
		r.became(p, "unmatched 1")
		r.deliver(sale, 2)
		r.seen(s)
		r.until("the early result is read again", func() (bool, error) {
			got, err := r.statuses(r.ctx, p)
			return got == "applied 1", err
		})
		r.is(s, "confirmed/withoutCase", "confirmed")
	}},
	{name: "a cancellation and its sale at once", today: func(r *round) {
		s, sale := r.unseen()
		p := r.byHand(s)
		r.together(p, sale)
		r.seen(s)
		r.until("the result is read", func() (bool, error) {
			got, err := r.statuses(r.ctx, p)
			return got == "applied 1", err
		})
		r.is(s, "confirmed/withoutCase", "confirmed")
	}},
}
