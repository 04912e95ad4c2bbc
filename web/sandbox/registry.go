package sandbox

import (
	"fmt"
	"sync"
	"time"
)

// terminal is a simulated card terminal.
type terminal struct {
	SerialNumber string   `json:"serialNumber"` // ten digits
	MerchantID   string   `json:"merchantId"`   // the specification's storeId
	StoreName    string   `json:"storeName,omitempty"`
	Street       string   `json:"street,omitempty"`
	City         string   `json:"city,omitempty"`
	CardBrands   []string `json:"cardBrands,omitempty"` // brands of live sales; empty = mixed
	// ResponseURL is typed into this terminal alone; "" = the one that all share.
	ResponseURL string `json:"responseURL,omitempty"`
}

// sale is one card sale on one terminal.
type sale struct {
	OrderID      string     `json:"orderId"`
	SerialNumber string     `json:"serialNumber"`
	Amount       string     `json:"amount"` // two decimals, MXN
	SoldAt       time.Time  `json:"soldAt"`
	Folio        string     `json:"folio"`
	Last4        string     `json:"last4"`
	CardBrand    string     `json:"cardBrand"`
	Declined     bool       `json:"declined,omitempty"`
	CanceledAt   *time.Time `json:"canceledAt,omitempty"` // nil while charged

	Fault         string `json:"fault,omitempty"`         // of every cancel of this order
	ReprintModule string `json:"reprintModule,omitempty"` // overrides the value in an inquiry (RV, PRV...)
}

// amount is the charged amount; it was checked when the sale was made.
func (s *sale) amount() cents {
	c, _ := parseAmount(s.Amount)
	return c
}

// saleKey identifies a sale. Order numbers are only unique on their terminal.
type saleKey struct{ serial, order string }

// registry holds the terminals and their sales. Every change is written to the
// ledger first, under the same lock, so that replaying the ledger gives the same
// registry.
type registry struct {
	ledger  *ledger
	anyHour bool // ignore the day and the hour

	mu        sync.Mutex
	terminals map[string]*terminal
	serials   []string // in order of registration
	sales     map[saleKey]*sale
	keys      []saleKey // in order of appearance
}

// replay applies one ledger line. Lines that change nothing are ignored.
func (g *registry) replay(e *entry) {
	switch {
	case e.Kind == kindTerminal && e.Terminal != nil:
		if g.terminals[e.Terminal.SerialNumber] == nil {
			g.serials = append(g.serials, e.Terminal.SerialNumber)
		}
		g.terminals[e.Terminal.SerialNumber] = e.Terminal
	case e.Kind == kindSale && e.Sale != nil:
		key := saleKey{e.Sale.SerialNumber, e.Sale.OrderID}
		if g.sales[key] == nil {
			g.keys = append(g.keys, key)
		}
		g.sales[key] = e.Sale
	}
}

// commit writes e and then applies it. The caller holds the lock.
func (g *registry) commit(e *entry) error {
	if _, err := g.ledger.append(e); err != nil {
		return err
	}
	g.replay(e)
	return nil
}

func (g *registry) putTerminal(t terminal) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.commit(&entry{Kind: kindTerminal, Event: "registered", SerialNumber: t.SerialNumber, Terminal: &t})
}

func (g *registry) terminal(serial string) (terminal, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if t := g.terminals[serial]; t != nil {
		return *t, true
	}
	return terminal{}, false
}

// list returns copies of the terminals, in order of registration.
func (g *registry) list() []terminal {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := make([]terminal, 0, len(g.serials))
	for _, serial := range g.serials {
		all = append(all, *g.terminals[serial])
	}
	return all
}

// addSale records a sale. Without an order number it gets the terminal's next one;
// the second is increased while the number is taken.
func (g *registry) addSale(s sale) (sale, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.terminals[s.SerialNumber] == nil {
		return s, fmt.Errorf("terminal %s is not registered", s.SerialNumber)
	}
	if s.OrderID == "" {
		at := s.SoldAt
		for s.OrderID = orderNumber(at, s.SerialNumber); g.sales[s.key()] != nil; {
			at = at.Add(time.Second)
			s.OrderID = orderNumber(at, s.SerialNumber)
		}
	} else if g.sales[s.key()] != nil {
		return s, fmt.Errorf("order %s exists already", s.OrderID)
	}
	return s, g.commit(&entry{Kind: kindSale, Event: "created", OrderID: s.OrderID, SerialNumber: s.SerialNumber, Sale: &s})
}

func (s *sale) key() saleKey { return saleKey{s.SerialNumber, s.OrderID} }

// sale finds one sale; an empty serial finds the first with that order number.
func (g *registry) sale(serial, order string) (sale, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s := g.sales[saleKey{serial, order}]; s != nil {
		return *s, true
	}
	if serial == "" {
		for _, key := range g.keys {
			if key.order == order {
				return *g.sales[key], true
			}
		}
	}
	return sale{}, false
}

// listSales returns copies, oldest first; an empty serial lists all terminals'.
func (g *registry) listSales(serial string) []sale {
	g.mu.Lock()
	defer g.mu.Unlock()
	list := []sale{}
	for _, key := range g.keys {
		if serial == "" || key.serial == serial {
			list = append(list, *g.sales[key])
		}
	}
	return list
}

// verdict is a terminal's decision. The codes other than 00 are our choice: none is
// published.
type verdict struct{ code, message string }

var (
	approved        = verdict{"00", "Transacción exitosa"}
	declined        = verdict{"05", "Declinada"}
	otherDay        = verdict{"12", "Transaccion de otro dia"}
	unknownOrder    = verdict{"25", "Transaccion original no encontrada"}
	afterCutoff     = verdict{"58", "Fuera de horario de cancelacion"}
	alreadyCanceled = verdict{"94", "Transaccion previamente cancelada"}
)

// cancelSale decides a cancellation requested at the given instant and carries it
// out when it is approved.
func (g *registry) cancelSale(serial, order string, asked time.Time) (sale, verdict, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	found := g.sales[saleKey{serial, order}]
	if found == nil {
		return sale{OrderID: order, SerialNumber: serial, Amount: "0.00"}, unknownOrder, nil
	}
	s := *found
	if v := g.judge(&s, asked); v != approved {
		return s, v, nil
	}
	at := g.ledger.now().UTC()
	s.CanceledAt = &at
	stored := s
	err := g.commit(&entry{Kind: kindSale, Event: "canceled", OrderID: order, SerialNumber: serial, Sale: &stored})
	return s, approved, err
}

// judge applies the specification's rule: the same day, before 20:00 in Mexico City,
// and once.
func (g *registry) judge(s *sale, asked time.Time) verdict {
	switch {
	case s.Declined:
		return unknownOrder // nothing was charged, so there is nothing to cancel
	case s.CanceledAt != nil:
		return alreadyCanceled
	case g.anyHour:
		return approved
	case !sameDay(s.SoldAt, asked):
		return otherDay
	case tooLate(asked):
		return afterCutoff
	}
	return approved
}
