package verify_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/audit/sealing"
	"veinte/models/audit/verify"
	"veinte/models/modelstest"
)

// jumpEntry is an entry of a clock that went from an instant to the present one.
func jumpEntry(before time.Time) string {
	at := time.Now().UTC().Format(time.RFC3339Nano)
	return strings.NewReplacer(
		"cancellation.moved", "clock.jumped",
		`{"state":"requested","n":1e2}`, fmt.Sprintf(`{"clock":"%s"}`, before.UTC().Format(time.RFC3339Nano)),
		`{"state":"sending","parts":[1,{"b":2,"a":"ñ\u003c"}],"n":null}`, fmt.Sprintf(`{"clock":"%s"}`, at),
	).Replace(modelstest.WholeEntries)
}

// TestAClockThatWasPutRight is a remark, where the trail says so: entries after it are
// older than those before it, and nobody wrote them later.
func TestAClockThatWasPutRight(t *testing.T) {
	t.Parallel()
	const ahead = 2 * time.Hour
	late := strings.Replace(modelstest.WholeEntries, "now() AS at", "now() + interval '2 hours' AS at", 1)
	for _, tt := range []struct {
		fact string
		told time.Duration // by how much the trail says that the clock was ahead; 0: it says nothing
		then string        // written at last
		want string        // the first finding; "" for none
		n    int64
	}{
		{"it was told", ahead, "", "", 0},
		{"nothing was told", 0, "", verify.FindBackDated, 101},
		{"less was told than it was", ahead / 4, "", verify.FindBackDated, 101},
		{
			"an entry dated back behind it", ahead, strings.Replace(modelstest.WholeEntries, "now() AS at", "now() - interval '1 hour' AS at", 1),
			verify.FindBackDated, 151,
		},
	} {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			s := modelstest.NewSealedTrail(t)
			right := s.Seals
			s.Seals = sealing.New(sealing.Config{
				DB: s.DB(), Clock: models.ShiftedClock(ahead), Signers: s.Keys.Signers(), Public: s.Keys.Public(), Dir: s.Dir,
			})
			modelstest.Exec(t, s.Owner, late, 1, 100)
			s.All()
			modelstest.Exec(t, s.Owner, late, 101, 101) // its checkpoint is signed by the clock that is right
			s.Seals = right
			modelstest.Exec(t, s.Owner, modelstest.WholeEntries, 102, 120) // written before the server tells of it
			if tt.told != 0 {
				modelstest.Exec(t, s.Owner, jumpEntry(time.Now().Add(tt.told)), 121, 121)
			} else {
				modelstest.Exec(t, s.Owner, modelstest.WholeEntries, 121, 121)
			}
			s.All()
			s.Whole(122, 151)
			if tt.then != "" {
				modelstest.Exec(t, s.Owner, tt.then, 152, 152)
				s.All()
			}
			v := s.Verify(s.Checkpoint())
			if tt.want == "" {
				if v.State != verify.Intact || len(v.Findings) > 0 {
					t.Errorf("the trail is %s, with %v", v.State, v.Findings)
				}
			} else if v.State != verify.Altered || v.First == nil {
				t.Errorf("the trail is %s, want altered", v.State)
			}
			wrong := false
			for _, f := range v.Findings {
				wrong = wrong || f.Code == tt.want && f.N == tt.n
			}
			if wrong != (tt.want != "") {
				t.Errorf("findings %v, want %s at leaf %d", v.Findings, tt.want, tt.n)
			}
			if told := tt.told != 0; told != (len(v.Remarks) == 1) || told && (v.Remarks[0].Code != verify.RemarkClock || v.Remarks[0].N != 120) {
				t.Errorf("remarks %v, want that the clock was put right: %t", v.Remarks, told)
			}
		})
	}
}
