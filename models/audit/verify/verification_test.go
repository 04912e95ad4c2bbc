package verify_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/audit/sealing"
	"veinte/models/audit/trailfile"
	"veinte/models/audit/verify"
	"veinte/models/modelstest"
	"veinte/models/wiring"
)

// sealedOffice is an office whose trail is sealed by its own process.
func sealedOffice(t *testing.T) (*modelstest.Office, *sealing.Service, *trailfile.Keys) {
	t.Helper()
	keys, _ := modelstest.NewKeys(t)
	var seals *sealing.Service
	o := modelstest.NewOffice(t, func(c *wiring.Config) {
		seals = sealing.New(sealing.Config{DB: c.DB, Clock: c.Clock, Signers: keys.Signers(), Public: keys.Public(), Dir: t.TempDir()})
		c.Seals = seals
	})
	return o, seals, keys
}

// TestVerification: only one is requested at a time, it runs once, and its beginning
// and end are in the trail.
func TestVerification(t *testing.T) {
	t.Parallel()
	o, seals, _ := sealedOffice(t)
	o.Request(o.Sale(125000))
	modelstest.WaitForOlder(t, o.Owner)
	modelstest.WaitFor(t, "something to be sealed", func() bool {
		_, err := seals.Seal(t.Context())
		return err == nil && modelstest.Count(t, o.Owner, `SELECT count(*) FROM sealed_entries`) > 0
	})
	manager := modelstest.Person(models.Manager, o.Store)
	if _, err := o.Verify.StartVerification(t.Context(), manager); !errors.Is(err, models.ErrForbidden) {
		t.Errorf("a manager's: %v", err)
	}
	v, err := o.Verify.StartVerification(t.Context(), o.Supervisor)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.SecondServer().Verify.StartVerification(t.Context(), o.Supervisor); !errors.Is(err, verify.ErrVerifying) {
		t.Errorf("a second one at once: %v, want %v", err, verify.ErrVerifying)
	}
	if task := o.Queue.Take(t); len(task) == 0 || task[len(task)-1].Kind != models.TaskVerify {
		t.Errorf("tasks = %v", task)
	}
	for range 2 { // the second call finds it done
		if err := o.Verify.RunVerification(t.Context(), v.ID); err != nil {
			t.Fatal(err)
		}
	}
	page, err := o.Verify.Verifications(t.Context(), o.Supervisor, "")
	if err != nil {
		t.Fatal(err)
	}
	r := page.List[0].Verified()
	if len(page.List) != 1 || page.List[0].State != verify.RunIntact || r == nil || r.Size < 1 || !r.Signed || r.Size != page.Latest.Size {
		t.Errorf("verified: %+v %+v", page.List, r)
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'audit.verified'`); n != 3 {
		t.Errorf("%d entries of verifying, want 3: asked for, refused, ended", n)
	}
	if _, err := o.Owner.Exec(`UPDATE trail_checks SET state = 'altered'`); err == nil {
		t.Error("what a verification came to can be rewritten")
	}
}

// TestVerificationFindsWhatWasChanged names the entry.
func TestVerificationFindsWhatWasChanged(t *testing.T) {
	t.Parallel()
	o, seals, _ := sealedOffice(t)
	o.Request(o.Sale(125000))
	modelstest.WaitFor(t, "the request to be sealed", func() bool {
		_, err := seals.Seal(t.Context())
		return err == nil && modelstest.Count(t, o.Owner, `SELECT count(*) FROM sealed_entries s JOIN audit_entries e ON e.id = s.entry_id
			WHERE e.action = 'cancellation.requested'`) == 1
	})
	id := modelstest.Count(t, o.Owner, `SELECT id FROM audit_entries WHERE action = 'cancellation.requested'`)
	for _, statement := range []string{
		`SET session_replication_role = replica`,
		`DO $$ DECLARE t text; BEGIN
			FOR t IN SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'audit_entries'::regclass LOOP
				EXECUTE 'ALTER TABLE ' || t || ' DISABLE TRIGGER append_only';
			END LOOP;
			ALTER TABLE audit_entries DISABLE TRIGGER audit_entries_append_only;
		END $$`,
		`UPDATE audit_entries SET amount = 1 WHERE action = 'cancellation.requested'`,
	} {
		modelstest.Exec(t, o.Owner, statement)
	}
	v, err := o.Verify.StartVerification(t.Context(), o.Supervisor)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Verify.RunVerification(t.Context(), v.ID); err != nil {
		t.Fatal(err)
	}
	page, err := o.Verify.Verifications(t.Context(), o.Supervisor, "")
	if err != nil {
		t.Fatal(err)
	}
	r := page.List[0].Verified()
	if page.List[0].State != verify.RunAltered || r.First == nil || r.First.EntryID != int64(id) || r.First.Code != verify.FindFields {
		t.Errorf("verified: %s %+v, want altered and entry %d", page.List[0].State, r.First, id)
	}
}

// TestVerificationOfADeadProcess is recorded as interrupted, and another one may
// begin; its late result changes nothing.
func TestVerificationOfADeadProcess(t *testing.T) {
	t.Parallel()
	o, _, _ := sealedOffice(t)
	v, err := o.Verify.StartVerification(t.Context(), o.Supervisor)
	if err != nil {
		t.Fatal(err)
	}
	modelstest.Exec(t, o.Owner, `UPDATE trail_checks SET begun_at = started_at`) // a process took it up, and died
	o.Clock.Advance(31 * time.Second)
	page, err := o.Verify.Verifications(t.Context(), o.Supervisor, "")
	if err != nil || page.List[0].State != verify.RunInterrupted {
		t.Fatalf("after 31 s of silence: %+v, %v", page, err)
	}
	if err := o.Verify.RunVerification(t.Context(), v.ID); err != nil {
		t.Error(err)
	}
	if _, err := o.Verify.StartVerification(t.Context(), o.Supervisor); err != nil {
		t.Errorf("another one: %v", err)
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries
		WHERE action = 'audit.verified' AND after->>'verificationState' = 'interrupted' AND outcome = 'unknown'`); n != 1 {
		t.Errorf("%d entries of the interruption, want 1", n)
	}
}

