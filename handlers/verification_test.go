package handlers_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

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
