package handlers_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/audit/sealing"
	"veinte/models/audit/trailfile"
)

// sealed seals all of the house's trail.
func (h *house) sealed() *trailfile.Keys {
	h.tb.Helper()
	private, _, err := trailfile.GenerateKey("tienda.example/bitacora")
	h.must(err)
	keys, err := trailfile.ParseKeys(private)
	h.must(err)
	seals := sealing.New(sealing.Config{DB: h.DB, Clock: h.Clock, Signers: keys.Signers()})
	entries := h.count(`SELECT count(*) FROM audit_entries`)
	for begin := time.Now(); h.count(`SELECT coalesce(max(size), 0) FROM checkpoints`) < entries; {
		_, err := seals.Seal(h.tb.Context())
		h.must(err)
		if time.Since(begin) > 30*time.Second {
			h.tb.Fatal("not sealed after 30 s")
		}
	}
	return keys
}

// TestVerificationPage: asked for, under way, ended; each works without script.
func TestVerificationPage(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.supervisor()
	if page := v.get("/audit/verification").want(200); !strings.Contains(page.body, `data-testid="unsealed"`) ||
		strings.Contains(page.body, `data-testid="verify-form"`) {
		t.Errorf("a trail that nobody seals is not shown as such\n%s", page.words())
	}
	h.sealed()
	if page := v.get("/audit/verification").want(200); !strings.Contains(page.body, `data-testid="verify-form"`) ||
		!strings.Contains(page.body, "hora CDMX") {
		t.Errorf("nothing to begin with\n%s", page.words())
	}
	v.post("/audit/verification", nil).want(http.StatusSeeOther)
	v.post("/audit/verification", nil).want(http.StatusSeeOther) // a second click
	for _, path := range []string{"/audit/verification", "/audit/verification?fragment=verification"} {
		if page := v.get(path).want(200); !strings.Contains(page.body, `data-testid="verification-running"`) {
			t.Errorf("%s does not show that one is under way\n%s", path, page.words())
		}
	}
	if n := h.count(`SELECT count(*) FROM trail_checks`); n != 1 {
		t.Fatalf("two clicks began %d verifications", n)
	}
	h.must(h.Verify.RunVerification(t.Context(), int64(h.count(`SELECT id FROM trail_checks`))))
	page := v.get("/audit/verification").want(200)
	if !strings.Contains(page.body, `data-state="intact"`) || !strings.Contains(page.words(), "están como se sellaron") {
		t.Errorf("the verdict is not shown\n%s", page.words())
	}
	v.get("/audit/verification?older=x").want(http.StatusUnprocessableEntity)
}

// TestWhatIsNotAsRecordedIsShown: a row that somebody changed beside the trail stands above
// everything else on the page of its sale, and on the page where the trail is verified; a
// closing is called unchanged only after comparing.
func TestWhatIsNotAsRecordedIsShown(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	sale, _ := h.StateOf(models.Confirmed)
	path, v := fmt.Sprintf("/sales/%d", sale.ID), h.supervisor()
	h.Clock.Set(sale.CutoffAt.Add(time.Minute))
	h.must(h.Closings.CloseDays(t.Context()))
	closing := "/closings/" + string(sale.BusinessDay)
	if page := v.get(closing).want(200); strings.Contains(page.words(), "todo sigue como se guardó") {
		t.Errorf("a closing that was compared with nothing is called unchanged\n%s", page.words())
	}
	compared := func(want string) {
		t.Helper()
		h.Clock.Advance(time.Hour)
		_, _, err := h.Compare.Run(t.Context(), models.System("comparison", ""))
		h.must(err)
		if page := v.get("/audit/verification").want(200); !strings.Contains(page.body, `data-testid="comparison-verdict" data-state="`+want) {
			t.Errorf("the comparison is not shown as %s\n%s", want, page.words())
		}
	}
	h.recordPeople()
	compared("intact")
	if page := v.get(closing).want(200); !strings.Contains(page.words(), "todo sigue como se guardó") {
		t.Errorf("a closing that was compared is not called unchanged\n%s", page.words())
	}
	if page := v.get(path).want(200); strings.Contains(page.body, `data-testid="differences"`) {
		t.Errorf("a sale as it was recorded is called altered\n%s", page.words())
	}
	for _, act := range []string{`ALTER TABLE sales DISABLE TRIGGER USER`, fmt.Sprint(`UPDATE sales SET amount = 100 WHERE id = `, sale.ID)} {
		_, err := h.Owner.Exec(act)
		h.must(err)
	}
	compared("altered")
	for _, page := range []*answer{v.get(path).want(200), v.get("/audit/verification").want(200), h.manager().get(path).want(200)} {
		if words := page.words(); !strings.Contains(words, "se registró $") || !strings.Contains(words, "ahora dice $1.00") {
			t.Errorf("both values are not shown\n%s", words)
		}
	}
	if body := v.get(path).want(200).body; strings.Index(body, `data-testid="differences"`) > strings.Index(body, `class="story-main"`) {
		t.Error("that a sale was altered does not stand above everything else")
	}
}

// recordPeople records those whom tests add as rows, as if the product had added them.
func (h *house) recordPeople() {
	h.tb.Helper()
	_, err := h.Owner.Exec(`INSERT INTO audit_entries (at, actor_name, actor_role, action, outcome, after, canonical)
		SELECT now(), 'prueba', 'system', 'user.created', 'success', jsonb_build_object('email', email, 'name', name, 'role', role,
			'allStores', all_stores, 'stores', array(SELECT store_id FROM user_stores s WHERE s.user_id = u.id), 'accessUntil', access_until),
			'{}' FROM users u`)
	h.must(err)
}

// TestFilesToVerifyWith: the checkpoint and the proof come as files that verify
// with the key, and taking them is recorded.
func TestFilesToVerifyWith(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.Request(h.Sale(125000))
	keys := h.sealed()
	v := h.supervisor()
	checkpoint := v.get("/audit/checkpoints/latest").want(200)
	if _, err := trailfile.Open(checkpoint.body, keys.Verifiers()); err != nil ||
		!strings.Contains(checkpoint.header.Get("Content-Disposition"), "veinte-checkpoint-") {
		t.Errorf("the checkpoint: %v\n%s", err, checkpoint.body)
	}
	id := h.count(`SELECT id FROM audit_entries WHERE action = 'cancellation.requested'`)
	proof := v.get(fmt.Sprintf("/audit/%d/proof", id)).want(200)
	if _, verdict := trailfile.VerifyProof(
		strings.NewReader(proof.body), trailfile.Check{Keys: keys.Verifiers()},
	); verdict.State != trailfile.Intact {
		t.Errorf("the proof: %+v\n%s", verdict, proof.body)
	}
	for _, path := range []string{"/audit/0/proof", "/audit/x/proof", "/audit/999999999/proof", "/audit/99999999999999999999/proof"} {
		v.get(path).want(http.StatusNotFound)
	}
	if n := h.count(`SELECT count(*) FROM audit_entries WHERE action = 'audit.proved'`); n != 2 {
		t.Errorf("%d entries of what left, want 2", n)
	}
}
