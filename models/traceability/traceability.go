// Package traceability is the merchant's own object in a request to the cancellation
// service: what a store's template or a program gives, checked and put together. The
// service returns it with the terminal's result. Beside it travels our attempt id,
// which this package does not know; it only keeps the id's name free.
package traceability

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"veinte/models"
	"veinte/models/cards"
)

// Key is the name under which our attempt id travels, beside the merchant's own
// members. They cannot use it.
const Key = "attemptId"

// The limits of an object, before and after the values are filled in. The service
// publishes none; these keep a request small, and an answer readable.
const (
	MaxBytes  = 2000
	maxFilled = 8000
	maxDepth  = 4
	maxNames  = 60 // names at all depths
	maxName   = 80 // characters
)

// Names are the values that a template may name, each in braces within a text:
// {"ticket": "{reference}"}.
var Names = []string{"orderId", "reference", "folio", "serialNumber", "storeId", "storeCode", "amount", "cancellationId"}

// maxValue is the longest of these values, an order number of characters that JSON
// writes with six bytes each.
const maxValue = models.MaxOrderID * 6

// Empty is the document's bare form: nothing to send.
const Empty = "{}"

// Parse checks an object that a program gives and returns it without white space; ""
// for an empty one. Errors are of the field traceability.
func Parse(text string) (string, error) {
	if strings.TrimSpace(text) == "" {
		return "", nil
	}
	if len(text) > MaxBytes {
		return "", refuse("traceability.tooLong")
	}
	if !utf8.ValidString(text) || !json.Valid([]byte(text)) || strings.TrimSpace(text)[0] != '{' {
		return "", refuse("traceability.notObject")
	}
	c := &check{decoder: json.NewDecoder(strings.NewReader(text))}
	c.decoder.UseNumber()
	if err := c.value(0); err != nil {
		return "", err
	}
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(text)); err != nil {
		return "", refuse("traceability.notObject")
	}
	if b.String() == Empty {
		return "", nil
	}
	return b.String(), nil
}

// ParseTemplate checks a template: an object that still fits when the longest values
// are filled in.
func ParseTemplate(text string) (string, error) {
	object, err := Parse(text)
	if err != nil {
		return "", err
	}
	size := len(object)
	for _, name := range Names {
		size += strings.Count(object, "{"+name+"}") * maxValue
	}
	if size > maxFilled {
		return "", refuse("traceability.tooMany")
	}
	return object, nil
}

// Fill returns a template with its values. A name that has no value is filled with an
// empty text; what is in braces and is no name stays.
func Fill(template string, values map[string]string) string {
	var pairs []string
	for _, name := range Names {
		quoted, err := json.Marshal(values[name])
		if err != nil {
			quoted = []byte(`""`)
		}
		pairs = append(pairs, "{"+name+"}", string(quoted[1:len(quoted)-1]))
	}
	return strings.NewReplacer(pairs...).Replace(template)
}

// Merge puts a program's object over a filled template: a member that both have is
// the program's. Either may be "".
func Merge(template, given string) (string, error) {
	if template == "" || given == "" {
		return template + given, nil
	}
	base, err := members(template)
	if err != nil {
		return "", err
	}
	over, err := members(given)
	if err != nil {
		return "", err
	}
	var parts []string
	for _, m := range base {
		if !has(over, m.name) {
			parts = append(parts, m.text)
		}
	}
	for _, m := range over {
		parts = append(parts, m.text)
	}
	return "{" + strings.Join(parts, ",") + "}", nil
}

// With returns an object with our id beside its members, last.
func With(object, id string) ([]byte, error) {
	list, err := members(object)
	if err != nil {
		return nil, err
	}
	own, err := json.Marshal(id)
	if err != nil {
		return nil, fmt.Errorf("write the attempt id: %w", err)
	}
	parts := make([]string, 0, len(list)+1)
	for _, m := range list {
		if strings.EqualFold(m.name, Key) {
			return nil, errors.New("the traceability has a member of the name of ours")
		}
		parts = append(parts, m.text)
	}
	return []byte("{" + strings.Join(append(parts, `"`+Key+`":`+string(own)), ",") + "}"), nil
}

// member is one member of an object, as it is written.
type member struct{ name, text string }

func has(list []member, name string) bool {
	for _, m := range list {
		if m.name == name {
			return true
		}
	}
	return false
}

// members reads the members of an object in their order, numbers as they are written.
// "" has none.
func members(object string) ([]member, error) {
	if object == "" {
		return nil, nil
	}
	d := json.NewDecoder(strings.NewReader(object))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("the traceability is no object")
	}
	var list []member
	for d.More() {
		token, err := d.Token()
		name, ok := token.(string)
		var value json.RawMessage
		if err != nil || !ok || d.Decode(&value) != nil {
			return nil, errors.New("the traceability is no object")
		}
		quoted, err := json.Marshal(name)
		if err != nil {
			return nil, fmt.Errorf("write a name: %w", err)
		}
		list = append(list, member{name, string(quoted) + ":" + string(value)})
	}
	if _, err := d.Token(); err != nil {
		return nil, errors.New("the traceability is no object")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("the traceability is more than an object")
	}
	return list, nil
}

func refuse(code string) error { return models.Invalid("traceability", code) }

// check walks through a valid document.
type check struct {
	decoder *json.Decoder
	names   int
}

func (c *check) value(depth int) error {
	token, err := c.decoder.Token()
	if err != nil {
		return refuse("traceability.notObject")
	}
	switch v := token.(type) {
	case json.Delim:
		if depth++; depth > maxDepth {
			return refuse("traceability.tooDeep")
		}
		return c.inside(v, depth)
	case string:
		return text(v)
	case json.Number:
		return text(v.String())
	}
	return nil
}

// inside checks the members of an object or the elements of an array.
func (c *check) inside(open json.Delim, depth int) error {
	seen := map[string]bool{}
	for c.decoder.More() {
		if open == '{' {
			if err := c.name(seen); err != nil {
				return err
			}
		}
		if err := c.value(depth); err != nil {
			return err
		}
	}
	if _, err := c.decoder.Token(); err != nil {
		return refuse("traceability.notObject")
	}
	return nil
}

func (c *check) name(seen map[string]bool) error {
	token, err := c.decoder.Token()
	name, ok := token.(string)
	if err != nil || !ok {
		return refuse("traceability.notObject")
	}
	c.names++
	switch {
	case strings.EqualFold(name, Key):
		return refuse("traceability.reserved")
	case seen[name]:
		return refuse("traceability.twice")
	case c.names > maxNames:
		return refuse("traceability.tooLong")
	case name == "" || utf8.RuneCountInString(name) > maxName || strings.ContainsAny(name, "{}"):
		return refuse("traceability.name")
	}
	seen[name] = true
	return text(name)
}

// text refuses what must not leave in any field: card numbers, and characters that
// cannot be seen.
func text(s string) error {
	switch {
	case strings.ContainsRune(s, utf8.RuneError) || strings.ContainsFunc(s, models.Invisible):
		return refuse("field.invalidText")
	case cards.InReference(s, time.Time{}):
		return refuse("field.cardNumber")
	}
	return nil
}
