package trailfile

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"veinte/models/audit/trailfile/jsontext"
)

// members reads the members of an object with the library; nil for what is no
// object in UTF-8.
func members(text []byte) [][2]string {
	if !utf8.Valid(text) || !json.Valid(text) || len(text) < 2 || text[0] != '{' {
		return nil
	}
	d, all := json.NewDecoder(bytes.NewReader(text)), [][2]string{}
	for _, _ = d.Token(); d.More(); {
		before := d.InputOffset()
		_, _ = d.Token()
		key := bytes.TrimLeft(text[before:d.InputOffset()], ", \t\n\r")
		var value json.RawMessage
		_ = d.Decode(&value)
		all = append(all, [2]string{string(key[1 : len(key)-1]), string(value)})
	}
	return all
}

// oneNameTwice reads a value with the library and reports whether an object in it
// has a name twice.
func oneNameTwice(d *json.Decoder) bool {
	token, _ := d.Token()
	bracket, _ := token.(json.Delim)
	if bracket != '{' && bracket != '[' {
		return false
	}
	seen, found := map[string]bool{}, false
	for d.More() {
		if bracket == '{' {
			name, _ := d.Token()
			found = found || seen[name.(string)]
			seen[name.(string)] = true
		}
		found = oneNameTwice(d) || found
	}
	_, _ = d.Token()
	return found
}

// wellFormed is the expected result of Split.
func wellFormed(text []byte) (all [][2]string, ok bool) {
	all = members(text)
	if len(all) == 0 || all[0][0] != "v" || all[0][1] != "1" && all[0][1] != "2" || oneNameTwice(json.NewDecoder(bytes.NewReader(text))) ||
		jsontext.Deepest(text) > maxNesting || jsontext.HalfPair(text) {
		return nil, false
	}
	at := -1
	for _, m := range all {
		i := slices.Index(strings.Fields(fieldsOfFormat), m[0])
		if i <= at {
			return nil, false
		}
		at = i
	}
	return all, true
}

// fieldsOfFormat is section 2 of FORMAT.md.
const fieldsOfFormat = `v nonce at actorId actor role onBehalfOf action outcome storeId store serialNumber saleId orderId
	cancellationId attempt amountCentavos before after reason address userAgent requestId`

func compareSplit(tb testing.TB, text []byte) {
	tb.Helper()
	want, ok := wellFormed(text)
	got, err := Split(text, nil)
	if (err == nil) != ok {
		tb.Fatalf("Split(%q) = %v, the library says %t", text, err, ok)
	}
	for i := range want {
		if ok && (string(got[i].Key) != want[i][0] || string(got[i].Value) != want[i][1]) {
			tb.Fatalf("Split(%q): %q is %q, want %q", text, got[i].Key, got[i].Value, want[i])
		}
	}
}

var entriesToSplit = []string{
	`{"v":2,"nonce":"x","at":"2026-11-20T18:00:00.000000Z","actor":"Ana \"La\" Pérez\\","amountCentavos":-125000,` +
		`"before":{"a":[1,{"b":"}"}],"c":"\u00e1,"},"after":null,"reason":0}`,
	`{"v":1}`, `{}`, `{`, `{ `, `{"v":2,}`, `{"v":2} `, `{"v":2}x`, ` {"v":2}`, `{"v": 2 , "at" : "b" }`, `{"v":2,"at":01}`,
	`{"v":2,"at":1e5}`, `{"v":2,"at":-}`,
	`{"v":2,"v":2}`, `{"v":2,"\u0061t":1}`, `{"v":2,"at":"\x"}`, "{\"v\":2,\"at\":\"\n\"}", "{\"v\":2,\"at\":\"\xff\"}", `{"v":2,"at":tru}`,
	`{"v":2,"at":[}`, `{"v":2 "at":1}`,
	`{"v":2,"at"}`, `{"v":2,"at":}`, `[1]`, `{"v":3}`, `{"v":2,"After":1}`, `{"v":2,"after":1,"After":2}`, `{"v":2,"after":1,"before":2}`,
	`{"at":1,"v":2}`, `{"v":2,"amountcentavoſ":2}`,
	`{"v":2,"after":{"a":1,"a":2}}`, `{"v":2,"after":{"a":1,"\u0061":2}}`, `{"v":2,"after":[{"a":{"b":1,"c":"b","b":2}}]}`,
	`{"v":2,"after":{"a":1,"b":["a","a",{"a":1}]}}`,
}

// TestSplitAgreesWithTheLibrary on entries that were changed here and there.
func TestSplitAgreesWithTheLibrary(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(20, 26))
	const signs = "{}[]\",:\\ 0123456789eE+-.truefalsnv\n\x00\xc3\xa9"
	for _, text := range entriesToSplit {
		compareSplit(t, []byte(text))
		for range 20_000 {
			changed := []byte(text)
			for range 1 + r.IntN(3) {
				at, sign := r.IntN(len(changed)+1), signs[r.IntN(len(signs))]
				switch r.IntN(3) {
				case 0:
					changed = append(changed[:at:at], append([]byte{sign}, changed[at:]...)...)
				case 1:
					if at < len(changed) {
						changed[at] = sign
					}
				default:
					if at < len(changed) {
						changed = append(changed[:at:at], changed[at+1:]...)
					}
				}
			}
			compareSplit(t, changed)
		}
	}
}

func FuzzSplit(f *testing.F) {
	for _, text := range entriesToSplit {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) { compareSplit(t, text) })
}
