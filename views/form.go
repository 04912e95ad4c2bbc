package views

import (
	"context"
	"sort"

	"github.com/a-h/templ"

	"veinte/models"
	"veinte/views/locale"
)

// in returns the refused fields in the form's own order; fields that the form
// did not name come last, so that no refusal is lost.
func (e Errors) in(order []string) []string {
	var fields, rest []string
	seen := map[string]bool{"": true}
	for _, f := range order {
		if e[f] != "" {
			fields = append(fields, f)
		}
		seen[f] = true
	}
	for f := range e {
		if !seen[f] {
			rest = append(rest, f)
		}
	}
	sort.Strings(rest)
	return append(fields, rest...)
}

func (f input) typeName() string {
	if f.kind == "" {
		return "text"
	}
	return f.kind
}

// attributes are those that only some fields have.
func (f input) attributes() templ.OrderedAttributes {
	var a templ.OrderedAttributes
	add := func(name, value string) {
		if value != "" {
			a = append(a, templ.KeyValue[string, any]{Key: name, Value: value})
		}
	}
	add("autocomplete", f.auto)
	add("inputmode", f.mode)
	add("maxlength", f.max)
	described := ""
	if f.hint != "" {
		described = "h-" + f.name
	}
	if f.errs[f.name] != "" {
		add("aria-invalid", "true")
		if described != "" {
			described += " "
		}
		described += "e-" + f.name
	}
	add("aria-describedby", described)
	return a
}

// storeOptions offers the stores; first says what choosing none means.
func storeOptions(ctx context.Context, stores []models.Store, first string) []option {
	options := make([]option, 0, len(stores)+1)
	if first != "" {
		options = append(options, option{"", locale.T(ctx, first)})
	}
	for i := range stores {
		options = append(options, option{itoa(stores[i].ID), stores[i].Name + " (" + stores[i].Code + ")"})
	}
	return options
}

// id writes a chosen id as a form value; 0 is "none".
func id(n int64) string {
	if n == 0 {
		return ""
	}
	return itoa(n)
}
