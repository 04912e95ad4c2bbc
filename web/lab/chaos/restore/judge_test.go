package restore

import (
	"fmt"
	"slices"
	"strings"

	"veinte/web/lab"
)

// books are what the judge compares: the sandbox's ledger with the copy.
type books struct {
	delivered map[lab.SaleKey]int  // cancel requests that the service received whole, from both databases
	canceled  map[lab.SaleKey]bool // by their terminals, in the end
	cases     []lab.Cancellation   // of the copy
	doubts    map[int64]bool       // cancellations that the copy did not send for having been requested elsewhere
	pressed   []lab.SaleKey        // presses that the copy acknowledged
}

// findings are the judge's.
type findings struct {
	twice, wrong int
	violations   []string
}

func (f *findings) violate(format string, args ...any) {
	f.violations = append(f.violations, fmt.Sprintf(format, args...))
}

// judge finds what was sent twice, and what the copy says that the terminals contradict.
func judge(b *books) *findings {
	f := &findings{}
	keys := make([]lab.SaleKey, 0, len(b.delivered))
	for k := range b.delivered {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(x, y lab.SaleKey) int { return strings.Compare(x.Serial+x.OrderID, y.Serial+y.OrderID) })
	for _, k := range keys {
		if n := b.delivered[k]; n > 1 {
			f.twice++
			f.violate("order %s of terminal %s was sent %d times", k.OrderID, k.Serial, n)
		}
	}
	known := map[lab.SaleKey]bool{}
	confirmed := map[lab.SaleKey]bool{}
	for _, c := range b.cases {
		k := lab.SaleKey{Serial: c.Serial, OrderID: c.OrderID}
		known[k] = true
		confirmed[k] = confirmed[k] || c.State == "confirmed"
	}
	for _, c := range b.cases {
		k := lab.SaleKey{Serial: c.Serial, OrderID: c.OrderID}
		switch {
		case c.Underway() || c.State == "unknown":
			f.violate("case %d is still %s (%s)", c.ID, c.State, c.Detail)
		case c.State == "confirmed" && !b.canceled[k]:
			f.wrong++
			f.violate("case %d is confirmed, and its terminal did not cancel order %s", c.ID, c.OrderID)
		case !confirmed[k] && b.canceled[k]:
			f.wrong++
			f.violate("case %d is %s, and its terminal canceled order %s", c.ID, c.State, c.OrderID)
		case b.doubts[c.ID] && (c.State == "expired" || c.State == "withdrawn"):
			f.wrong++
			f.violate("case %d was requested elsewhere and is called %s", c.ID, c.State)
		}
	}
	for _, k := range b.pressed {
		if !known[k] {
			f.violate("a press on order %s was acknowledged by the copy, which has no case of it", k.OrderID)
		}
	}
	return f
}
