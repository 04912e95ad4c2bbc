package attest_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"veinte/models/audit/attest"
	"veinte/models/audit/sealing"
	"veinte/models/audit/trailfile"
	"veinte/models/audit/verify"
	"veinte/models/modelstest"
)

// rewrites is somebody with the database, the server and the key: they change an entry and
// have everything sealed anew, as if it had always been so.
func (o *office) rewrites() {
	o.TB.Helper()
	o.Unguarded()
	modelstest.Exec(o.TB, o.Owner, `UPDATE audit_entries SET canonical = convert_to(gen_random_uuid()::text, 'UTF8')
		WHERE id = (SELECT min(id) FROM audit_entries)`)
	for _, table := range []string{"checkpoint_beats", "checkpoints", "sealed_nodes", "sealed_entries"} {
		modelstest.Exec(o.TB, o.Owner, `DELETE FROM `+table)
	}
	o.Seals = o.Process("")
	o.All()
}

// TestAnInsiderIsFoundByThePage: what others signed stays in the database, and fits nothing
// that is there.
func TestAnInsiderIsFoundByThePage(t *testing.T) {
	t.Parallel()
	a, w := newAuthority(t), newWatcher(t)
	o := newOffice(t, slices.Concat(a.asks(), w.asks()))
	o.ask(5)
	modelstest.Wants(t, "signatures", o.lines(), 2)
	stamped := o.latest()
	found := func() (n int, detail string) {
		for _, f := range o.Verify().Findings {
			if f.Code == verify.FindAttested {
				n++
				detail += f.Detail + "\n"
			}
		}
		return n, detail
	}
	if n, detail := found(); n != 0 {
		t.Fatalf("before anything was changed: %s", detail)
	}
	o.rewrites()
	if n, detail := found(); n != 2 || !strings.Contains(detail, "not there any more") {
		t.Errorf("%d findings, want one for each signature: %s", n, detail)
	}
	// They sign a checkpoint of that size and time as well.
	last := o.latest()
	forged := trailfile.Checkpoint{Origin: o.Keys.Origin(), Size: last.Size, Root: last.Root, Time: stamped.SealedAt}
	note, err := forged.Sign(o.Keys.Signers()...)
	if err != nil {
		t.Fatal(err)
	}
	modelstest.Exec(t, o.Owner, `UPDATE checkpoints SET size = $1, sealed_at = $2, note = $3 WHERE size = $4`,
		stamped.Size, stamped.SealedAt, note, last.Size)
	if n, detail := found(); n != 2 || strings.Contains(detail, "not there any more") {
		t.Errorf("%d findings, want one for each signature: %s", n, detail)
	}
}

// TestAnInsiderIsFoundByAWitness although they took away all that others had signed: the
// witness remembers, refuses, and that is in the trail.
func TestAnInsiderIsFoundByAWitness(t *testing.T) {
	t.Parallel()
	w := newWatcher(t)
	o := newOffice(t, w.asks())
	o.ask(5)
	o.rewrites()
	modelstest.Exec(t, o.Owner, `DELETE FROM checkpoint_signatures`)
	modelstest.Exec(t, o.Owner, `DELETE FROM attesters`)
	o.Service = attest.New(attest.Config{DB: o.DB(), Clock: o.clock, Seals: o.Seals, Asked: w.asks()})
	o.begin()
	o.ask(3)
	if s := o.status(); s.Trouble != attest.Refused || !strings.Contains(s.Detail, "does not continue") {
		t.Errorf("Status = %+v, want a witness that refuses", s)
	}
	modelstest.Wants(t, "signatures", o.lines(), 0)
	modelstest.Wants(t, "refusals in the trail",
		modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'attestation.refused'`), 1)
}

// TestATrailThatWasCutIsFoundByAWitness: it has seen more than there is.
func TestATrailThatWasCutIsFoundByAWitness(t *testing.T) {
	t.Parallel()
	w := newWatcher(t)
	o := newOffice(t, w.asks())
	o.ask(9)
	o.Unguarded()
	modelstest.Exec(t, o.Owner, `DELETE FROM audit_entries WHERE id > (SELECT min(id) + 3 FROM audit_entries)`)
	o.rewrites()
	o.Service = o.process(w.asks())
	modelstest.Exec(t, o.Owner, `UPDATE attesters SET next_at = now() - interval '1 hour', tries = 1`)
	o.ask(0)
	if s := o.status(); s.Trouble != attest.Refused || !strings.Contains(s.Detail, "was cut") {
		t.Errorf("Status = %+v, want a witness that has seen more", s)
	}
}

// TestCarriedAreTheLastOfEachDay, of older months the last, and never more than fit a header.
func TestCarriedAreTheLastOfEachDay(t *testing.T) {
	t.Parallel()
	o := newOffice(t, nil)
	for range 4 {
		o.Write(1)
		o.All()
	}
	o.Unguarded()
	at := time.Date(2026, 6, 10, 12, 0, 0, 0, time.UTC)
	line := func(length int) string { return "— tsa.example/tsr " + strings.Repeat("A", length) }
	var sizes []int64
	for i, days := range []int{0, 1, 120, 120} { // two days in June, and twice the same day in October
		c := sealing.Checkpoint{SealedAt: at.AddDate(0, 0, days).Add(time.Duration(i) * time.Minute)}
		c.Size = modelstest.Scan[int64](t, o.Owner, `SELECT size FROM checkpoints ORDER BY size OFFSET $1 LIMIT 1`, i)
		modelstest.Exec(t, o.Owner, `UPDATE checkpoints SET sealed_at = $2 WHERE size = $1`, c.Size, c.SealedAt)
		modelstest.Exec(t, o.Owner, `INSERT INTO checkpoint_signatures (size, sealed_at, kind, name, line, at, received_at)
			VALUES ($1, $2, 'stamp', 'tsa.example/tsr', $3, $2, $2)`, c.Size, c.SealedAt, line(4000))
		sizes = append(sizes, c.Size)
	}
	carried := func(now time.Time, upTo int64) (got []int64) {
		t.Helper()
		all, err := attest.Carried(t.Context(), o.DB(), upTo, now)
		if err != nil {
			t.Fatal(err)
		}
		for _, note := range all {
			c, err := trailfile.Unverified(note)
			if err != nil || !strings.Contains(note, line(4000)) {
				t.Fatalf("carried %.80q: %v", note, err)
			}
			got = append(got, c.Size)
		}
		return got
	}
	october := at.AddDate(0, 0, 121)
	modelstest.Equal(t, "of an old month the last, of a day the last", carried(october, 1<<40), []int64{sizes[1], sizes[3]})
	modelstest.Equal(t, "while June is young", carried(at.AddDate(0, 0, 2), sizes[1]), []int64{sizes[0], sizes[1]})
	modelstest.Equal(t, "up to a size", carried(october, sizes[2]), []int64{sizes[1], sizes[2]})
}
