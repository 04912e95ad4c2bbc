package results

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"veinte/models"
	"veinte/models/cards"
)

// wire is a post as terminals of this family write it. Every field is optional
// in practice, and any may be of another type than documented.
type wire map[string]any

// Read turns a body into a post. It never fails: a body that cannot be read is
// stored as a post of kind unreadable. Whether a number is one of a card is judged by
// the day, see cards.InReference.
func Read(body []byte, now time.Time) models.Post {
	w, ok := decode(body)
	if !ok {
		return models.Post{Kind: models.ResultUnreadable}
	}
	m := masker{attempt: w.attemptID(), now: now}
	p := models.Post{
		SerialNumber: m.secrets(w.text("terminalId", 40)),
		MerchantID:   m.number(w.text("storeId", models.MaxMerchantID)),
		OrderID:      m.orderID(w.text("orderId", models.MaxOrderID)),
		Folio:        m.number(w.text("folioNumber", 80)),
		Amount:       w.amount("amount"),
		ResponseCode: m.secrets(w.text("responseCode", 20)),
		AttemptKey:   w.attemptKey(),
		Last4:        cards.Last4(w.text("cardNumber", 40)),
		CardBrand:    m.secrets(w.text("cardTypeName", 20)),
		AuthCode:     m.number(w.text("authCode", 20)),
		Kind:         w.kind(),
	}
	w.markUnread(&p)
	if p.Kind == models.ResultInquiry {
		// Sales and cancellations carry the field too, with no meaning.
		p.Standing = models.SaleStanding(w.text("reprintModule", 10))
	}
	p.Body = w.masked(now)
	return p
}

// maxDepth limits the nesting that is read: real posts are two levels deep.
const maxDepth = 6

func decode(body []byte) (wire, bool) {
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	if !utf8.Valid(body) || depth(body) > maxDepth {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var w wire
	if err := d.Decode(&w); err != nil || w == nil || d.More() {
		return nil, false
	}
	return w, true
}

// depth counts the deepest nesting, before any recursive function reads the body.
func depth(body []byte) int {
	deepest, now, inText, escaped := 0, 0, false, false
	for _, c := range body {
		switch {
		case escaped:
			escaped = false
		case inText:
			escaped, inText = c == '\\', c != '"'
		case c == '"':
			inText = true
		case c == '{' || c == '[':
			now++
			deepest = max(deepest, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return deepest
}

// kind returns what a post is about, in the order of the integration guides. An
// empty transType is an operation that the user left; a post without the field and
// without a response has another shape.
func (w wire) kind() models.ResultKind {
	// If this is too generous, a reply is reviewed twice; if too strict, a reprint
	// of a cancellation counts as a cancellation of its own.
	if again := w["isRePrint"]; again == true || again == "true" {
		return models.ResultInquiry
	}
	switch w["transType"] {
	case "V":
		return models.ResultCancellation
	case "A":
		return models.ResultSale
	case "":
		if _, ok := w["responseCode"]; ok {
			return models.ResultAbandoned
		}
	}
	return models.ResultOther
}

// text reads a string, or a number as it was written. Anything else is empty, and so is
// what cannot be stored or seen: a sale must not look like another one.
func (w wire) text(name string, most int) string {
	var s string
	switch v := w[name].(type) {
	case string:
		s = v
	case json.Number:
		s = v.String()
	}
	s = strings.TrimSpace(s)
	if utf8.RuneCountInString(s) > most || strings.ContainsFunc(s, models.Invisible) {
		return ""
	}
	return s
}

// illegible replaces the name of a terminal or an order that cannot be read. No
// terminal or order has that name.
const illegible = "?"

// markUnread marks a terminal, order or amount that is present but cannot be read. A
// missing field is optional, but a present one must agree with the sale, so the
// result must not pass as one without the field.
func (w wire) markUnread(p *models.Post) {
	if p.Kind != models.ResultCancellation && p.Kind != models.ResultAbandoned && p.Kind != models.ResultInquiry {
		return
	}
	if p.SerialNumber == "" && w.names("terminalId") {
		p.SerialNumber = illegible
	}
	if p.OrderID == "" && w.names("orderId") {
		p.OrderID = illegible
	}
	if p.Amount == nil && w.names("amount") {
		p.Amount = new(models.Money) // no sale costs nothing
	}
}

// names reports whether a field has any value.
func (w wire) names(name string) bool {
	if s, ok := w[name].(string); ok {
		return strings.TrimSpace(s) != ""
	}
	return w[name] != nil
}

// orderID is the order number. It is empty when it contains a card number, which must
// not be stored: masked, it would be the same for every order whose card has the same
// last digits.
func (m masker) orderID(s string) string {
	if cards.InReference(s, m.now) {
		return ""
	}
	return s
}

// amount reads a decimal string of any scale; nil when there is none.
func (w wire) amount(name string) *models.Money {
	m, err := models.ParseMoney(w.text(name, 30))
	if err != nil {
		return nil
	}
	return &m
}

// attemptKey returns the hash of the attempt id that our requests put into
// traceability and terminals echo. The id itself is not stored. A value that cannot
// be one of our ids is hashed too and matches no attempt, so that the post does not
// pass as one without an id.
func (w wire) attemptKey() string {
	trace, _ := w["traceability"].(map[string]any)
	if trace[attemptField] == nil || trace[attemptField] == "" {
		return ""
	}
	id := w.attemptID()
	if id == "" {
		id = fmt.Sprint(trace[attemptField])
	}
	return models.HashAttemptKey(id)
}

func (w wire) attemptID() string {
	trace, _ := w["traceability"].(map[string]any)
	id, _ := trace[attemptField].(string)
	return id
}

const attemptField = "attemptId"
