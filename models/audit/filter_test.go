package audit_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"veinte/models/audit"
)

// today is the day of these filters.
var today = time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC)

func typed(values map[string]string) func(string) string {
	return func(name string) string { return values[name] }
}

func TestEveryNameOfAFilterIsRead(t *testing.T) {
	t.Parallel()
	given := map[string]string{
		"q": "terminal perdida", "store": "3", "terminal": "1490000001", "person": "7", "role": "manager", "action": "cancellation.moved",
		"outcome": "denied", "reason": "wrongAmount", "min": "10.50", "max": "1250.00", "address": "189.203.10.4", "attempt": "2",
		"sale": "99", "from": "2026-11-01", "to": "2026-11-20", "reads": "out",
	}
	f, wrong := audit.ParseFilter(typed(given), today)
	if len(wrong) != 0 {
		t.Fatalf("ParseAuditFilter(%v): %v", given, wrong)
	}
	back := map[string]string{}
	for _, v := range f.Values() {
		back[v[0]] = v[1]
	}
	if diff := cmp.Diff(given, back); diff != "" {
		t.Errorf("a filter read and written (-typed +written):\n%s", diff)
	}
	if len(given) != len(audit.Names) {
		t.Errorf("the test knows %d names, audit.Names has %d", len(given), len(audit.Names))
	}
	if f, wrong = audit.ParseFilter(typed(map[string]string{"min": " $1,250 "}), today); len(wrong) != 0 || *f.Min != 125000 {
		t.Errorf("min %q = %v, %v, want 1250.00", "$1,250", f.Min, wrong)
	}
}

func TestWhatIsWrongInAFilterIsNamedByField(t *testing.T) {
	t.Parallel()
	tests := []struct {
		fact  string
		given map[string]string
		want  string // fields with their codes
	}{
		{"less than it begins with", map[string]string{"min": "20", "max": "10.00"}, "max=auditFilter.maxBelowMin"},
		{"a period that ends before it begins", map[string]string{"from": "2026-11-20", "to": "2026-11-19"}, "to=auditFilter.toBeforeFrom"},
		{"a text of 100 KB", map[string]string{"q": strings.Repeat("x", 100_000)}, "q=auditFilter.tooLong"},
		{
			"100 KB in every field", all(strings.Repeat("9", 100_000)),
			strings.ReplaceAll("action address attempt from max min outcome person q reads reason role sale store terminal to",
				" ", "=auditFilter.tooLong ") + "=auditFilter.tooLong",
		},
		{"a hundred words", map[string]string{"q": strings.Repeat("a ", 100)}, "q=auditFilter.tooManyWords"},
		{"a NUL", map[string]string{"q": "a\x00b"}, "q=field.invalidText"},
		{"no UTF-8", map[string]string{"reason": "\xff"}, "reason=field.invalidText"},
		{"no address", map[string]string{"address": "300.1.1.1"}, "address=auditFilter.address"},
		{"an address of one machine's own", map[string]string{"address": "fe80::1%eth0"}, "address=auditFilter.address"},
		{"no amounts", map[string]string{"min": "mil", "max": "-5"}, "max=auditFilter.amount min=auditFilter.amount"},
		{"finer than a centavo", map[string]string{"min": "1.005"}, "min=auditFilter.amount"},
		{"no days", map[string]string{"from": "20/11/2026", "to": "2026-02-30"}, "from=date.invalid to=date.invalid"},
		{
			"ids of nothing",
			map[string]string{"store": "0", "person": "-1", "sale": "1e3"},
			"person=filter.invalid sale=filter.invalid store=filter.invalid",
		},
		{"an attempt that is none", map[string]string{"attempt": "0"}, "attempt=auditFilter.attempt"},
		{
			"beyond every number",
			map[string]string{"attempt": "99999999999", "sale": "99999999999999999999"},
			"attempt=auditFilter.attempt sale=filter.invalid",
		},
		{"nine digits", map[string]string{"terminal": "149000000"}, "terminal=serial.invalid"},
		{
			"what nobody is",
			map[string]string{"role": "boss", "action": "x", "outcome": "ok"},
			"action=filter.invalid outcome=filter.invalid role=filter.invalid",
		},
	}
	for _, tt := range tests {
		f, wrong := audit.ParseFilter(typed(tt.given), today)
		got := map[string]string{}
		for _, e := range wrong {
			got[e.Field] = e.Code
		}
		if s := listed(got); s != tt.want {
			t.Errorf("%s: refused %q, want %q", tt.fact, s, tt.want)
		}
		for _, v := range f.Values() {
			if len(v[1]) > 1000 {
				t.Errorf("%s: %s stores %d bytes", tt.fact, v[0], len(v[1]))
			}
		}
	}
}

func all(value string) map[string]string {
	given := map[string]string{}
	for _, name := range audit.Names {
		given[name] = value
	}
	return given
}

func listed(fields map[string]string) string {
	var parts []string
	for _, name := range sortedKeys(fields) {
		parts = append(parts, name+"="+fields[name])
	}
	return strings.Join(parts, " ")
}

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
