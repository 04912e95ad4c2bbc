package models

import (
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"veinte/models/cards"
)

// AuditFilter narrows the trail. Zero values do not filter. Page, exports, saved
// views and permalinks share it, and the names of AuditNames.
type AuditFilter struct {
	StoreID int64
	Serial  SerialNumber
	ActorID int64 // of a person or of a program's key
	Role    Role  // in which they did it
	Action  Action
	Outcome Outcome
	Reason  string // its code; entries with a note beside it are meant too
	Min     *Money // inclusive, as Max
	Max     *Money
	Address string // of the network, as netip writes it
	Attempt int
	SaleID  int64
	From    Day    // inclusive, days of the cut-off's zone
	To      Day    // inclusive
	Query   string // words of the text, each whole or its beginning
	Reads   Reads  // whether entries of reading are among them
	Cursor  string

	// Meanings are what else a word of the query may stand for: the codes that
	// the reader sees as that word. They follow from the query and are no filter
	// of their own.
	Meanings map[string][]string
}

// AuditNames are the names of a filter in addresses, in the order in which they
// are shown. The cursor is none of them: it says where one reads, not what.
var AuditNames = []string{
	"q", "store", "terminal", "person", "role", "action", "outcome", "reason",
	"min", "max", "address", "attempt", "sale", "from", "to", "reads",
}

// TrailRoles are whoever an entry can be of.
var TrailRoles = append(slices.Clone(Roles), Integration, TerminalRole, SystemRole, Anonymous)

// mostAuditQuery is how many characters a text to look for may have, and
// mostAuditValue those of anything else.
const (
	mostAuditQuery = 200
	mostAuditValue = 100
)

// ParseAuditFilter reads a filter from the text of each name. What is wrong does
// not filter and is told by field, all of it.
func ParseAuditFilter(typed func(name string) string) (AuditFilter, []*Error) {
	p := filterParser{typed: typed}
	f := AuditFilter{
		Query:   p.query(),
		StoreID: p.id("store"), ActorID: p.id("person"), SaleID: p.id("sale"),
		Role:    oneOf(&p, "role", TrailRoles),
		Action:  oneOf(&p, "action", Actions),
		Outcome: oneOf(&p, "outcome", Outcomes),
		Reason:  p.text("reason"),
		Min:     p.amount("min"), Max: p.amount("max"),
		Address: p.address(), Attempt: p.attempt(),
		From: p.day("from"), To: p.day("to"),
		Reads: oneOf(&p, "reads", []Reads{ReadsIn, ReadsOut}),
	}
	if s := p.text("terminal"); s != "" {
		serial, err := ParseSerialNumber(s)
		p.judge(err == nil, "terminal", "serial.invalid")
		f.Serial = serial
	}
	p.judge(f.Min == nil || f.Max == nil || *f.Min <= *f.Max, "max", "auditFilter.maxBelowMin")
	p.judge(f.From == "" || f.To == "" || f.From <= f.To, "to", "auditFilter.toBeforeFrom")
	return f, p.wrong
}

// Values returns the text of each name that filters, in the order of AuditNames:
// what ParseAuditFilter reads.
func (f *AuditFilter) Values() [][2]string {
	text := map[string]string{
		"q": f.Query, "terminal": string(f.Serial), "role": string(f.Role), "action": string(f.Action), "outcome": string(f.Outcome),
		"reason": f.Reason, "address": f.Address, "from": string(f.From), "to": string(f.To), "reads": string(f.Reads),
	}
	for name, n := range map[string]int64{"store": f.StoreID, "person": f.ActorID, "sale": f.SaleID, "attempt": int64(f.Attempt)} {
		if n != 0 {
			text[name] = strconv.FormatInt(n, 10)
		}
	}
	for name, m := range map[string]*Money{"min": f.Min, "max": f.Max} {
		if m != nil {
			text[name] = m.Decimal()
		}
	}
	var values [][2]string
	for _, name := range AuditNames {
		if text[name] != "" {
			values = append(values, [2]string{name, text[name]})
		}
	}
	return values
}

// Encode writes the filter as the query of an address, without the cursor.
func (f *AuditFilter) Encode() string {
	q := url.Values{}
	for _, v := range f.Values() {
		q.Set(v[0], v[1])
	}
	return q.Encode()
}

