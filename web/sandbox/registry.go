package sandbox

import (
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
