package verify_test

import (
	"fmt"
	"strings"
	"testing"

	"veinte/models/audit/verify"
	"veinte/models/modelstest"
	"veinte/models/wiring"
)

// sealedTwice is a trail of 600 entries with two checkpoints or more, and the last
// of them as it was stored outside.
func sealedTwice(t *testing.T) (s *modelstest.SealedTrail, stored string) {
	t.Helper()
	s = modelstest.NewSealedTrail(t)
	s.Whole(1, 300)
	s.Whole(301, 600)
	stored = s.Checkpoint()
	s.Unguarded()
	return s, stored
}

// consistently changes an entry as its columns and its bytes have it.
const consistently = `UPDATE audit_entries SET amount = 1, canonical = convert_to(replace(convert_from(canonical, 'UTF8'),
	'"amountCentavos":' || amount, '"amountCentavos":1'), 'UTF8') WHERE id = $1`

func TestManipulationsByTheSuperuserAreNamed(t *testing.T) {
	t.Parallel()
	tests := []struct {
		fact string
		do   func(s *modelstest.SealedTrail)
		// The expected first finding of the verdict: its code, the leaf that it
		// names (-1 for none) and words of its detail.
		code   string
		n      int64
		detail string
	}{
		{"an amount edited where pages show it", func(s *modelstest.SealedTrail) {
			modelstest.Exec(s.TB, s.Owner, `UPDATE audit_entries SET amount = 1 WHERE id = $1`, s.IdOf(41))
		}, verify.FindFields, 41, "amount"},
		{
			"an entry edited, bytes and all", func(s *modelstest.SealedTrail) { modelstest.Exec(s.TB, s.Owner, consistently, s.IdOf(41)) },
			verify.FindBytes, 41, "bytes",
		},
		{"an entry edited with its leaf", func(s *modelstest.SealedTrail) {
			id := s.IdOf(41)
			modelstest.Exec(s.TB, s.Owner, consistently, id)
			modelstest.Exec(s.TB, s.Owner, leafOf, id)
		}, verify.FindNode, 0, "leaves 0 to 255"},
		{"an entry deleted", func(s *modelstest.SealedTrail) {
			modelstest.Exec(s.TB, s.Owner, `DELETE FROM audit_entries WHERE id = $1`, s.IdOf(300))
		}, verify.FindMissing, 300, ""},
		{"an entry deleted with its leaf", func(s *modelstest.SealedTrail) {
			id := s.IdOf(300)
			modelstest.Exec(s.TB, s.Owner, `DELETE FROM audit_entries WHERE id = $1`, id)
			modelstest.Exec(s.TB, s.Owner, `DELETE FROM sealed_entries WHERE entry_id = $1`, id)
		}, verify.FindLeafMissing, 300, "leaves 300 to 300"},
		{"an entry deleted, and those behind it moved up", func(s *modelstest.SealedTrail) {
			id := s.IdOf(300)
			modelstest.Exec(s.TB, s.Owner, `DELETE FROM audit_entries WHERE id = $1`, id)
			modelstest.Exec(s.TB, s.Owner, `DELETE FROM sealed_entries WHERE entry_id = $1`, id)
			modelstest.Exec(s.TB, s.Owner, `UPDATE sealed_entries SET n = n + 1000000 WHERE n > 300`)
			modelstest.Exec(s.TB, s.Owner, `UPDATE sealed_entries SET n = n - 1000001 WHERE n > 300`)
		}, verify.FindNode, 256, "leaves 256 to 511"},
		{"an entry inserted among sealed ones", func(s *modelstest.SealedTrail) {
			modelstest.Exec(s.TB, s.Owner, modelstest.WholeEntries, 601, 601)
			modelstest.Exec(s.TB, s.Owner, `UPDATE audit_entries SET txid = (SELECT txid FROM audit_entries WHERE id = $1)
				WHERE sale_id = 601`, s.IdOf(300))
		}, verify.FindInserted, -1, "sealed is up to"},
		{"two entries in each other's place", func(s *modelstest.SealedTrail) {
			modelstest.Exec(s.TB, s.Owner, `UPDATE sealed_entries SET n = 9000 WHERE n = 100; UPDATE sealed_entries SET n = 100
				WHERE n = 101; UPDATE sealed_entries SET n = 101 WHERE n = 9000`)
		}, verify.FindOrder, 100, "was written earlier"},
		{"an entry repeated, and sealed again", func(s *modelstest.SealedTrail) {
			modelstest.Exec(s.TB, s.Owner, repeated, s.IdOf(41))
			s.All()
		}, verify.FindDuplicate, 600, "leaf 41"},
		{"an entry repeated under its own number", func(s *modelstest.SealedTrail) {
			modelstest.Exec(s.TB, s.Owner, strings.NewReplacer("SELECT at", "SELECT id, at + interval '1 second'", "(at,", "(id, at,",
				"canonical)", "canonical) OVERRIDING SYSTEM VALUE").Replace(repeated), s.IdOf(41))
		}, verify.FindDuplicate, -1, "two entries have the number"},
		{"an entry dated back by an hour, and sealed", func(s *modelstest.SealedTrail) {
			modelstest.Exec(s.TB, s.Owner, strings.Replace(modelstest.WholeEntries, "now() AS at", "now() - interval '1 hour' AS at", 1), 601, 601)
			s.All()
		}, verify.FindBackDated, 600, "an entry before it is of"},
		{"an entry dated ahead, and sealed", func(s *modelstest.SealedTrail) {
			modelstest.Exec(s.TB, s.Owner, strings.Replace(modelstest.WholeEntries, "now() AS at", "now() + interval '1 hour' AS at", 1), 601, 601)
			s.All()
		}, verify.FindFutureDated, 600, "its checkpoint is of"},
		{"the tail cut", func(s *modelstest.SealedTrail) {
			modelstest.Exec(s.TB, s.Owner, `DELETE FROM audit_entries WHERE id IN (SELECT entry_id FROM sealed_entries WHERE n >= 550)`)
		}, verify.FindMissing, 550, ""},
		{
			"the tail cut with its checkpoints", func(s *modelstest.SealedTrail) { cutTo300(s) }, verify.FindTruncated, 300,
			"300 entries after leaf 299",
		},
		{"an old backup restored, and gone on with", func(s *modelstest.SealedTrail) {
			cutTo300(s)
			s.Seals = s.Process(s.TB.TempDir())
			s.Whole(301, 600)
			s.Whole(601, 650)
		}, verify.FindSplit, 0, "checkpoint of 600 entries"},
		{"all of it sealed anew with another key", func(s *modelstest.SealedTrail) {
			s.Keys, _ = modelstest.NewKeys(s.TB)
			rebuild(s)
		}, verify.FindOtherKey, 599, "no checkpoint is signed by a key that was given"},
		{"an entry edited, and all of it sealed anew by whoever has the key", func(s *modelstest.SealedTrail) {
			modelstest.Exec(s.TB, s.Owner, consistently, s.IdOf(41))
			rebuild(s)
		}, verify.FindSplit, 0, "leaves 0 to 599"},
		{"a month dropped", func(s *modelstest.SealedTrail) {
			modelstest.Exec(s.TB, s.Owner, `DO $$ BEGIN EXECUTE format('DROP TABLE %s', (SELECT tableoid::regclass
				FROM audit_entries LIMIT 1)); END $$`)
		}, verify.FindMissing, 0, ""},
		{"a month emptied", func(s *modelstest.SealedTrail) {
			modelstest.Exec(s.TB, s.Owner, `DO $$ BEGIN EXECUTE format('TRUNCATE %s', (SELECT tableoid::regclass
				FROM audit_entries LIMIT 1)); END $$`)
		}, verify.FindMissing, 0, ""},
		{"the last checkpoint taken away", func(s *modelstest.SealedTrail) {
			modelstest.Exec(s.TB, s.Owner, `DELETE FROM checkpoints WHERE size > 300`)
		}, verify.FindBeyond, 300, "leaves 300 to 599"},
		{"the stored checkpoint taken away from among others", func(s *modelstest.SealedTrail) {
			s.Whole(601, 650)
			modelstest.Exec(s.TB, s.Owner, `DELETE FROM checkpoints WHERE size = 600`)
		}, verify.FindCheckpoint, 599, "is not there any more"},
		{"everything emptied", func(s *modelstest.SealedTrail) {
			modelstest.Exec(s.TB, s.Owner, `TRUNCATE audit_entries, sealed_entries, sealed_nodes, checkpoints`)
		}, verify.FindTruncated, 0, "600 entries"},
	}
	for _, tt := range tests {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			s, stored := sealedTwice(t)
			keys := s.Keys
			tt.do(s)
			v, err := wiring.Over(s.DB()).Verify.VerifyTrail(t.Context(), verify.TrailCheck{Keys: keys.Verifiers(), Checkpoints: []string{stored}})
			if err != nil {
				t.Fatal(err)
			}
			want := verify.Altered
			if tt.code == verify.FindOtherKey {
				want = verify.Undecided // the key was replaced, or is another shop's: nothing says which
			}
			if v.State != want || v.First == nil || v.First.Code != tt.code || v.First.N != tt.n ||
				!strings.Contains(v.First.Detail, tt.detail) {
				t.Errorf("VerifyTrail = %s, first %+v, want %s of leaf %d with %q\n%s", v.State, v.First, tt.code, tt.n, tt.detail,
					modelstest.FindingsOf(v))
			}
		})
	}
}

