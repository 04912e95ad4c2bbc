package sandbox

import (
	"fmt"
	"time"
)

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
	kept := s
	err := g.commit(&entry{Kind: kindSale, Event: "canceled", OrderID: order, SerialNumber: serial, Sale: &kept})
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
