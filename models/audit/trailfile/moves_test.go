package trailfile

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// moveEntries are entries that tell moves: the cancellation, the number (0: none, as
// older releases), the states before and after (- for none) and the second. A line of
// one word is an entry that tells no move; "left" is left out of the file.
func moveEntries(t testing.TB, moves []string) (entry func(n int64) Leaf, keep func(n int64) bool) {
	t.Helper()
	entry = func(n int64) Leaf {
		f := strings.Fields(moves[n])
		if len(f) == 1 {
			f = []string{"7", "0", "-", "-", "0", "inquiry.sent"}
		}
		action := "cancellation.moved"
		if f[2] == "-" && f[3] == "requested" {
			action = "cancellation.requested"
		}
		if len(f) > 5 {
			action = f[5]
		}
		second, before, sequence := f[4], "", ""
		if f[2] != "-" {
			before = fmt.Sprintf(`"before":{"detail":"x","state":%q},`, f[2])
		}
		if f[1] != "0" {
			sequence = `,"sequence":` + f[1]
		}
		return Leaf{ID: n + 1, Era: 1, TxID: 700 + uint64(n), Canonical: fmt.Appendf(nil,
			`{"v":2,"nonce":"%s","at":"2026-11-20T18:00:0%s.000000Z","actor":"x","role":"system","action":%q,"outcome":"success",`+
				`"cancellationId":%s,%s"after":{"state":%q%s}}`, testNonce(n), second, action, f[0], before, f[3], sequence)}
	}
	if strings.Contains(strings.Join(moves, "|"), "left") {
		keep = func(n int64) bool { return moves[n] != "left" }
	}
	return entry, keep
}

const (
	opened   = "7 1 - requested 1"
	sent     = "7 2 requested sending 2"
	accepted = "7 3 sending accepted 3"
)

// TestMovesFollowOneAnother: both verifiers call a trail altered in which they do not,
// and leave those of older releases alone.
func TestMovesFollowOneAnother(t *testing.T) {
	t.Parallel()
	tests := []struct {
		fact   string
		moves  []string
		n      int64  // of the first entry that is wrong; -1 for none
		detail string // a part of it
	}{
		{"a whole life", []string{opened, sent, accepted, "7 4 accepted unknown 4", "7 5 unknown confirmed 4"}, -1, ""},
		{"a late result", []string{opened, "7 2 requested withdrawn 2", "other", "7 3 withdrawn confirmed 9"}, -1, ""},
		{"canceled on the terminal itself", []string{"7 1 - confirmed 5"}, -1, ""},
		{"two lives beside each other", []string{opened, "8 1 - requested 0", sent, "8 2 requested sending 0", accepted}, -1, ""},
		{
			"a result before the move it waited for",
			[]string{opened, sent, accepted, "7 5 unknown confirmed 5", "7 4 accepted unknown 4"},
			3, "behind move 3",
		},
		{
			"the same, written by an older release",
			[]string{
				"7 0 - requested 1", "7 0 requested sending 2", "7 0 sending accepted 3", "7 0 unknown confirmed 5", "7 0 accepted unknown 4",
			},
			-1, "",
		},
		{
			"begun by an older release",
			[]string{"7 0 - requested 1", "7 0 sending accepted 3", "7 0 requested sending 2", "7 4 accepted unknown 1", "7 5 unknown confirmed 2"},
			-1, "",
		},
		{
			"begun by an older release, and then out of order",
			[]string{"7 0 - requested 1", "7 2 requested sending 2", "7 4 accepted unknown 4", "7 3 sending accepted 3"},
			2, "behind move 2",
		},
		{"an older server beside a newer one", []string{opened, "7 0 requested sending 1", "7 3 sending accepted 2"}, -1, ""},
		{"an older server that goes on elsewhere", []string{opened, "7 0 accepted unknown 2", "7 3 unknown confirmed 3"}, 1, "does not begin"},
		{"a move that was put in without a number", []string{opened, sent, "7 0 sending unknown 3", accepted}, 3, "behind move 3"},
		{"a time that goes back", []string{opened, sent, "7 3 sending accepted 1"}, 2, "its time is before that of n 1"},
		{"the same time", []string{opened, "7 2 requested sending 1"}, -1, ""},
		{"a move that is not there", []string{opened, "7 3 sending accepted 3"}, 1, "behind move 1"},
		{"a move twice", []string{opened, sent, "7 2 requested sending 3"}, 2, "behind move 2"},
		{"another state", []string{opened, sent, "7 3 accepted unknown 3"}, 2, "does not begin"},
		{"no beginning", []string{"other", sent}, 1, "none is before it"},
		{"opened twice", []string{opened, sent, "7 1 - requested 3"}, 2, "a second time"},
		{"opened out of a state", []string{"7 1 sending requested 3"}, 0, "a second time"},
		{"confirmed is final", []string{opened, "7 2 requested confirmed 2", "7 3 confirmed unknown 3"}, 2, "final"},
		{"confirmed is final for an older server too", []string{opened, "7 2 requested confirmed 2", "7 0 confirmed unknown 3"}, 2, "final"},
		{"and after one that had no number", []string{"7 0 - confirmed 1", "7 2 confirmed unknown 2"}, 1, "final"},
		{
			"the neighbors of a confirmed one",
			[]string{"32 1 - confirmed 1", "31 1 - requested 1", "33 1 - requested 1", "64 1 - requested 1"},
			-1, "",
		},
		{"moves left out", []string{opened, "left", "left", "7 4 accepted unknown 4", "left", "7 9 sending accepted 8"}, -1, ""},
		{"the beginning left out", []string{"left", accepted, "7 4 accepted unknown 4"}, -1, ""},
		{"others left out, and another state", []string{opened, "left", "7 2 sending accepted 4"}, 2, "does not begin"},
		{"others left out, and back in time", []string{opened, sent, "left", "7 4 accepted unknown 1"}, 3, "its time"},
		{"others left out, and back in number", []string{opened, sent, accepted, "left", "7 2 requested sending 4"}, 4, "behind move 3"},
		{"an older server behind a gap", []string{opened, "left", "7 0 accepted unknown 2", "7 5 unknown confirmed 3"}, -1, ""},
		{"no number at all", []string{opened, "7 1.0 requested sending 1", "7 -3 sending accepted 1", "7 true accepted unknown 1"}, -1, ""},
		{"what is no move", []string{opened, "7 9 sending accepted 0 cancellation.conflict", sent}, -1, ""},
	}
	for _, tt := range tests {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			entry, keep := moveEntries(t, tt.moves)
			file, _ := exportOf(t, int64(len(tt.moves)), entry, keep)
			v := Verify(bytes.NewReader(file), Check{Keys: sampleVerifiers(t)})
			want := 0
			if tt.n < 0 {
				if v.State != Intact {
					t.Errorf("Verify = %s, %v, want intact", v.State, v.Findings)
				}
			} else {
				want = 1
				if len(v.Findings) == 0 || v.State != Altered {
					t.Fatalf("Verify = %s, want altered", v.State)
				}
				if f := v.Findings[0]; f.Code != BadMove || f.N != tt.n || f.ID != tt.n+1 || !strings.Contains(f.Detail, tt.detail) {
					t.Errorf("Verify found first %s, want %s of n %d: %s", f, BadMove, tt.n, tt.detail)
				}
			}
			if out := python(t, want, file, samplePublic); want == 1 && !strings.Contains(out, fmt.Sprintf("entry n %d, id %d,", tt.n, tt.n+1)) {
				t.Errorf("verify.py says %q, want n %d", out, tt.n)
			}
		})
	}
}
