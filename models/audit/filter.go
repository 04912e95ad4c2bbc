package audit

import (
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"veinte/models"
	"veinte/models/cards"
)

// Filter narrows the trail. Zero values do not filter. Page, exports, saved
// views and permalinks share it, and the names of Names.
type Filter struct {
	StoreID int64
	Serial  models.SerialNumber
	ActorID int64       // of a person or of a program's key
	Role    models.Role // in which they did it
	Action  models.Action
	Outcome models.Outcome
	Reason  string        // its code; entries with a note beside it are meant too
	Min     *models.Money // inclusive, as Max
	Max     *models.Money
	Address string // of the network, as netip writes it
	Attempt int
	SaleID  int64
	From    models.Day // inclusive, days of the cut-off's zone
	To      models.Day // inclusive
	Query   string     // words of the text, each whole or its beginning
	Reads   Reads      // whether entries of reading are among them
	Cursor  string

	// Meanings are the codes which the user sees as a word of the query. They follow
	// from the query and are no filter of their own.
	Meanings map[string][]string

	today models.Day // when the filter was read
}

// Names are the names of a filter in addresses, in the order in which they are
// shown. The cursor is not one of them: it is a position, not a condition.
var Names = []string{
	"q", "store", "terminal", "person", "role", "action", "outcome", "reason",
	"min", "max", "address", "attempt", "sale", "from", "to", "reads",
}

// TrailRoles are the roles that the actor of an entry can have.
var TrailRoles = append(slices.Clone(models.Roles), models.Integration, models.TerminalRole, models.SystemRole, models.Anonymous)

// maxAuditQuery is how many characters a search text may have, and maxAuditValue
// those of any other value.
const (
	maxAuditQuery = models.MaxOrderID + 50 // an order number among other words
	maxAuditValue = 100
)

// ParseFilter reads a filter from the text of each name. An invalid value does not
// filter; the errors of all fields are returned. Whether a text is a card number depends
// on the day, see cards.InReference.
func ParseFilter(typed func(name string) string, now time.Time) (Filter, []*models.Error) {
	p := FilterParser{Typed: typed, Now: now}
	f := Filter{
		Query:   p.query(),
		StoreID: p.Id("store"), ActorID: p.Id("person"), SaleID: p.Id("sale"),
		Role:    OneOf(&p, "role", TrailRoles),
		Action:  OneOf(&p, "action", models.Actions),
		Outcome: OneOf(&p, "outcome", models.Outcomes),
		Reason:  p.text("reason"),
		Min:     parsed(&p, "min", "auditFilter.amount", parseAmount),
		Max:     parsed(&p, "max", "auditFilter.amount", parseAmount),
		Address: parsed(&p, "address", "auditFilter.address", parseAddress),
		Attempt: int(parsed(&p, "attempt", "auditFilter.attempt", positive(32))),
		From:    p.Day("from"), To: p.Day("to"),
		Reads:  OneOf(&p, "reads", []Reads{ReadsIn, ReadsOut}),
		Serial: parsed(&p, "terminal", "serial.invalid", models.ParseSerialNumber),
		today:  models.Day(now.UTC().Format(time.DateOnly)),
	}
	p.Judge(f.Min == nil || f.Max == nil || *f.Min <= *f.Max, "max", "auditFilter.maxBelowMin")
	p.Judge(f.From == "" || f.To == "" || f.From <= f.To, "to", "auditFilter.toBeforeFrom")
	return f, p.Wrong
}

// Values returns the text of each name that filters, in the order of Names:
// what ParseFilter reads.
func (f *Filter) Values() [][2]string {
	text := map[string]string{
		"q": f.Query, "terminal": string(f.Serial), "role": string(f.Role), "action": string(f.Action), "outcome": string(f.Outcome),
		"reason": f.Reason, "address": f.Address, "from": string(f.From), "to": string(f.To), "reads": string(f.Reads),
	}
	for name, n := range f.numbers() {
		if n != 0 {
			text[name] = strconv.FormatInt(n, 10)
		}
	}
	for name, m := range map[string]*models.Money{"min": f.Min, "max": f.Max} {
		if m != nil {
			text[name] = m.Decimal()
		}
	}
	var values [][2]string
	for _, name := range Names {
		if text[name] != "" {
			values = append(values, [2]string{name, text[name]})
		}
	}
	return values
}

func (f *Filter) numbers() map[string]int64 {
	return map[string]int64{"store": f.StoreID, "person": f.ActorID, "sale": f.SaleID, "attempt": int64(f.Attempt)}
}

