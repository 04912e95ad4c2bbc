package views

import (
	"context"
	"slices"

	"github.com/a-h/templ"

	"veinte/models"
	"veinte/views/locale"
)

// in returns the refused fields in the form's own order.
func (e Errors) in(order []string) []string {
	var fields []string
	for _, f := range order {
		if e[f] != "" {
			fields = append(fields, f)
		}
	}
	return fields
}

// beside returns the refused fields that the form has no place for, so that no
// refusal is lost.
func (e Errors) beside(order []string) []string {
	var fields []string
	for f := range e {
		if f != "" && !slices.Contains(order, f) {
			fields = append(fields, f)
		}
	}
	slices.Sort(fields)
	return fields
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

// where is a way that there is only sometimes.
func where(is bool, to string) string {
	if is {
		return to
	}
	return ""
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
