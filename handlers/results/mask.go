package results

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/cards"
)

// stored are the fields that are stored. It is a list of wanted fields, so that an
// unknown field cannot bring card data in. bin, cardExpDate, customerName, arqc,
// hexSign and the like are not on it.
var stored = map[string]bool{
	"affiliation": true, "amount": true, "authAmount": true, "authCode": true, "bankName": true,
	"cardTypeName": true, "cityName": true, "folioNumber": true, "hostRefNum": true,
	"internalNumber": true, "isQps": true, "isRePrint": true, "message": true, "moduleCharge": true,
	"moduleLote": true, "orderId": true, "preAuth": true, "preStatus": true, "promotion": true,
	"reprintModule": true, "responseCode": true, "rrnNumber": true, "storeId": true, "storeName": true,
	"tableId": true, "terminalId": true, "ticketDate": true, "tipAmount": true, "tipLessAmount": true,
	"tipTotalAmount": true, "totalAmount": true, "traceability": true, "transDate": true,
	"transType": true, "transactionId": true,
}

// masked returns the post as it is stored: known fields only, the card number cut to
// its last four digits, our attempt id and anything like a card number replaced. The
// keys are sorted, so that equal posts are equal bytes.
func (w wire) masked(now time.Time) string {
	m := masker{attempt: w.attemptID(), now: now}
	out := make(map[string]any, len(w))
	for name, value := range w {
		if stored[name] {
			out[name] = m.value(name, value)
		}
	}
	if n := w.text("cardNumber", 40); n != "" {
		out["cardNumber"] = cards.Last4(n)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(out); err != nil {
		return "" // decoded JSON encodes; there is nothing else to keep
	}
	return strings.TrimSpace(b.String())
}

// keyLike is the shape of our attempt ids, wherever one might turn up.
var keyLike = regexp.MustCompile(`[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}`)

// numbers are fields with a number of the service's or the merchant's. Card numbers
// in them are found by the rule for such numbers, so that an order number stays.
var numbers = map[string]bool{"orderId": true, "folioNumber": true, "storeId": true, "authCode": true}

// harmless are fields whose values look like masked ones: the service's transaction
// ids look like our attempt ids.
var harmless = map[string]*regexp.Regexp{"transactionId": regexp.MustCompile(`^` + keyLike.String() + `$`)}

// masker replaces what must not be stored. attempt is the attempt id that the post
// echoes; "" when there is none.
type masker struct {
	attempt string
	now     time.Time
}

func (m masker) value(name string, value any) any {
	switch v := value.(type) {
	case string:
		return m.text(name, v)
	case json.Number:
		if len(v.String()) >= 13 {
			return m.text(name, v.String())
		}
		return v
	case map[string]any:
		out := make(map[string]any, len(v))
		for _, inner := range slices.Sorted(maps.Keys(v)) {
			out[m.text("", inner)] = m.value(inner, v[inner])
		}
		return out
	case []any:
		for i, x := range v {
			v[i] = m.value(name, x)
		}
		return v
	default:
		return value
	}
}

// maxText is the maximum length of a stored text, in bytes; an order number or a
// merchant id has at most maxNumber.
const (
	maxText   = 300
	maxNumber = 4 * models.MaxOrderID
)

func (m masker) text(name, s string) string {
	if name == attemptField {
		return "***"
	}
	// PostgreSQL cannot store NUL, control characters must not get into a log, and what
	// cannot be seen would hide a card number or turn the text around on a page.
	s = strings.Map(func(r rune) rune {
		if models.Invisible(r) {
			return -1
		}
		return r
	}, s)
	switch shape := harmless[name]; {
	case numbers[name]:
		s = m.number(s)
	case shape == nil || !shape.MatchString(s):
		s = m.secrets(s)
	}
	s = m.echo(s)
	// Only now: a cut through a card number would hide it from the above.
	most := maxText
	if numbers[name] {
		most = maxNumber
	}
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "")
	}
	return s
}

// secrets replaces what looks like an attempt id or a card number.
func (m masker) secrets(s string) string {
	return cards.MaskDigits(keyLike.ReplaceAllString(m.echo(s), "***"))
}

// number is secrets for a number of the service's or the merchant's.
func (m masker) number(s string) string {
	if s = keyLike.ReplaceAllString(m.echo(s), "***"); cards.InReference(s, m.now) {
		return cards.MaskDigits(s)
	}
	return s
}

// echo replaces the attempt id of the post. A shorter text is no id of ours and
// could be part of any word.
func (m masker) echo(s string) string {
	if len(m.attempt) < 16 {
		return s
	}
	return strings.ReplaceAll(s, m.attempt, "***")
}