// leafOf gives a sealed row the hash of its entry as it is now.
const leafOf = `UPDATE sealed_entries s
	SET hash = sha256('\x00'::bytea || convert_to(format(E'veinte-entry/1 %s %s %s\n', e.id, e.era, e.txid), 'UTF8') || e.canonical)
	FROM audit_entries e WHERE e.id = s.entry_id AND e.id = $1`

// repeated adds an entry again.
const repeated = `INSERT INTO audit_entries (at, actor_id, actor_name, actor_role, on_behalf_of, action, outcome, store_id, store_name,
		serial_number, sale_id, order_id, cancellation_id, attempt_number, amount,
		before, after, reason, address, user_agent, request_id, canonical)
	SELECT at, actor_id, actor_name, actor_role, on_behalf_of, action, outcome, store_id, store_name,
		serial_number, sale_id, order_id, cancellation_id, attempt_number, amount,
		before, after, reason, address, user_agent, request_id, canonical
	FROM audit_entries WHERE id = $1`

// TestEveryColumnEditedIsNamed edits each column of the trail, of another entry
// each: a column that is added to the trail must be verified too.
func TestEveryColumnEditedIsNamed(t *testing.T) {
	t.Parallel()
	s, stored := sealedTwice(t)
	values := map[string]string{
		"bigint": `%[1]s + 100000`, "integer": `%[1]s + 5`, "text": `%[1]s || 'x'`, "jsonb": `%[1]s || '{"x":1}'`,
		"bytea":                    `%[1]s || ' '::bytea`,
		"timestamp with time zone": `%[1]s + interval '1 microsecond'`, "xid8": `(%[1]s::text::bigint - 1)::text::xid8`,
	}
	special := map[string]string{"outcome": `'denied'`, "action": `'cancellation.moveD'`, "id": `id + 100000`}
	codes := map[string]string{"id": verify.FindMissing, "era": verify.FindBytes, "txid": verify.FindBytes, "canonical": verify.FindBytes}
	type edit struct {
		column, code string
		id           int64
	}
	var edits []edit
	for i, column := range columnsOf(s, "audit_entries") {
		name, kind, _ := strings.Cut(column, " ")
		value, ok := special[name]
		if !ok {
			if values[kind] == "" {
				t.Fatalf("no way to edit a %s", kind)
			}
			value = fmt.Sprintf(values[kind], name)
		}
		e := edit{name, codes[name], s.IdOf(10 * (i + 1))}
		if e.code == "" {
			e.code = verify.FindFields
		}
		modelstest.Exec(t, s.Owner, fmt.Sprintf(`ALTER TABLE audit_entries ALTER id DROP IDENTITY IF EXISTS; UPDATE audit_entries SET %s = %s
			WHERE id = %d`, name, value, e.id))
		edits = append(edits, e)
	}
	v := s.Verify(stored)
	named := map[int64]verify.Finding{}
	for _, f := range v.Findings {
		if _, there := named[f.EntryID]; !there {
			named[f.EntryID] = f
		}
	}
	for _, e := range edits {
		f, ok := named[e.id]
		if !ok || f.Code != e.code || e.code == verify.FindFields && f.Detail != e.column {
			t.Errorf("%s of entry %d edited: found %+v, want %s", e.column, e.id, f, e.code)
		}
	}
	if len(edits) < 25 || v.State != verify.Altered {
		t.Errorf("%d columns edited, verdict %s\n%s", len(edits), v.State, modelstest.FindingsOf(v))
	}
}

