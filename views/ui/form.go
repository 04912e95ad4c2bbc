package ui

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"veinte/models"
	"veinte/views/locale"
)

// fieldNames are the labels of fields, by their names in forms: most are called the
// same wherever they stand. A question that its own words repeat has none.
var fieldNames = map[string]string{
	"accessUntil": "user.accessUntil", "action": "audit.action", "address": "auditName.address", "amount": "sales.amount",
	"amounts": "profile.amounts", "answer": "rules.answer",
	"attempt": "auditName.attempt", "authCode": "sale.authCode", "cardBrand": "entry.brand", "code": "store.code", "count": "alert.count",
	"cut":    "profile.cut",
	"cutoff": "field.cutoff", "date": "sales.date", "dates": "profile.dates", "day": "recon.day", "email": "login.email",
	"emails": "alert.emails", "events": "endpoint.events", "factor": "alert.factor", "folio": "sale.folio", "from": "audit.from",
	"label": "terminal.label", "labelEn": "field.labelEn", "labelEs": "field.labelEs", "language": "alert.language",
	"last4": "entry.last4", "margin": "rules.margin", "max": "auditName.max", "merchantId": "terminal.merchantId",
	"min": "auditName.min", "name": "field.name", "note": "sheet.note", "orderId": "sales.order", "outcome": "audit.outcome",
	"overlap": "key.overlap", "pace": "key.pace", "password": "login.password", "person": "audit.person", "problem": "health.problem",
	"profile": "recon.profile", "q": "sales.query", "quiet": "rules.quiet", "reason": "sheet.reason", "result": "rules.result",
	"role": "user.role", "sale": "auditName.saleId", "scopes": "key.scopes", "serialNumber": "terminal.serial", "since": "endpoint.since",
	"state": "sales.state", "store": "sales.store", "stores": "user.stores", "terminal": "sales.terminal", "time": "entry.time",
	"timeZone": "store.timeZone", "times": "oversight.times", "to": "audit.to", "unit": "chart.unit", "until": "recon.until",
	"url": "endpoint.url", "words": "profile.words", "zone": "profile.zone",
}

// refusedField is a field as a summary of errors speaks of it.
type refusedField struct{ name, label string } // label is a catalogue key, "" for none

// in returns the refused fields in the form's own order.
func (e Errors) in(order []string) []refusedField {
	var fields []refusedField
	for _, o := range order {
		name, label, own := strings.Cut(o, "=")
		if !own {
			label = fieldNames[name]
		}
		if e[name] != "" {
			fields = append(fields, refusedField{name, label})
		}
	}
	return fields
}

// beforeProof are the refusals without that of the proof, which stands at the button.
func (e Errors) beforeProof() Errors {
	if e["proof"] == "" {
		return e
	}
	e = maps.Clone(e)
	delete(e, "proof")
	return e
}

// beside returns the refused fields that the form has no place for, so that no
// refusal is lost.
func (e Errors) beside(order []string) []refusedField {
	var fields []refusedField
	for _, f := range slices.Sorted(maps.Keys(e)) {
		listed := func(o string) bool { name, _, _ := strings.Cut(o, "="); return name == f }
		if f != "" && !slices.ContainsFunc(order, listed) {
			fields = append(fields, refusedField{f, fieldNames[f]})
		}
	}
	return fields
}

func (f Input) typeName() string {
	if f.Kind == "" {
		return "text"
	}
	return f.Kind
}

// attributes are those that only some fields have.
func (f Input) attributes() templ.OrderedAttributes {
	var a templ.OrderedAttributes
	add := func(name, value string) {
		if value != "" {
			a = append(a, templ.KeyValue[string, any]{Key: name, Value: value})
		}
	}
	add("autocomplete", f.Auto)
	add("inputmode", f.Mode)
	add("maxlength", f.Max)
	described := ""
	if f.Hint != "" {
		described = "h-" + f.Name
	}
	if f.Errs[f.Name] != "" {
		add("aria-invalid", "true")
		if described != "" {
			described += " "
		}
		described += "e-" + f.Name
	}
	add("aria-describedby", described)
	return a
}

// passkeySays are what the script of passkeys says, in the reader's language.
var passkeySays = []string{"canceled", "late", "there", "elsewhere", "unsupported", "failed"}

// PasskeyWords are the attributes in which it finds that.
func PasskeyWords(ctx context.Context) templ.Attributes {
	words := templ.Attributes{}
	for _, what := range passkeySays {
		words["data-"+what] = locale.T(ctx, "passkey.say."+what)
	}
	return words
}

// ProofView is a form that was refused for want of a proof, with all that was in it.
type ProofView struct {
	Page
	To     string
	Typed  []TypedField
	Errors Errors // proof
}

// TypedField is a field as it was sent.
type TypedField struct{ Name, Value string }

// proofRefusal is why a form has no fresh proof, where somebody has tried: one that was wrong
// is said beside other mistakes of the form too.
func (p Page) proofRefusal(errs Errors) string {
	var known *models.Error
	if errs["proof"] == "" && errors.As(p.Actor.Session.Unproved, &known) && known.Code != models.ErrProofNeeded.Code {
		return known.Code
	}
	return errs["proof"]
}

// Where is a way that there is only sometimes.
func Where(is bool, to string) string {
	if is {
		return to
	}
	return ""
}

// CodeOptions offers codes by their words, whose keys begin with the prefix; first
// says what choosing none means, "" that one has to choose.
func CodeOptions[T ~string](ctx context.Context, first, prefix string, codes []T) []Option {
	var options []Option
	if first != "" {
		options = append(options, Option{"", locale.T(ctx, first)})
	}
	for _, code := range codes {
		options = append(options, Option{string(code), locale.T(ctx, prefix+string(code))})
	}
	return options
}

// NumberOptions offers numbers, each in the words of the key for it.
func NumberOptions(numbers []int, text func(n int) string) []Option {
	options := make([]Option, len(numbers))
	for i, n := range numbers {
		options[i] = Option{strconv.Itoa(n), text(n)}
	}
	return options
}

// Id writes a chosen id as a form value; 0 is "none".
func Id(n int64) string {
	if n == 0 {
		return ""
	}
	return Itoa(n)
}
