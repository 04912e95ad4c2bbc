package export_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/audit/export"
	"veinte/models/audit/trailfile"
	"veinte/models/modelstest"
)

// sealedLine is any line of a file that can be verified.
type sealedLine struct {
	Format, Checkpoint, Zone string
	Complete                 bool
	N, ID                    int64
	Era                      int
	TxID                     uint64 `json:",string"`
	Entry, Hash              string
	Gap                      *struct {
		From, To int64
		Hashes   []string
	}
	Entries        int64
	AmountCentavos string
	SHA256         string
	End            bool
}

// verifySealed reads a file as a third party does, with the keys only, and returns
// the actions of its entries.
func verifySealed(tb testing.TB, file []byte, keys *trailfile.Keys) (actions []string, complete bool) {
	tb.Helper()
	lines := bufio.NewScanner(bytes.NewReader(file))
	lines.Buffer(nil, 1<<20)
	var root subtrees
	var c trailfile.Checkpoint
	ended := false
	for n := 1; lines.Scan(); n++ {
		var l sealedLine
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil || ended {
			tb.Fatalf("line %d: %v, behind the end: %t", n, err, ended)
		}
		switch {
		case n == 1:
			var err error
			if c, err = trailfile.Open(l.Checkpoint, keys.Verifiers()); err != nil || l.Format != "veinte-audit-export/1" || l.Zone != "UTC" {
				tb.Fatalf("header %s: %v", lines.Bytes(), err)
			}
			complete = l.Complete
		case l.End:
			body := file[:len(file)-len(lines.Bytes())-1]
			if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) != l.SHA256 || l.Entries != int64(len(actions)) {
				tb.Errorf("the footer %s does not fit %d entries", lines.Bytes(), len(actions))
			}
			ended = true
		case l.Gap != nil:
			root.gap(tb, l.Gap.From, l.Gap.To, l.Gap.Hashes)
		default:
			if l.N != root.size {
				tb.Fatalf("line %d: entry %d where %d was due", n, l.N, root.size)
			}
			leaf := trailfile.Leaf{ID: l.ID, Era: l.Era, TxID: l.TxID, Canonical: []byte(l.Entry)}.Hash()
			if l.Hash != leaf.String() {
				tb.Errorf("line %d: entry %d was sealed as another", n, l.N)
			}
			root.add(0, leaf)
			var e struct{ Action string }
			if err := json.Unmarshal([]byte(l.Entry), &e); err != nil {
				tb.Fatalf("line %d: %v", n, err)
			}
			actions = append(actions, e.Action)
		}
	}
	if v := trailfile.Verify(bytes.NewReader(file), trailfile.Check{Keys: keys.Verifiers()}); v.State != trailfile.Intact ||
		v.Entries != int64(len(actions)) {
		tb.Errorf("the product's own verifier says %s, %+v", v.State, v.Findings)
	}
	if !ended || root.size != c.Size || root.root() != c.Root {
		tb.Errorf("the file ends (%t) at %d of %d entries, root %s, want %s", ended, root.size, c.Size, root.root(), c.Root)
	}
	return actions, complete
}

// subtrees are the complete subtrees of a tree that grows from the left.
type subtrees struct {
	size   int64
	levels []int
	hashes []tlog.Hash
}

func (s *subtrees) add(level int, h tlog.Hash) {
	s.size += 1 << level
	for n := len(s.levels); n > 0 && s.levels[n-1] == level; n-- {
		h = tlog.NodeHash(s.hashes[n-1], h)
		s.hashes, s.levels = s.hashes[:n-1], s.levels[:n-1]
		level++
	}
	s.hashes, s.levels = append(s.hashes, h), append(s.levels, level)
}

func (s *subtrees) gap(tb testing.TB, from, to int64, hashes []string) {
	tb.Helper()
	if from != s.size {
		tb.Fatalf("gap from %d where %d was due", from, s.size)
	}
	for _, text := range hashes {
		level := 0
		for s.size>>level&1 == 0 && s.size+2<<level <= to {
			level++
		}
		h, err := tlog.ParseHash(text)
		if err != nil {
			tb.Fatal(err)
		}
		s.add(level, h)
	}
	if s.size != to {
		tb.Fatalf("a gap up to %d ends at %d", to, s.size)
	}
}

func (s *subtrees) root() tlog.Hash {
	if len(s.hashes) == 0 {
		return tlog.Hash{}
	}
	h := s.hashes[len(s.hashes)-1]
	for i := len(s.hashes) - 2; i >= 0; i-- {
		h = tlog.NodeHash(s.hashes[i], h)
	}
	return h
}

// sealedExport takes the trail out as the actor with a filter.
func sealedExport(tb testing.TB, o *modelstest.Office, actor models.Actor, f audit.Filter) []byte {
	tb.Helper()
	x, err := o.Export.StartExport(tb.Context(), actor, export.Request{Format: export.JSONL, Filter: f})
	if err != nil {
		tb.Fatal(err)
	}
	var file bytes.Buffer
	if err := o.Export.RunSealedExport(tb.Context(), actor, x, f, &file); err != nil {
		tb.Fatal(err)
	}
	return file.Bytes()
}

