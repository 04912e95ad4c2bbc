package closings

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"veinte/models"
)

// ClosedAs is the status of a sale when its day was closed. Every sale has exactly
// one.
type ClosedAs string

// The statuses, in the order in which a closing report shows them.
const (
	ClosedCharged     ClosedAs = "kept"        // charged; no cancellation requested
	ClosedCanceled    ClosedAs = "canceled"    // with evidence
	ClosedDoubt       ClosedAs = "doubt"       // it is unknown whether it is canceled
	ClosedPending     ClosedAs = "pending"     // requested, without a result yet
	ClosedRejected    ClosedAs = "rejected"    // refused: still charged
	ClosedNotCanceled ClosedAs = "notCanceled" // a doubt that was resolved: still charged
	ClosedNotSent     ClosedAs = "notSent"     // requested, and withdrawn or expired before it was sent
	ClosedTooLate     ClosedAs = "tooLate"     // made at or after the cut-off: never could be canceled
)

// ClosedAll lists the statuses. The database stores counts in this order, and each
// sale's status as the letter at the same position.
var ClosedAll = []ClosedAs{
	ClosedCharged, ClosedCanceled, ClosedDoubt, ClosedPending,
	ClosedRejected, ClosedNotCanceled, ClosedNotSent, ClosedTooLate,
}

const stateLetters = "kcdprnel"

// stateSQL is the letter of sale s, whose day's cut-off by the rules is the first
// argument: the later of the sale's own never counts. w states whether a request was
// withdrawn.
const stateSQL = `CASE s.state
	WHEN ` + models.ConfirmedSQL + ` THEN 'c' WHEN ` + models.UnknownSQL + ` THEN 'd' WHEN ` + models.RejectedSQL + ` THEN 'r'
	WHEN ` + models.NotCanceledSQL + ` THEN 'n' WHEN ` + models.ExpiredSQL + ` THEN 'e'
	WHEN ` + models.RequestedSQL + ` THEN 'p' WHEN ` + models.SendingSQL + ` THEN 'p' WHEN ` + models.AcceptedSQL + ` THEN 'p'
	ELSE CASE WHEN s.sold_at >= least(s.cutoff_at, $2) THEN 'l'
		WHEN EXISTS (SELECT FROM cancellations w WHERE w.sale_id = s.id AND w.state = ` + models.WithdrawnSQL + `) THEN 'e' ELSE 'k' END END`

// Sums are the sums by status.
type Sums [8]models.Sum

// Of returns the sum of one status.
func (c *Sums) Of(s ClosedAs) models.Sum {
	if i := slices.Index(ClosedAll, s); i >= 0 {
		return c[i]
	}
	return models.Sum{}
}

// All is the sum of all sales.
func (c *Sums) All() (all models.Sum) {
	for i := range c {
		all.Add(c[i])
	}
	return all
}

func (c *Sums) add(o *Sums) {
	for i := range c {
		c[i].Add(o[i])
	}
}

// namedSums are sums by name, all sales first, each written as an S.
type namedSums[S any] struct {
	Sales       S `json:"sales"`
	Kept        S `json:"kept"`
	Canceled    S `json:"canceled"`
	Doubt       S `json:"inDoubt"`
	Pending     S `json:"pending"`
	Rejected    S `json:"rejected"`
	NotCanceled S `json:"notCanceled"`
	NotSent     S `json:"notSent"`
	TooLate     S `json:"madeTooLate"`
}

func nameSums[S any](c *Sums, of func(models.Sum) S) namedSums[S] {
	return namedSums[S]{
		of(c.All()), of(c[0]), of(c[1]), of(c[2]), of(c[3]), of(c[4]), of(c[5]), of(c[6]), of(c[7]),
	}
}

// MarshalJSON writes the sums by name: their order is part of the bytes that are hashed.
func (c *Sums) MarshalJSON() ([]byte, error) {
	return json.Marshal(nameSums(c, func(s models.Sum) models.Sum { return s }))
}