// told is how the trail names the filter with which it was read.
func (f AuditFilter) told() map[string]any {
	told := map[string]any{}
	for _, v := range f.Values() {
		told[toldAs[v[0]]] = legible(v[1], mostAuditQuery)
	}
	for name, n := range map[string]int64{"storeId": f.StoreID, "actorId": f.ActorID, "saleId": f.SaleID, "attempt": int64(f.Attempt)} {
		if n != 0 {
			told[name] = n
		}
	}
	if f.Query != "" {
		told["query"] = legible(f.Query, 100)
	}
	return told
}

// toldAs are the names of a filter as the trail has always told them.
var toldAs = map[string]string{
	"q": "query", "store": "storeId", "terminal": "serialNumber", "person": "actorId", "role": "role", "action": "action",
	"outcome": "outcome", "reason": "reasonCode", "min": "min", "max": "max", "address": "address", "attempt": "attempt",
	"sale": "saleId", "from": "from", "to": "to", "reads": "reads",
}

// period is the filter's as instants of a zone; zero where it is open.
func (f *AuditFilter) period(zone *time.Location) (from, before time.Time) {
	if f.From != "" {
		from = f.From.Time(zone)
	}
	if f.To != "" {
		y, m, d := f.To.Time(zone).Date()
		before = time.Date(y, m, d+1, 0, 0, 0, 0, zone)
	}
	return from, before
}

// filterParser reads the names of a filter, of whichever list, and keeps what was
// wrong.
type filterParser struct {
	typed func(name string) string
	wrong []*Error
}

func (p *filterParser) judge(ok bool, field, code string) {
	if !ok && !slices.ContainsFunc(p.wrong, func(e *Error) bool { return e.Field == field }) {
		p.wrong = append(p.wrong, Invalid(field, code))
	}
}

// text is what was typed for a name; "" when it cannot be looked for.
func (p *filterParser) text(name string) string { return p.clean(name, mostAuditValue) }

func (p *filterParser) clean(name string, most int) string {
	s := strings.TrimSpace(p.typed(name))
	switch {
	case utf8.RuneCountInString(s) > most:
		p.judge(false, name, "auditFilter.tooLong")
	case !storable(s):
		p.judge(false, name, "field.invalidText")
	case cards.Holds(s):
		p.judge(false, name, "field.cardNumber")
	default:
		return s
	}
	return ""
}

func (p *filterParser) query() string {
	s := p.clean("q", mostAuditQuery)
	p.judge(len(searchWords(s)) <= mostSearchWords, "q", "auditFilter.tooManyWords")
	return s
}

func (p *filterParser) id(name string) int64 {
	s := p.text(name)
	if s == "" {
		return 0
	}
	n, err := strconv.ParseInt(s, 10, 64)
	p.judge(err == nil && n > 0, name, "filter.invalid")
	return max(n, 0)
}

func (p *filterParser) attempt() int {
	s := p.text("attempt")
	if s == "" {
		return 0
	}
	n, err := strconv.ParseInt(s, 10, 32)
	p.judge(err == nil && n > 0, "attempt", "auditFilter.attempt")
	return int(max(n, 0))
}

// amount reads "1250.00", and what people make of it: "$1,250".
func (p *filterParser) amount(name string) *Money {
	s := p.text(name)
	if s == "" {
		return nil
	}
	m, err := ParseMoney(strings.ReplaceAll(strings.TrimSpace(strings.TrimPrefix(s, "$")), ",", ""))
	p.judge(err == nil, name, "auditFilter.amount")
	if err != nil {
		return nil
	}
	return &m
}

func (p *filterParser) address() string {
	s := p.text("address")
	if s == "" {
		return ""
	}
	a, err := netip.ParseAddr(s)
	p.judge(err == nil && a.Zone() == "", "address", "auditFilter.address")
	if err != nil || a.Zone() != "" {
		return ""
	}
	return a.String()
}

func (p *filterParser) day(name string) Day {
	s := p.text(name)
	if s == "" {
		return ""
	}
	d, err := ParseDay(s)
	p.judge(err == nil, name, "date.invalid")
	return d
}

func oneOf[T ~string](p *filterParser, name string, known []T) T {
	s := T(p.text(name))
	if s == "" || slices.Contains(known, s) {
		return s
	}
	p.judge(false, name, "filter.invalid")
	return ""
}
