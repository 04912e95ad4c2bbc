package models_test

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"veinte/models/audit/verify"
	"veinte/models/modelstest"
	"veinte/models/trail"
)

// archiving is a trail of 300 entries of the month before, and what they are
// put away as.
type archiving struct {
	*sealing
	month time.Time
	file  []byte
	claim verify.ArchivedMonth
}

func newArchiving(t *testing.T) *archiving {
	t.Helper()
	now := time.Now().UTC()
	a := &archiving{sealing: newSealing(t), month: time.Date(now.Year(), now.Month()-1, 1, 0, 0, 0, 0, time.UTC)}
	exec(t, a.owner, `SELECT trail.make_month($1)`, a.month)
	before := strings.Replace(wholeEntries, "now() AS at", fmt.Sprintf("'%s'::timestamptz + interval '3 days' AS at", a.month.Format(time.RFC3339)), 1)
	exec(t, a.owner, before, 1, 300)
	a.all()
	a.file = a.taken(t)
	sum, whole := sha256.New(), sha256.Sum256(a.file)
	trail.Verify(bytes.NewReader(a.file), trail.Check{Keys: a.keys.Verifiers(), Entry: func(n int64, h tlog.Hash) { fmt.Fprintf(sum, "%d %s\n", n, h) }})
	a.claim = verify.ArchivedMonth{
		Month: a.month.Format("2006-01"), From: 0, To: 300, Entries: 300, SHA256: hex.EncodeToString(whole[:]), Leaves: hex.EncodeToString(sum.Sum(nil)),
	}
	return a
}

