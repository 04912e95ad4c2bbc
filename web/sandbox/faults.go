package sandbox

import (
	"slices"
	"strings"
	"time"
)

// Faults that other code refers to; the rest are only in tables.
const (
	faultSlow               = "slow"
	faultDropBeforeReading  = "dropBeforeReading"
	faultExpiredToken       = "expiredToken"
	faultResultBeforeAnswer = "resultBeforeAnswer"
	faultAckNoResult        = "ackNoResult"
	faultDeclined           = "declined"
	faultLateResult         = "lateResult"
	faultDuplicateResult    = "duplicateResult"
	faultAbandoned          = "abandoned"
	faultWrongAmount        = "wrongAmount"
	faultWrongTerminal      = "wrongTerminal"
)

// faultKind is a fault's default behavior.
type faultKind struct {
	acts    bool          // the terminal gets the push although the response is spoiled
	onToken bool          // the token operation can have it too
	delay   time.Duration // default delay of a fault that waits
}

// faultKinds lists every fault. The sender cannot know whether the terminal acts
// behind a spoiled response, so there are faults of both kinds.
var faultKinds = map[string]faultKind{
	faultSlow:               {acts: true, onToken: true, delay: 3 * time.Second},
	"hang":                  {onToken: true}, // until the client disconnects, or for delay
	faultDropBeforeReading:  {onToken: true},
	"dropAfterReading":      {acts: true, onToken: true},
	"reset":                 {onToken: true},
	"cutHeader":             {acts: true, onToken: true},
	"cutBody":               {acts: true, onToken: true},
	"html":                  {onToken: true},
	"500":                   {onToken: true},
	"502":                   {acts: true, onToken: true}, // a gateway's page; the order is carried out
	"invalidJSON":           {acts: true, onToken: true},
	"unknownCode":           {onToken: true},
	"redirect":              {onToken: true},
	"oneBytePerSecond":      {acts: true, onToken: true, delay: time.Second},
	faultExpiredToken:       {onToken: true},
	"notFound":              {},
	faultAckNoResult:        {},
	faultDeclined:           {acts: true},
	faultLateResult:         {acts: true, delay: 200 * time.Second}, // past the usual 180 s wait
	faultDuplicateResult:    {acts: true},
	faultResultBeforeAnswer: {acts: true},
	faultAbandoned:          {acts: true},
	faultWrongAmount:        {acts: true},
	faultWrongTerminal:      {acts: true},
}

// plan is the fault of one request. The zero plan has no fault, but acts must be set
// for the terminal to do anything.
type plan struct {
	name  string
	acts  bool
	delay time.Duration
}

// faultRule is one request for faults. An empty OrderID and SerialNumber match any
// request.
type faultRule struct {
	OrderID      string   `json:"orderId,omitempty"`
	SerialNumber string   `json:"serialNumber,omitempty"`
	Fault        string   `json:"fault"`
	Operation    string   `json:"operation,omitempty"` // cancel when empty
	Times        int      `json:"times,omitempty"`     // 0 is once, negative until deleted
	Delay        duration `json:"delay,omitempty"`     // "" keeps the fault's own
	Acts         *bool    `json:"acts,omitempty"`      // nil keeps the fault's own
}

func (r *faultRule) plan() plan {
	kind := faultKinds[r.Fault]
	p := plan{name: r.Fault, acts: kind.acts, delay: kind.delay}
	if r.Delay > 0 {
		p.delay = time.Duration(r.Delay)
	}
	if r.Acts != nil {
		p.acts = *r.Acts
	}
	return p
}

// faultBook stores the rules that are not used up.
type faultBook struct{ guarded[[]*faultRule] }

func (b *faultBook) add(r faultRule) {
	b.change(func(rules *[]*faultRule) { *rules = append(*rules, &r) })
}

func (b *faultBook) list() []faultRule {
	b.mu.Lock()
	defer b.mu.Unlock()
	rules := []faultRule{}
	for _, r := range b.value {
		rules = append(rules, *r)
	}
	return rules
}

// take uses up the best matching rule: one for the order, else one for the terminal,
// else a general one; among equals the oldest.
func (b *faultBook) take(operation, orderID, serial string) plan {
	b.mu.Lock()
	defer b.mu.Unlock()
	best, rank := -1, 0
	for i, r := range b.value {
		if r.Operation != operation || r.OrderID != "" && r.OrderID != orderID || r.SerialNumber != "" && r.SerialNumber != serial {
			continue
		}
		fit := 1
		if r.SerialNumber != "" {
			fit = 2
		}
		if r.OrderID != "" {
			fit = 3
		}
		if fit > rank {
			best, rank = i, fit
		}
	}
	if best < 0 {
		return plan{acts: true}
	}
	return b.use(best)
}

// takeUnread uses up a general rule that drops a request. This must be decided
// before the body is read.
func (b *faultBook) takeUnread(operation string) (plan, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, r := range b.value {
		if r.Operation == operation && r.Fault == faultDropBeforeReading && r.OrderID == "" && r.SerialNumber == "" {
			return b.use(i), true
		}
	}
	return plan{}, false
}

// use takes one time from rule i. The caller holds the lock.
func (b *faultBook) use(i int) plan {
	r := b.value[i]
	p := r.plan()
	if r.Times > 0 {
		if r.Times--; r.Times == 0 {
			b.value = slices.Delete(b.value, i, i+1)
		}
	}
	return p
}

// planFor finds the fault of one order: a rule, else the sale's own, else the suffix
// of its number (-FAULT-hang). The last two apply to cancels only, so that an
// inquiry can still resolve the doubt they cause. The body must be read to know the
// order, so dropBeforeReading for one order drops after reading, and the ledger
// shows that in bytesRead.
func (s *Sandbox) planFor(operation string, o order) plan {
	p := s.faults.take(operation, o.OrderID, o.SerialNumber)
	if p.name != "" || operation != operationCancel {
		return p
	}
	if sold, ok := s.registry.sale(o.SerialNumber, o.OrderID); ok && sold.Fault != "" {
		return (&faultRule{Fault: sold.Fault}).plan()
	}
	if _, name, ok := strings.Cut(o.OrderID, "-FAULT-"); ok {
		if _, known := faultKinds[name]; known {
			return (&faultRule{Fault: name}).plan()
		}
	}
	return p
}
