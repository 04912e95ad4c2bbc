package results

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
)

// kept are the fields that are stored. It is a list of what is wanted, not of
// what is dropped, so that a field nobody has seen yet cannot bring card data
// in. bin, cardExpDate, customerName, arqc, hexSign and the like are not on it.
var kept = map[string]bool{
	"affiliation": true, "amount": true, "authAmount": true, "authCode": true, "bankName": true,
	"cardTypeName": true, "cityName": true, "folioNumber": true, "hostRefNum": true,
	"internalNumber": true, "isQps": true, "isRePrint": true, "message": true, "moduleCharge": true,
	"moduleLote": true, "orderId": true, "preAuth": true, "preStatus": true, "promotion": true,
	"reprintModule": true, "responseCode": true, "rrnNumber": true, "storeId": true, "storeName": true,
	"tableId": true, "terminalId": true, "ticketDate": true, "tipAmount": true, "tipLessAmount": true,
	"tipTotalAmount": true, "totalAmount": true, "traceability": true, "transDate": true,
	"transType": true, "transactionId": true,
}

// masked returns the post as it is kept: known fields only, the card number cut
// to its last four digits, our attempt id and anything like a card number
// replaced, keys in order, so that equal posts are equal bytes.
func (w wire) masked() string {
	out := make(map[string]any, len(w))
	for name, value := range w {
		if kept[name] {
			out[name] = mask(name, value)
		}
	}
	if n := w.text("cardNumber", 40); n != "" {
		out["cardNumber"] = lastFour(n)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(out); err != nil {
		return "" // decoded JSON encodes; there is nothing else to keep
	}
	return strings.TrimSpace(b.String())
}

// cardLike is a run of 13 to 19 digits, perhaps in groups: a card number, until
// proven otherwise. Order numbers and serial numbers are shorter runs.
var cardLike = regexp.MustCompile(`\d(?:[ -]?\d){12,18}`)

// keyLike is the shape of our attempt ids, wherever one might turn up.
var keyLike = regexp.MustCompile(`[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}`)

// mask replaces what must not be kept inside a value.
func mask(name string, value any) any {
	switch v := value.(type) {
	case string:
		return maskText(name, v)
	case json.Number:
		if len(v.String()) >= 13 {
			return maskText(name, v.String())
		}
		return v
	case map[string]any:
		for inner, x := range v {
			v[inner] = mask(inner, x)
		}
		return v
	case []any:
		for i, x := range v {
			v[i] = mask(name, x)
		}
		return v
	default:
		return value
	}
}

func maskText(name, s string) string {
	if name == attemptField {
		return "***"
	}
	// PostgreSQL holds no NUL, and a log is no place for control characters.
	s = strings.Map(func(r rune) rune {
		if isControl(r) {
			return -1
		}
		return r
	}, s)
	if len(s) > 300 {
		s = strings.ToValidUTF8(s[:300], "")
	}
	switch name {
	case "orderId":
		return s // YYMMDDhhmmss-<serial> would look like a card number
	case "transactionId":
		return s // of the same shape as our ids, and the service's own
	}
	s = keyLike.ReplaceAllString(s, "***")
	return cardLike.ReplaceAllString(s, "****")
}
