package jsontext

import "testing"

// TestSame: the order of names, blanks and the way to write a value do not count, and
// anything else does.
func TestSame(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		said, column string
		want         bool
	}{
		{`{"detail":"x","sequence":2,"state":"sending"}`, `{"state": "sending", "detail": "x", "sequence": 2}`, true},
		{`{"detail":"x","sequence":2,"state":"sending"}`, `{"state": "sending", "detail": "x", "sequence": 3}`, false},
		{`{"detail":"x","state":"sending"}`, `{"state": "sending", "detail": "x", "sequence": 3}`, false},
		{`{"a":1,"b":2}`, `{"a": 1, "c": 2}`, false},
		{`{"a":1,"b":{"d":[1,2],"c":null}}`, `{"b": {"c": null, "d": [1, 2]}, "a": 1}`, true},
		{`{"a":1,"b":{"d":[2,1],"c":null}}`, `{"b": {"c": null, "d": [1, 2]}, "a": 1}`, false},
		{`{"ab":1,"b":"\u003c"}`, `{"b": "<", "ab": 1.0}`, true},
		{
			`{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10,"k":11,"l":12,"m":13,"n":14,"o":15,"p":16,"zz":17,"q":18}`,
			`{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10,"k":11,"l":12,"m":13,"n":14,"o":15,"p":16,"q":18,"zz":17}`, true,
		},
	} {
		var trees Trees
		if got := Same(&trees, []byte(tt.said), []byte(tt.column)); got != tt.want {
			t.Errorf("Same(%s, %s) = %t, want %t", tt.said, tt.column, got, tt.want)
		}
	}
}