// TestProofFor proves entries within the scope, and none outside of it.
func TestProofFor(t *testing.T) {
	t.Parallel()
	o, _, keys := sealedOffice(t)
	there := o.Branch(t)
	o.Request(o.Sale(1))
	there.Request(there.Sale(2))
	id := int64(modelstest.Count(t, o.Owner, `SELECT id FROM audit_entries
		WHERE action = 'cancellation.requested' AND store_id = $1`, o.Store.ID))
	var file []byte
	modelstest.WaitFor(t, "the entry to be sealed", func() bool {
		p, _, err := o.Verify.ProofFor(t.Context(), modelstest.Person(models.Supervisor, o.Store), id)
		if errors.Is(err, sealing.ErrNotSealed) || errors.Is(err, sealing.ErrNothingSealed) {
			return false
		}
		if err != nil {
			t.Fatal(err)
		}
		file, err = p.File()
		return err == nil
	})
	if _, v := trailfile.VerifyProof(bytes.NewReader(file), trailfile.Check{Keys: keys.Verifiers()}); v.State != trailfile.Intact {
		t.Errorf("the proof: %+v\n%s", v, file)
	}
	// Somebody has kept the first checkpoint: the file proves that the trail continues it.
	var first sealing.Checkpoint
	if err := o.Owner.QueryRow(`SELECT size, note FROM checkpoints ORDER BY size LIMIT 1`).Scan(&first.Size, &first.Note); err != nil {
		t.Fatal(err)
	}
	proof, _, err := o.Verify.ProofFor(t.Context(), o.Supervisor, id, first.Size)
	if err != nil {
		t.Fatal(err)
	}
	if file, err = proof.File(); err != nil {
		t.Fatal(err)
	}
	check := trailfile.Check{Keys: keys.Verifiers(), Checkpoints: []string{first.Note}}
	if _, v := trailfile.VerifyProof(bytes.NewReader(file), check); v.State != trailfile.Intact || v.Compared != 1 {
		t.Errorf("the proof beside the first checkpoint: %+v\n%s", v, file)
	}
	for _, size := range []int64{0, -1, 1 << 40} {
		if _, _, err := o.Verify.ProofFor(t.Context(), o.Supervisor, id, size); !errors.As(err, new(*models.Error)) {
			t.Errorf("a proof that continues %d entries: %v, want a refusal", size, err)
		}
	}
	for name, tt := range map[string]struct {
		actor  models.Actor
		id     int64
		hidden bool
		want   error
	}{
		"of another store":  {modelstest.Person(models.Supervisor, there.Store), id, true, models.ErrNotFound},
		"that there is not": {o.Supervisor, 1 << 40, false, models.ErrNotFound},
		"for a manager":     {modelstest.Person(models.Manager, o.Store), id, false, models.ErrForbidden},
	} {
		if _, hidden, err := o.Verify.ProofFor(t.Context(), tt.actor, tt.id); !errors.Is(err, tt.want) || hidden != tt.hidden {
			t.Errorf("a proof %s: %v (hidden %t), want %v", name, err, hidden, tt.want)
		}
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries
		WHERE action = 'audit.proved' AND (after->>'entry')::bigint = $1`, id); n != 2 {
		t.Errorf("%d entries of proofs that left, want 2", n)
	}
}

// TestTheTrailIsVerifiedEveryNight, once, by whichever server is there; nobody asks for it.
func TestTheTrailIsVerifiedEveryNight(t *testing.T) {
	t.Parallel()
	o, seals, _ := sealedOffice(t)
	second := o.SecondServer()
	nights := func() int {
		t.Helper()
		for _, s := range []*wiring.Services{o.Services, second} {
			if err := s.Verify.VerifyNightly(t.Context(), models.MexicoCity); err != nil {
				t.Fatal(err)
			}
		}
		for _, task := range o.Queue.Take(t) {
			if task.Kind != models.TaskVerify {
				continue
			}
			if err := o.Verify.RunVerification(t.Context(), task.SubjectID); err != nil {
				t.Fatal(err)
			}
		}
		return modelstest.Count(t, o.Owner, `SELECT count(*) FROM trail_checks WHERE actor_id = 0`)
	}
	o.Clock.Advance(15 * time.Hour) // it is 3:00 of the next day
	modelstest.Wants(t, "verifications of what is not sealed", nights(), 0)
	o.Request(o.Sale(125000))
	modelstest.WaitFor(t, "something to be sealed", func() bool { // other tests' transactions delay it
		_, err := seals.Seal(t.Context())
		return err == nil && modelstest.Count(t, o.Owner, `SELECT count(*) FROM sealed_entries`) > 0
	})
	for _, tt := range []struct {
		after time.Duration
		fact  string
		want  int
	}{
		{0, "at three", 1},
		{time.Hour, "at four", 1},
		{22*time.Hour + 59*time.Minute, "at 2:59 of the next night", 1},
		{2 * time.Minute, "at 3:01", 2},
		{26 * time.Hour, "at 5:01, after a night without a server", 3},
		{25 * time.Hour, "at 6:01", 3},
	} {
		// What waits meanwhile for other tests' transactions would seem to be hours old.
		if err := seals.SealAll(t.Context(), time.Minute); err != nil {
			t.Fatal(err)
		}
		o.Clock.Advance(tt.after)
		modelstest.Wants(t, "verifications "+tt.fact, nights(), tt.want)
	}
	o.Clock.Advance(21 * time.Hour)
	if v, err := o.Verify.StartVerification(t.Context(), o.Supervisor); err != nil {
		t.Fatal(err)
	} else if err := o.Verify.RunVerification(t.Context(), v.ID); err != nil {
		t.Fatal(err)
	}
	modelstest.Wants(t, "verifications where somebody has asked for one this night", nights(), 3)
	last, err := o.Verify.LastVerdict(t.Context())
	if err != nil || last == nil || last.Nightly() {
		t.Errorf("the last verdict is %+v, %v", last, err)
	}
	modelstest.Wants(t, "ends in the trail", modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries
		WHERE action = 'audit.verified' AND actor_role = 'system' AND after->>'verificationState' = 'intact'`), 3)
}