// taken is a file of every entry there is.
func (a *archiving) taken(t *testing.T) []byte {
	t.Helper()
	rows, err := a.owner.Query(`SELECT e.id, e.era, e.txid::text::bigint, e.canonical FROM audit_entries e JOIN sealed_entries s ON s.entry_id = e.id ORDER BY s.n`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var b bytes.Buffer
	w := trail.NewWriter(&b)
	if err := w.Begin(trail.Header{Origin: a.keys.Origin(), Complete: true, Checkpoint: a.checkpoint()}); err != nil {
		t.Fatal(err)
	}
	amount, n := int64(0), int64(0)
	for ; rows.Next(); n++ {
		var l trail.Leaf
		if err := rows.Scan(&l.ID, &l.Era, &l.TxID, &l.Canonical); err != nil {
			t.Fatal(err)
		}
		if err := w.Entry(n, l, l.Hash()); err != nil {
			t.Fatal(err)
		}
		amount += 125000 + n + 1
	}
	if err := w.Close(amount); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// say writes the claim as the trail's owner does, and seals it with others.
func (a *archiving) say(claim verify.ArchivedMonth) {
	a.tb.Helper()
	exec(a.tb, a.owner, archivedEntry(a.tb, claim), 301, 301)
	a.whole(302, 400)
	a.unguarded()
}

// archivedEntry adds entries that say that a month was put away.
func archivedEntry(tb testing.TB, claim verify.ArchivedMonth) string {
	tb.Helper()
	after, err := json.Marshal(claim)
	if err != nil {
		tb.Fatal(err)
	}
	return strings.NewReplacer("cancellation.moved", "audit.archived", `{"state":"sending","parts":[1,{"b":2,"a":"ñ\u003c"}],"n":null}`, string(after)).Replace(wholeEntries)
}

func (a *archiving) drop() {
	a.tb.Helper()
	exec(a.tb, a.owner, `DROP TABLE trail.`+a.month.Format("audit_entries_2006_01"))
}

func (a *archiving) with(files ...string) *verify.Verdict {
	a.tb.Helper()
	check := verify.TrailCheck{Keys: a.keys.Verifiers(), Checkpoints: []string{a.checkpoint()}}
	for _, f := range files {
		check.Archives = append(check.Archives, strings.NewReader(f))
	}
	v, err := verify.New(a.db()).VerifyTrail(a.tb.Context(), check)
	if err != nil {
		a.tb.Fatal(err)
	}
	return v
}

// TestAMonthPutAwayIsDecidedByItsFile: without it nobody knows what the entries
// said, with it they are as good as here.
func TestAMonthPutAwayIsDecidedByItsFile(t *testing.T) {
	t.Parallel()
	a := newArchiving(t)
	a.say(a.claim)
	a.drop()
	v := a.with()
	if v.State != verify.Undecided || v.Archived != 300 || v.First.Code != verify.FindArchived || v.First.Count != 300 || v.First.Month != a.claim.Month {
		t.Errorf("without the file: %+v\n%s", v, findingsOf(v))
	}
	if v := a.with(string(a.file)); v.State != verify.Intact || v.Archived != 300 || v.Checked != 100 {
		t.Errorf("with the file: %+v\n%s", v, findingsOf(v))
	}
	for fact, file := range map[string]string{
		"changed": strings.Replace(string(a.file), "cliente", "clienta", 1), "cut": string(a.file[:len(a.file)-9]), "empty": "", "of another trail": string(newArchiving(t).file),
	} {
		if v := a.with(file); v.State != verify.Undecided {
			t.Errorf("with a file that is %s: %s\n%s", fact, v.State, findingsOf(v))
		}
	}
	exec(t, a.owner, `DELETE FROM audit_entries WHERE id = (SELECT entry_id FROM sealed_entries WHERE n = 310)`)
	if v := a.with(string(a.file)); v.State != verify.Altered || v.First.Code != verify.FindMissing || v.First.N != 310 {
		t.Errorf("with an entry of after it gone: %s\n%s", v.State, findingsOf(v))
	}
}

// TestAClaimExcusesNoDeletion: what an entry says of entries that are gone holds
// only of a whole month that is gone.
func TestAClaimExcusesNoDeletion(t *testing.T) {
	t.Parallel()
	tests := map[string]func(*verify.ArchivedMonth){
		"of the whole month":  func(*verify.ArchivedMonth) {},
		"of one entry":        func(c *verify.ArchivedMonth) { c.From, c.To, c.Entries = 41, 42, 1 },
		"that binds no entry": func(c *verify.ArchivedMonth) { c.Leaves = "" },
		"of more":             func(c *verify.ArchivedMonth) { c.To = 310 },
		"of no month":         func(c *verify.ArchivedMonth) { c.Month = "x" },
	}
	for fact, change := range tests {
		t.Run(fact, func(t *testing.T) {
			t.Parallel()
			a := newArchiving(t)
			change(&a.claim)
			a.say(a.claim)
			exec(t, a.owner, `DELETE FROM audit_entries WHERE id = (SELECT entry_id FROM sealed_entries WHERE n = 41)`)
			if v := a.with(); v.State != verify.Altered || v.First.Code != verify.FindMissing || v.First.N != 41 {
				t.Errorf("with an entry gone: %s\n%s", v.State, findingsOf(v))
			}
			if fact != "of the whole month" {
				a.drop()
				if v := a.with(); v.State != verify.Altered {
					t.Errorf("with the month gone: %s\n%s", v.State, findingsOf(v))
				}
			}
		})
	}
}

// TestALateEntryTakesNoMonthBack: whoever may write could give an entry a time of
// a month that was put away; that is named, and the month stays where it is.
func TestALateEntryTakesNoMonthBack(t *testing.T) {
	t.Parallel()
	a := newArchiving(t)
	a.say(a.claim)
	a.drop()
	late := strings.Replace(wholeEntries, "now() AS at", fmt.Sprintf("'%s'::timestamptz AS at", a.month.Format(time.RFC3339)), 1)
	exec(t, a.owner, late, 401, 401)
	if v := a.with(string(a.file)); v.State != verify.Intact || v.Archived != 300 {
		t.Errorf("before it is sealed: %s, %d entries archived\n%s", v.State, v.Archived, findingsOf(v))
	}
	a.whole(402, 410)
	if v := a.with(string(a.file)); v.State != verify.Altered || len(v.Findings) != 1 || v.First.Code != verify.FindBackDated || v.Archived != 300 {
		t.Errorf("once it is sealed: %s, %d entries archived\n%s", v.State, v.Archived, findingsOf(v))
	}
	exec(t, a.owner, `DELETE FROM audit_entries WHERE sale_id = 401`)
	if v := a.with(string(a.file)); v.State != verify.Altered || findingsOf(v) == "" || v.Archived != 300 || !strings.Contains(findingsOf(v), verify.FindMissing) {
		t.Errorf("once it is gone: %s, %d entries archived\n%s", v.State, v.Archived, findingsOf(v))
	}
}

// TestTheApplicationPutsNoMonthAway: it adds entries, and not that one.
func TestTheApplicationPutsNoMonthAway(t *testing.T) {
	t.Parallel()
	app, _ := modelstest.URLs(t)
	db, err := sql.Open("pgx", app)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	const insert = `INSERT INTO audit_entries (at, actor_name, actor_role, action, outcome, canonical) VALUES (now(), 'x', 'system', $1, 'success', '{}')`
	if _, err := db.ExecContext(t.Context(), insert, "audit.read"); err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), insert, "audit.archived"); err == nil || !strings.Contains(err.Error(), "only the owner") {
		t.Errorf("audit.archived by the application: %v, want it refused", err)
	}
}
