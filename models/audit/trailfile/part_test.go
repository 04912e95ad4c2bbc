package trailfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"testing"
)

func testFilters(filtered bool) map[string]any {
	if !filtered {
		return nil
	}
	return map[string]any{"action": "cancellation.moved"}
}

// TestNobodySaysWhyEntriesAreLeftOut: an entry that was replaced by a gap is not
// excused by the header, which nobody signs.
func TestNobodySaysWhyEntriesAreLeftOut(t *testing.T) {
	t.Parallel()
	file, _ := testExport(t, 5, func(n int64) bool { return n != 2 })
	if v := Verify(bytes.NewReader(file), Check{Keys: sampleVerifiers(t)}); v.State != Intact || v.LeftOut != 1 {
		t.Errorf("Verify with a filter = %+v", v)
	}
	for fact, filters := range map[string]string{"no filter": `{}`, "null": `null`} {
		forged := refooted(t, bytes.Replace(file, []byte(`{"action":"cancellation.moved"}`), []byte(filters), 1))
		if v := Verify(bytes.NewReader(forged), Check{Keys: sampleVerifiers(t)}); v.State != Undecided || v.LeftOut != 1 ||
			v.Findings[0].Code != Unexplained {
			t.Errorf("Verify with %s = %+v", fact, v)
		}
		python(t, 2, forged, samplePublic)
	}
}

// refooted is a file with a footer that fits the lines before it.
func refooted(t testing.TB, file []byte) []byte {
	t.Helper()
	at := bytes.LastIndexByte(file[:len(file)-1], '\n') + 1
	var f footer
	if err := json.Unmarshal(file[at:], &f); err != nil {
		t.Fatal(err)
	}
	f.SHA256 = fmt.Sprintf("%x", sha256.Sum256(file[:at]))
	end, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	return append(append(bytes.Clone(file[:at]), end...), '\n')
}
