package results

import (
	"bytes"
	"encoding/json"
	"math/big"
	"regexp"
	"slices"
	"strings"
)

// effect is something that a body may do. It is certain when the domain leaves
// no doubt; otherwise somebody who reads generously could take the body for it.
type effect struct {
	what    string // confirmed, rejected, or sale: one that is new
	target  *target
	certain bool
}

// oracle says what a body may do to the sales that fuzzed bodies name. It goes
// by the domain's page: which of a body's fields tell what it is, what matches it
// to a sale, and that what it names must agree.
type oracle struct {
	targets []*target
	serials map[string]bool // of every terminal there is
}

func (o *oracle) effects(body []byte) (all []effect) {
	r := readBody(body)
	if r == nil {
		return nil
	}
	for _, t := range o.targets {
		if possible, certain := r.positive(t); possible {
			all = append(all, effect{"confirmed", t, certain && r.clean})
		}
		if possible, certain := r.negative(t); possible {
			all = append(all, effect{"rejected", t, certain && r.clean})
		}
	}
	if _, inquiry := r.isInquiry(); !inquiry && r.says("transType", "A") && r.says("responseCode", "00") && !o.knows(r) {
		all = append(all, effect{what: "sale"})
	}
	return all
}

// knows reports whether a sale's post names no terminal of ours, or exactly a
// sale that is known.
func (o *oracle) knows(r *bodyRead) bool {
	ours := false
	for _, v := range r.values("terminalId") {
		ours = ours || o.serials[strings.TrimSpace(v.text)]
	}
	for _, t := range o.targets {
		if r.only("orderId", t.sale.OrderID) && r.only("terminalId", t.sale.Serial) && r.only("storeId", t.merchant) {
			return true
		}
	}
	return !ours
}

// positive reports whether the body may prove that the target is canceled: it names
// order, terminal and amount, and carries the id of an attempt. Without an id anybody
// could have posted it, and it ends nothing.
func (r *bodyRead) positive(t *target) (possible, certain bool) {
	inquiry, sure := r.isInquiry()
	v := r.says("transType", "V") && r.says("responseCode", "00") && !sure
	if !v {
		return false, false // an inquiry's answer too: nobody here knows an inquiry's id
	}
	if !r.says("orderId", t.sale.OrderID) || !r.says("terminalId", t.sale.Serial) || !r.saysAmount(t.sale.Amount) {
		return false, false // it lacks what a proof names
	}
	id := false
	for _, known := range t.ids {
		id = id || v && r.ids[known]
	}
	exact := r.only("transType", "V") && r.only("responseCode", "00") && !inquiry && len(r.ids) == 1
	return id, exact && r.only("terminalId", t.sale.Serial) && r.only("orderId", t.sale.OrderID) && r.exactAmount(t.sale.Amount)
}

// negative reports whether the body may say that the target's attempt failed.
func (r *bodyRead) negative(t *target) (possible, certain bool) {
	inquiry, sure := r.isInquiry()
	if t.current == "" || !r.ids[t.current] || sure || !r.agrees("terminalId", t.sale.Serial) || !r.agrees("orderId", t.sale.OrderID) {
		return false, false
	}
	exact := !inquiry && len(r.ids) == 1 && r.exact("terminalId", t.sale.Serial) && r.exact("orderId", t.sale.OrderID)
	left := r.says("transType", "") && len(r.fields["responseCode"]) > 0
	if left && len(r.fields["transType"]) > 0 {
		return true, exact && r.only("transType", "") && r.only("responseCode", "02")
	}
	no := false
	for _, v := range r.values("responseCode") {
		no = no || v.readable && strings.TrimSpace(v.text) != "" && strings.TrimSpace(v.text) != "00"
	}
	if !r.says("transType", "V") || !no || !r.agreesAmount(t.sale.Amount) && !r.mayNameNoAmount() {
		return false, false
	}
	code := r.values("responseCode")[0]
	return true, exact && len(r.fields["responseCode"]) == 1 && !code.number && plainCode.MatchString(code.text) &&
		r.only("transType", "V") && r.exactAmount(t.sale.Amount)
}

// isInquiry reports whether the body may be an inquiry's answer, and whether it
// surely is one.
func (r *bodyRead) isInquiry() (maybe, surely bool) {
	raw := r.fields["isRePrint"]
	for _, x := range raw {
		maybe = maybe || string(x) != "false" && string(x) != "null"
	}
	return maybe, len(raw) == 1 && string(raw[0]) == "true"
}

// bodyRead is a body, as somebody reads it who takes every field that is there
// twice for both.
type bodyRead struct {
	fields map[string][]json.RawMessage
	ids    map[string]bool // attempt ids; "" when it may carry none
	clean  bool            // one plain JSON object, no field twice
}