// TestEveryColumnOfTheSealsEditedIsFound edits each column of each table that
// the sealer writes.
func TestEveryColumnOfTheSealsEditedIsFound(t *testing.T) {
	t.Parallel()
	s := modelstest.NewSealedTrail(t)
	edits := map[string]string{
		"sealed_entries.n": `n = n + 100000 WHERE n = 41`, "sealed_entries.entry_id": `entry_id = entry_id + 100000 WHERE n = 41`,
		"sealed_entries.at": `at = at + interval '1 microsecond' WHERE n = 41`, "sealed_entries.hash": `hash = sha256(hash) WHERE n = 41`,
		"sealed_nodes.level": `level = 2 WHERE n = 1`, "sealed_nodes.n": `n = 7 WHERE n = 1`,
		"sealed_nodes.hash": `hash = sha256(hash) WHERE n = 1`,
		"checkpoints.size":  `size = size - 1 WHERE size = 300`, "checkpoints.root": `root = sha256(root) WHERE size = 300`,
		"checkpoints.sealed_at": `sealed_at = sealed_at + interval '1 microsecond' WHERE size = 300`,
		"checkpoints.era":       `era = era + 1 WHERE size = 300`,
		"checkpoints.txid":      `txid = '3' WHERE size = 300`, "checkpoints.entry_id": `entry_id = entry_id - 1 WHERE size = 300`,
		"checkpoints.note": `note = replace(note, 'time 2', 'time 3') WHERE size = 300`,
	}
	for _, table := range []string{"sealed_entries", "sealed_nodes", "checkpoints"} {
		for _, column := range columnsOf(s, table) {
			name := table + "." + strings.Fields(column)[0]
			if edits[name] == "" {
				t.Errorf("no edit of %s is tested", name)
			}
		}
	}
	for name, edit := range edits {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, stored := sealedTwice(t)
			table, _, _ := strings.Cut(name, ".")
			modelstest.Exec(t, s.Owner, "UPDATE "+table+" SET "+edit)
			if v := s.Verify(stored); v.State != verify.Altered || v.First == nil {
				t.Errorf("VerifyTrail = %s, first %+v", v.State, v.First)
			} else {
				t.Log(v.First.Code, v.First.N, v.First.EntryID, v.First.Detail)
			}
		})
	}
}