// Closing is the frozen report of a day.
type Closing struct {
	Day       models.Day
	CutoffAt  time.Time
	ClosedAt  time.Time
	Sales     int64
	Amount    models.Money
	Hash      []byte
	Canonical []byte
}

// lateAfter is how long after the cut-off an automatic report counts as late: no
// server was running.
const lateAfter = 2 * time.Minute

// Late reports whether the report was made later than it should have been.
func (c *Closing) Late() bool { return c.ClosedAt.Sub(c.CutoffAt) > lateAfter }

// HashText is the hash in the form in which people compare it.
func (c *Closing) HashText() string { return hex.EncodeToString(c.Hash) }

// ClosingTerminal is a terminal's part of a report, in one store.
type ClosingTerminal struct {
	StoreID      int64
	TerminalID   int64
	StoreCode    string
	StoreName    string
	SerialNumber models.SerialNumber
	Sums         Sums   `gorm:"-"`
	SalesHash    []byte // SHA-256 of a line per sale: id, centavos, letter
}

// StoreSums is a store's part of a report.
type StoreSums struct {
	ID         int64
	Code, Name string
	Sums       Sums
	Terminals  []ClosingTerminal
}

// byStore groups terminals, sorted by store, under their stores.
func byStore(terminals []ClosingTerminal) (stores []StoreSums, total Sums) {
	for i := range terminals {
		t := &terminals[i]
		if n := len(stores); n == 0 || stores[n-1].ID != t.StoreID {
			stores = append(stores, StoreSums{ID: t.StoreID, Code: t.StoreCode, Name: t.StoreName})
		}
		s := &stores[len(stores)-1]
		s.Terminals = append(s.Terminals, *t)
		s.Sums.add(&t.Sums)
		total.add(&t.Sums)
	}
	return stores, total
}

type closingDocument struct {
	Format   string                 `json:"format"`
	Day      models.Day             `json:"day"`
	CutoffAt string                 `json:"cutoffAt"`
	ClosedAt string                 `json:"closedAt"`
	Zone     string                 `json:"zone"`
	Currency string                 `json:"currency"`
	Total    *Sums                  `json:"total"`
	Stores   []closingStoreDocument `json:"stores"`
}

type closingStoreDocument struct {
	ID        int64                     `json:"id"`
	Code      string                    `json:"code"`
	Name      string                    `json:"name"`
	Total     *Sums                     `json:"total"`
	Terminals []closingTerminalDocument `json:"terminals"`
}

type closingTerminalDocument struct {
	SerialNumber models.SerialNumber `json:"serialNumber"`
	Total        *Sums               `json:"total"`
	SalesSHA256  string              `json:"salesSha256"`
}

// freeze writes the bytes of a report and their hash.
func (c *Closing) freeze(terminals []ClosingTerminal, zone *time.Location) error {
	stores, total := byStore(terminals)
	doc := closingDocument{
		Format: "veinte-closing/1", Day: c.Day,
		CutoffAt: c.CutoffAt.In(zone).Format(time.RFC3339), ClosedAt: c.ClosedAt.In(zone).Format(time.RFC3339),
		Zone: zone.String(), Currency: "MXN", Total: &total, Stores: []closingStoreDocument{},
	}
	for i := range stores {
		s := &stores[i]
		d := closingStoreDocument{ID: s.ID, Code: s.Code, Name: s.Name, Total: &s.Sums}
		for n := range s.Terminals {
			t := &s.Terminals[n]
			d.Terminals = append(d.Terminals, closingTerminalDocument{t.SerialNumber, &t.Sums, hex.EncodeToString(t.SalesHash)})
		}
		doc.Stores = append(doc.Stores, d)
	}
	var err error
	if c.Canonical, err = json.Marshal(doc); err != nil {
		return fmt.Errorf("write closing report of %s: %w", c.Day, err)
	}
	sum := sha256.Sum256(c.Canonical)
	all := total.All()
	c.Hash, c.Sales, c.Amount = sum[:], all.Count, all.Amount
	return nil
}
