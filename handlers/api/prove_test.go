package api_test

import (
	"bytes"
	"fmt"
	"net/http"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"veinte/handlers/api/shapes"
	"veinte/models/apikeys"
	"veinte/models/audit/sealing"
	"veinte/models/audit/trailfile"
	"veinte/models/wiring"
)

// sealedDesk is a desk whose trail is sealed.
func sealedDesk(t *testing.T) (*desk, *sealing.Service, *trailfile.Keys) {
	t.Helper()
	private, _, err := trailfile.GenerateKey("tienda.example/bitacora")
	if err != nil {
		t.Fatal(err)
	}
	keys, err := trailfile.ParseKeys(private)
	if err != nil {
		t.Fatal(err)
	}
	var seals *sealing.Service
	d := newDesk(t, func(c *wiring.Config) {
		seals = sealing.New(sealing.Config{DB: c.DB, Clock: c.Clock, Signers: keys.Signers(), Public: keys.Public()})
		c.Seals = seals
	})
	return d, seals, keys
}

// sealUntil seals until so many entries are. Other tests' transactions hold it up.
func (d *desk) sealUntil(seals *sealing.Service, entries int) {
	d.tb.Helper()
	for begin := time.Now(); d.count(`SELECT coalesce(max(size), 0) FROM checkpoints`) < entries; {
		_, err := seals.Seal(d.tb.Context())
		d.must(err)
		if time.Since(begin) > 30*time.Second {
			d.tb.Fatal("not sealed after 30 s")
		}
	}
}

// TestWitnessed: what a witness asks for proves that the trail only grew.
func TestWitnessed(t *testing.T) {
	t.Parallel()
	d, seals, keys := sealedDesk(t)
	there := d.Branch(t)
	p := d.program([]apikeys.Scope{apikeys.ScopeAuditRead}, there.Store) // hashes tell nothing of another store
	d.Request(d.Sale(100))
	d.sealUntil(seals, d.count(`SELECT count(*) FROM audit_entries`))
	first := into[shapes.Checkpoint](p.get("/api/v1/audit/checkpoint").want(200))
	before, err := trailfile.Open(first.Note, keys.Verifiers())
	d.must(err)
	d.Request(d.Sale(200))
	d.sealUntil(seals, d.count(`SELECT count(*) FROM audit_entries`))
	after, err := trailfile.Open(into[shapes.Checkpoint](p.get("/api/v1/audit/checkpoint").want(200)).Note, keys.Verifiers())
	d.must(err)
	got := into[shapes.Consistency](p.get(fmt.Sprintf("/api/v1/audit/consistency?from=%d&to=%d", before.Size, after.Size)).want(200))
	var proof tlog.TreeProof
	for _, text := range got.Proof {
		h, err := tlog.ParseHash(text)
		d.must(err)
		proof = append(proof, h)
	}
	if err := tlog.CheckTree(proof, after.Size, after.Root, before.Size, before.Root); err != nil || after.Size <= before.Size {
		t.Errorf("from %d to %d: %v", before.Size, after.Size, err)
	}
	if same := into[shapes.Consistency](p.get(fmt.Sprintf("/api/v1/audit/consistency?from=%d", after.Size)).want(200)); same.To < after.Size {
		t.Errorf("without to: %+v", same)
	}
	for query, want := range map[string]string{
		"": "query.from:api.consistency.number", "?from=0": "query.from:api.consistency.number",
		"?from=-1":             "query.from:api.consistency.number",
		"?from=x&to=0":         "query.to:api.consistency.number query.from:api.consistency.number",
		"?from=1&to=999999999": "query.to:api.consistency.beyond",
		"?from=2&to=1":         "query.from:api.consistency.order", "?from=99999999999999999999": "query.from:api.consistency.number",
		"?from=1&size=2": "query.size:api.query.unknown",
	} {
		if got := p.get("/api/v1/audit/consistency"+query).problem(
			http.StatusUnprocessableEntity, "validation",
		); places(got.Errors) != want {
			t.Errorf("%q: %s, want %s", query, places(got.Errors), want)
		}
	}
}

// TestProofOfAnEntry: the file verifies with the key; another store's is hidden, and
// the attempt is recorded.
func TestProofOfAnEntry(t *testing.T) {
	t.Parallel()
	d, seals, keys := sealedDesk(t)
	d.Request(d.Sale(100))
	id := d.count(`SELECT id FROM audit_entries WHERE action = 'cancellation.requested'`)
	p := d.program([]apikeys.Scope{apikeys.ScopeAuditRead}, d.Store)
	p.get(fmt.Sprintf("/api/v1/audit/entries/%d/proof", id)) // perhaps not sealed yet; held against the document
	d.sealUntil(seals, d.count(`SELECT count(*) FROM audit_entries`))
	file := p.get(fmt.Sprintf("/api/v1/audit/entries/%d/proof", id)).want(200)
	if _, v := trailfile.VerifyProof(bytes.NewReader(file.body), trailfile.Check{Keys: keys.Verifiers()}); v.State != trailfile.Intact {
		t.Errorf("%+v\n%s", v, file.body)
	}
	other := d.program([]apikeys.Scope{apikeys.ScopeAuditRead}, d.Branch(t).Store)
	refusals := d.count(`SELECT count(*) FROM audit_entries WHERE action = 'api.refused'`)
	other.get(fmt.Sprintf("/api/v1/audit/entries/%d/proof", id)).problem(http.StatusNotFound, "not-found")
	if got := d.count(`SELECT count(*) FROM audit_entries WHERE action = 'api.refused'`) - refusals; got != 1 {
		t.Errorf("the look at another store's entry left %d entries, want 1", got)
	}
	for _, id := range []string{"0", "999999999", "x", "99999999999999999999"} {
		p.get("/api/v1/audit/entries/"+id+"/proof").problem(http.StatusNotFound, "not-found")
	}
}

// TestAWitnessSeesNoEntry: audit:checkpoint opens checkpoints and consistency alone, which
// audit:read opens as before.
func TestAWitnessSeesNoEntry(t *testing.T) {
	t.Parallel()
	d, seals, _ := sealedDesk(t)
	d.Request(d.Sale(100))
	d.sealUntil(seals, 1)
	for _, scope := range []apikeys.Scope{apikeys.ScopeAuditCheckpoint, apikeys.ScopeAuditRead} {
		p := d.program([]apikeys.Scope{scope})
		p.get("/api/v1/audit/checkpoint").want(200)
		p.get("/api/v1/audit/consistency?from=1").want(200)
	}
	witness := d.program([]apikeys.Scope{apikeys.ScopeAuditCheckpoint})
	witness.get("/api/v1/audit/entries/1/proof").problem403(t, "audit:read")
	witness.get("/api/v1/audit").problem403(t, "audit:follow")
	d.program([]apikeys.Scope{apikeys.ScopeSalesRead}).get("/api/v1/audit/consistency?from=1").problem403(t, "audit:checkpoint")
}