// TestSealedExport: the whole trail, a part of it, and what one store's supervisor
// sees of it all prove the same tree; a changed byte does not.
func TestSealedExport(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	_, err := o.Export.StartExport(t.Context(), o.Supervisor, export.Request{Format: export.JSONL})
	if err == nil || !strings.Contains(err.Error(), "error.nothingSealed") {
		t.Errorf("an export of what was never sealed: %v", err)
	}
	keys, _ := modelstest.NewKeys(t)
	s := &modelstest.SealedTrail{TB: t, Owner: o.Owner, URL: o.URL, Keys: keys}
	s.Seals = s.Process("")
	there := o.Branch(t)
	for range 300 {
		o.Request(o.Sale(125000))
	}
	there.StateOf(models.Confirmed)
	s.All()

	everything, complete := verifySealed(t, sealedExport(t, o, o.Supervisor, audit.Filter{}), keys)
	if n := modelstest.Count(t, o.Owner, `SELECT size FROM checkpoints ORDER BY size DESC LIMIT 1`); len(everything) != n || !complete {
		t.Errorf("all of the trail are %d entries (complete %t), want %d", len(everything), complete, n)
	}
	for name, tt := range map[string]struct {
		actor  models.Actor
		filter audit.Filter
		want   string
	}{
		"an action": {o.Supervisor, audit.Filter{Action: models.ActionCancellationRequested}, "301 cancellation.requested"},
		"a store": {
			o.Supervisor,
			audit.Filter{StoreID: there.Store.ID, Action: models.ActionCancellationRequested},
			"1 cancellation.requested",
		},
		"what is not there": {o.Supervisor, audit.Filter{Query: "zanahoria"}, "0 "},
		"one's own stores": {
			modelstest.Person(models.Supervisor, there.Store),
			audit.Filter{Action: models.ActionCancellationRequested},
			"1 cancellation.requested",
		},
	} {
		file := sealedExport(t, o, tt.actor, tt.filter)
		actions, complete := verifySealed(t, file, keys)
		first := ""
		if len(actions) > 0 {
			first = actions[0]
		}
		if got := fmt.Sprintf("%d %s", len(actions), first); got != tt.want || complete {
			t.Errorf("%s: %s (complete %t), want %s", name, got, complete, tt.want)
		}
		if strings.HasPrefix(name, "one's own") && bytes.Contains(file, []byte(o.Store.Name)) {
			t.Errorf("%s: the file has something of another store", name)
		}
	}
	unsealed := o.Supervisor
	o.Request(o.Sale(1))
	sealedExport(t, o, unsealed, audit.Filter{Action: models.ActionCancellationRequested})
	if n := modelstest.Count(t, o.Owner, `SELECT (after->>'unsealed')::bigint FROM audit_entries
		WHERE action = 'audit.exported' AND after->>'exportState' = 'done' ORDER BY id DESC LIMIT 1`); n != 1 {
		t.Errorf("the trail speaks of %d entries that were not sealed, want 1", n)
	}
}

// TestAChangedColumnIsNamedByItsExport: whoever changed a column, and not the bytes, finds
// the entry named in every export that is made afterwards, and not its footer.
func TestAChangedColumnIsNamedByItsExport(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	keys, _ := modelstest.NewKeys(t)
	s := &modelstest.SealedTrail{TB: t, Owner: o.Owner, URL: o.URL, Keys: keys}
	s.Seals = s.Process("")
	for range 5 {
		o.Request(o.Sale(125000))
	}
	s.All()
	s.Unguarded()
	id := int64(modelstest.Count(t, o.Owner, `SELECT max(id) FROM audit_entries WHERE amount IS NOT NULL`))
	n := int64(modelstest.Count(t, o.Owner, `SELECT n FROM sealed_entries WHERE entry_id = $1`, id))
	first := func() trailfile.Finding {
		t.Helper()
		v := trailfile.Verify(bytes.NewReader(sealedExport(t, o, o.Supervisor, audit.Filter{})), trailfile.Check{Keys: keys.Verifiers()})
		if v.State != trailfile.Altered {
			t.Fatalf("Verify = %s, want altered", v.State)
		}
		return v.Findings[0]
	}
	modelstest.Exec(t, o.Owner, `UPDATE audit_entries SET amount = 1, actor_name = 'Nadie' WHERE id = $1`, id)
	if f := first(); f.Code != trailfile.BadColumns || f.N != n || f.ID != id || f.Detail != "actor_name, amount" {
		t.Errorf("an export of changed columns says %s, want %s of n %d", f, trailfile.BadColumns, n)
	}
	// Its time decides where it is read: the export does not have it, and says where.
	modelstest.Exec(t, o.Owner, `UPDATE audit_entries SET at = at + interval '1 second' WHERE id = $1`, id)
	if f := first(); f.Code != trailfile.NotAsAnnounced || f.N != n {
		t.Errorf("an export of an entry with another time says %s, want %s of n %d", f, trailfile.NotAsAnnounced, n)
	}
}