// readBody returns nil for what does not begin with a JSON object.
func readBody(body []byte) *bodyRead {
	text := bytes.TrimPrefix(body, []byte("\ufeff"))
	r := &bodyRead{ids: map[string]bool{}, clean: len(text) == len(body) && len(body) < 30000 && json.Valid(body)}
	if r.fields = objectFields(text, &r.clean); r.fields == nil {
		return nil
	}
	traces := r.fields["traceability"]
	if len(traces) == 0 {
		r.ids[""] = true
	}
	for _, trace := range traces {
		inner := objectFields(trace, &r.clean)
		if inner == nil { // a text may hold anything; the rest holds no id
			r.ids[""] = true
			r.clean = false
			continue
		}
		r.addIDs(inner["attemptId"])
	}
	return r
}

func (r *bodyRead) addIDs(raw []json.RawMessage) {
	for _, v := range valuesOf(raw) {
		switch {
		case v.missing:
			r.ids[""] = true
		case v.readable && !v.number:
			r.ids[v.text] = true
		default:
			r.ids["not ours"] = true
		}
	}
}

// objectFields splits an object; a field that is there twice has two values.
func objectFields(text []byte, clean *bool) map[string][]json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(text))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return nil
	}
	fields := map[string][]json.RawMessage{}
	for d.More() {
		name, err := d.Token()
		var value json.RawMessage
		if err != nil || d.Decode(&value) != nil {
			return nil
		}
		key, _ := name.(string)
		if fields[key] = append(fields[key], value); len(fields[key]) > 1 {
			*clean = false
		}
	}
	if _, err := d.Token(); err != nil {
		return nil
	}
	return fields
}

// value is one field's value, as a text.
type value struct {
	text                      string
	missing, readable, number bool
}

func (r *bodyRead) values(name string) []value { return valuesOf(r.fields[name]) }

func valuesOf(raw []json.RawMessage) (all []value) {
	for _, x := range raw {
		var s string
		switch {
		case string(x) == "null":
			all = append(all, value{missing: true})
		case json.Unmarshal(x, &s) == nil:
			all = append(all, value{text: s, readable: true, missing: s == ""})
		case x[0] == '-' || x[0] >= '0' && x[0] <= '9':
			all = append(all, value{text: string(x), readable: true, number: true})
		default:
			all = append(all, value{})
		}
	}
	if len(raw) == 0 {
		all = []value{{missing: true}}
	}
	return all
}

// says reports whether a field may say a text; "" is also what is not there.
func (r *bodyRead) says(name, text string) bool {
	for _, v := range r.values(name) {
		if (v.readable || v.missing) && strings.TrimSpace(v.text) == text {
			return true
		}
	}
	return false
}

// only reports whether a field is there once, and says exactly a text.
func (r *bodyRead) only(name, text string) bool {
	v := r.values(name)
	return len(r.fields[name]) == 1 && v[0].readable && !v[0].number && v[0].text == text
}

// agrees reports whether a field may say a text or nothing; exact, whether it
// does so beyond doubt.
func (r *bodyRead) agrees(name, text string) bool { return r.says(name, text) || r.says(name, "") }

func (r *bodyRead) exact(name, text string) bool {
	return len(r.fields[name]) == 0 || r.only(name, text) || r.only(name, "")
}

var (
	plainCode   = regexp.MustCompile(`^[0-9]{2}$`)
	someAmount  = regexp.MustCompile(`^[0-9]{1,9}(\.[0-9]{1,2}0*)?$`)
	plainAmount = regexp.MustCompile(`^[0-9]{1,9}(\.[0-9]+)?$`)
)

func (r *bodyRead) agreesAmount(amount string) bool {
	want, _ := new(big.Rat).SetString(amount)
	for _, v := range r.values("amount") {
		text := strings.TrimSpace(v.text)
		if (v.missing || v.readable) && text == "" {
			return true
		}
		if len(text) > 40 {
			continue
		}
		if got, ok := new(big.Rat).SetString(strings.Trim(text, "$+")); ok && got.Cmp(want) == 0 {
			return true
		}
	}
	return false
}

// saysAmount reports whether the amount may be there and be this one.
func (r *bodyRead) saysAmount(amount string) bool {
	named := slices.ContainsFunc(r.values("amount"), func(v value) bool { return v.readable && strings.TrimSpace(v.text) != "" })
	return named && r.agreesAmount(amount)
}

// mayNameNoAmount reports whether the amount may be 0 or none at all. In a refusal it
// says that nothing was canceled.
func (r *bodyRead) mayNameNoAmount() bool {
	return slices.ContainsFunc(r.values("amount"), func(v value) bool {
		return !someAmount.MatchString(strings.TrimSpace(v.text)) || strings.Trim(v.text, "0. ") == ""
	})
}

func (r *bodyRead) exactAmount(amount string) bool {
	if len(r.fields["amount"]) == 0 {
		return true
	}
	v := r.values("amount")[0]
	return len(r.fields["amount"]) == 1 && r.agreesAmount(amount) && !v.number && (v.missing || plainAmount.MatchString(v.text))
}
