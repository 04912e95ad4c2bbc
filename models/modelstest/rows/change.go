package rows

import (
	"encoding/json"
	"strings"
	"time"
)

// differ are the columns that a change changed: of a new row all that are not empty,
// of a removed row all that were not.
func (r Change) differ() map[string]bool {
	columns := map[string]bool{}
	for _, row := range []map[string]any{r.Was, r.Is} {
		for column := range row {
			if !same(r.Was[column], r.Is[column]) {
				columns[column] = true
			}
		}
	}
	return columns
}

// unrecorded returns why a change needs no entry; "" when it needs one.
func (r Change) unrecorded(column string) string {
	if r.Table == "sales" && r.Was == nil && r.Is["source"] == "terminal" {
		return "what a terminal posted is kept as it was posted, in results"
	}
	for _, name := range []string{r.Table, r.Table + "." + column} {
		if why := withoutEntry[name]; why != "" {
			return why
		}
	}
	return ""
}

// same compares values of JSON: times as instants, and all empty values as equal.
func same(a, b any) bool {
	if empty(a) && empty(b) {
		return true
	}
	if s, ok := a.(string); ok {
		if t, ok := b.(string); ok {
			at, err := time.Parse(time.RFC3339Nano, s)
			bt, bad := time.Parse(time.RFC3339Nano, t)
			if err == nil && bad == nil {
				return at.Equal(bt)
			}
		}
	}
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return string(x) == string(y)
}

func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == "" || v == `\x`
	case bool:
		return !v
	case float64:
		return v == 0
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// nameOf is the trail's name of a column: its own, unless columns.go has
// another.
func nameOf(table, column string) columnName {
	if name, ok := namesOf[table+"."+column]; ok {
		if name.of == nil {
			name.of = asIs
		}
		return name
	}
	parts := strings.Split(column, "_")
	for i, p := range parts[1:] {
		parts[i+1] = strings.ToUpper(p[:1]) + p[1:]
	}
	return columnName{strings.Join(parts, ""), asIs}
}

func asIs(v any) any { return v }
