package lab

import (
	"context"
	"encoding/json"
)

// proof is what the ledger has about one sale that can end a cancellation of it.
type proof struct {
	refused   bool // the service knew no such terminal or no such token, or the terminal reported a refusal
	canceled  bool // the terminal reported a cancellation, whatever it did
	inquiries bool // the terminal reported the sale as still charged
}

// proofs collects the proofs. It ignores the order in time, because a post is in the
// ledger only after its response.
func proofs(entries []Entry) map[SaleKey]*proof {
	found, asked := map[SaleKey]*proof{}, map[int64]SaleKey{}
	of := func(k SaleKey) *proof {
		if found[k] == nil {
			found[k] = &proof{}
		}
		return found[k]
	}
	for _, x := range entries {
		k := SaleKey{x.Serial, x.OrderID}
		switch {
		case x.Kind == "request" && x.Operation == "cancel":
			asked[x.Seq] = k
		case x.Kind == "answer" && x.Operation == "cancel":
			var a struct{ Code, Error string }
			if json.Unmarshal([]byte(x.Answer), &a) == nil && (a.Code == "19" || a.Error == "invalid_token") {
				of(asked[x.Of]).refused = true
			}
		case x.Kind == "post" && x.Event != "sale":
			post := x.post()
			if post == nil {
				continue
			}
			if k.OrderID == "" { // a made-up post proves only what it contains
				k = SaleKey{post.TerminalID, post.OrderID}
			}
			of(k).add(post)
		}
	}
	return found
}

// post is the part of a terminal's post that can prove something.
type post struct {
	TerminalID, OrderID         string
	IsRePrint                   bool
	ReprintModule, ResponseCode string
}

// post parses a post; it returns nil for one that cannot be read.
func (e *Entry) post() *post {
	p := &post{}
	if json.Unmarshal([]byte(e.Body), p) != nil {
		return nil
	}
	return p
}

func (p *proof) add(by *post) {
	switch {
	case by.IsRePrint && by.ReprintModule == "C":
		p.inquiries = true
	case by.IsRePrint && by.ReprintModule == "V", !by.IsRePrint && by.ResponseCode == "00":
		p.canceled = true
	case !by.IsRePrint:
		p.refused = true
	}
}

// proofs compares every move to a final state with the ledger. A move that a later
// one corrected counts too: users saw a claim without proof. Moves by people need no
// proof.
func (e *evidence) proofs() {
	found, sale := proofs(e.entries), map[int64]SaleKey{}
	for _, c := range e.cases {
		sale[c.ID] = SaleKey{c.Serial, c.OrderID}
	}
	for _, m := range e.moves {
		p := found[sale[m.CancellationID]]
		if p == nil {
			p = &proof{}
		}
		proven := true
		switch m.To {
		case "rejected":
			proven = p.refused
		case "notCanceled":
			proven = p.inquiries
		case "confirmed":
			proven = p.canceled
		case "withdrawn", "expired":
			proven = e.received[m.CancellationID] == 0
		}
		if !proven && m.UserID == nil {
			e.Unproven++
			e.violate("case %d was said to be %s, and nothing in the ledger proves it", m.CancellationID, m.To)
		}
	}
}

// judgePosts checks that every post that was acknowledged to a terminal is stored.
// It skips posts that an experiment makes up.
func (l *Lab) judgePosts(ctx context.Context, e *evidence) error {
	rows, err := collect[struct {
		Serial, OrderID string
		Stored          int
	}](ctx, l, `SELECT serial_number AS serial, order_id, count(*) AS stored FROM results GROUP BY 1, 2`)
	if err != nil {
		return err
	}
	stored := map[SaleKey]int{}
	for _, r := range rows {
		stored[SaleKey{r.Serial, r.OrderID}] = r.Stored
	}
	answered := map[SaleKey]int{}
	for _, x := range e.entries {
		made := x.Event == "sale" || x.Event == "cancel" || x.Event == "reprint" || x.Event == "manual"
		if x.Kind != "post" || !made || x.Error != "" || x.Status != 200 {
			continue
		}
		e.Posts++
		if post := x.post(); post != nil {
			answered[SaleKey{post.TerminalID, post.OrderID}]++
		}
	}
	for k, n := range answered {
		if lost := n - stored[k]; lost > 0 {
			e.PostsLost += lost
			e.violate("of %d posts of terminal %s about order %q that were answered with code 00, %d are stored", n, k.Serial, k.OrderID, stored[k])
		}
	}
	return nil
}