// Encode writes the filter as the query of an address, without the cursor.
func (f *Filter) Encode() string {
	q := url.Values{}
	for _, v := range f.Values() {
		q.Set(v[0], v[1])
	}
	return q.Encode()
}

// Attributes is how the trail names the filter with which it was read.
func (f Filter) Attributes() map[string]any {
	attributes := map[string]any{}
	numbers := f.numbers()
	for _, v := range f.Values() {
		name, value := v[0], v[1]
		switch n := numbers[name]; {
		case n != 0:
			attributes[attributeNames[name]] = n
		case name == "q":
			attributes["query"] = models.Legible(value, 100)
		default:
			attributes[attributeNames[name]] = models.Legible(value, maxAuditQuery)
		}
	}
	return attributes
}

// attributeNames are the names of a filter as they are recorded in the trail. They
// have never changed.
var attributeNames = map[string]string{
	"q": "query", "store": "storeId", "terminal": "serialNumber", "person": "actorId", "role": "role", "action": "action",
	"outcome": "outcome", "reason": "reasonCode", "min": "min", "max": "max", "address": "address", "attempt": "attempt",
	"sale": "saleId", "from": "from", "to": "to", "reads": "reads",
}

// period is the filter's as instants of a zone; zero where it is open.
func (f *Filter) period(zone *time.Location) (from, before time.Time) {
	if f.From != "" {
		from = f.From.Time(zone)
	}
	if f.To != "" {
		y, m, d := f.To.Time(zone).Date()
		before = time.Date(y, m, d+1, 0, 0, 0, 0, zone)
	}
	return from, before
}

// FilterParser reads the names of a filter, of any list, and collects the errors.
type FilterParser struct {
	Typed func(name string) string
	Now   time.Time // for cards.InReference
	Wrong []*models.Error
}

func (p *FilterParser) Judge(ok bool, field, code string) {
	if !ok && !slices.ContainsFunc(p.Wrong, func(e *models.Error) bool { return e.Field == field }) {
		p.Wrong = append(p.Wrong, models.Invalid(field, code))
	}
}

// text is what was typed for a name; "" when it cannot be searched for.
func (p *FilterParser) text(name string) string { return p.clean(name, maxAuditValue) }

func (p *FilterParser) clean(name string, most int) string {
	s := strings.TrimSpace(p.Typed(name))
	switch {
	case utf8.RuneCountInString(s) > most:
		p.Judge(false, name, "auditFilter.tooLong")
	case !models.Storable(s):
		p.Judge(false, name, "field.invalidText")
	case cards.InReference(s, p.Now):
		p.Judge(false, name, "field.cardNumber")
	default:
		return s
	}
	return ""
}

func (p *FilterParser) query() string {
	s := p.clean("q", maxAuditQuery)
	p.Judge(len(SearchWords(s)) <= maxSearchWords, "q", "auditFilter.tooManyWords")
	return s
}

// parsed is the value that was typed for a name; zero when none was, or a wrong one.
func parsed[T any](p *FilterParser, name, code string, parse func(string) (T, error)) (none T) {
	s := p.text(name)
	if s == "" {
		return none
	}
	value, err := parse(s)
	p.Judge(err == nil, name, code)
	if err != nil {
		return none
	}
	return value
}

func (p *FilterParser) Id(name string) int64 { return parsed(p, name, "filter.invalid", positive(64)) }

func (p *FilterParser) Day(name string) models.Day {
	return parsed(p, name, "date.invalid", models.ParseDay)
}

// positive parses a number above zero of so many bits.
func positive(bits int) func(string) (int64, error) {
	return func(s string) (int64, error) {
		n, err := strconv.ParseInt(s, 10, bits)
		if err == nil && n <= 0 {
			err = strconv.ErrRange
		}
		return n, err
	}
}

// parseAmount reads "1250.00", and what people make of it: "$1,250".
func parseAmount(s string) (*models.Money, error) {
	m, err := models.ParseMoney(strings.ReplaceAll(strings.TrimSpace(strings.TrimPrefix(s, "$")), ",", ""))
	return &m, err
}

func parseAddress(s string) (string, error) {
	a, err := netip.ParseAddr(s)
	if err == nil && a.Zone() != "" {
		err = strconv.ErrSyntax
	}
	return a.String(), err
}

func OneOf[T ~string](p *FilterParser, name string, known []T) T {
	s := T(p.text(name))
	if s == "" || slices.Contains(known, s) {
		return s
	}
	p.Judge(false, name, "filter.invalid")
	return ""
}

func (f *Filter) List() models.ViewList { return models.ViewsOfAudit }

func (f *Filter) HoldsCard(now time.Time) bool {
	return cards.InReference(f.Query, now) || cards.InReference(f.Reason, now)
}
