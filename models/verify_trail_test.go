package models_test

import (
	"fmt"
	"strings"
	"testing"

	"veinte/models/audit/sealing"
	"veinte/models/audit/verify"
	"veinte/models/database"
	"veinte/models/modelstest"
)

// wholeEntries adds entries in which no column is empty, and that say in their
// bytes what they say in their columns.
const wholeEntries = `INSERT INTO audit_entries (at, actor_id, actor_name, actor_role, on_behalf_of, action, outcome, store_id, store_name,
		serial_number, sale_id, order_id, cancellation_id, attempt_number, amount, before, after, reason, address, user_agent, request_id, canonical)
	SELECT at, 7, name, 'manager', 'Luis', 'cancellation.moved', 'success', 3, 'Roma Norte', '1490000001', n, 'V-' || n, n + 9, 2, 125000 + n,
		before, after, 'cliente', '192.0.2.7', 'Mozilla/5.0', 'r-' || n,
		convert_to(format('{"v":2,"nonce":%s,"at":%s,"actorId":7,"actor":%s,"role":"manager","onBehalfOf":"Luis","action":"cancellation.moved","outcome":"success","storeId":3,"store":"Roma Norte","serialNumber":"1490000001","saleId":%s,"orderId":"V-%s","cancellationId":%s,"attempt":2,"amountCentavos":%s,"before":%s,"after":%s,"reason":"cliente","address":"192.0.2.7","userAgent":"Mozilla/5.0","requestId":"r-%s"}',
			to_json(gen_random_uuid()::text), to_json(to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')), to_json(name),
			n, n, n + 9, 125000 + n, before, after, n), 'UTF8')
	FROM (SELECT n, now() AS at, 'Ana "la jefa" Pérez' AS name, '{"state":"requested","n":1e2}'::json AS before,
			'{"state":"sending","parts":[1,{"b":2,"a":"ñ\u003c"}],"n":null}'::json AS after FROM generate_series($1::bigint, $2) n) e`

// whole adds entries, some to a transaction, and seals them under one checkpoint:
// not before no transaction of another test cuts them in two.
func (s *sealing) whole(from, to int) {
	s.tb.Helper()
	for ; from <= to; from += 50 {
		exec(s.tb, s.owner, wholeEntries, from, min(from+49, to))
	}
	waitFor(s.tb, "older transactions of other tests to end", func() bool {
		return scan[bool](s.tb, s.owner, `SELECT pg_snapshot_xmin(pg_current_snapshot()) > (SELECT txid FROM audit_entries ORDER BY era DESC, txid DESC LIMIT 1)`)
	})
	s.all()
}

func (s *sealing) db() *database.DB { return modelstest.Open(s.tb, s.url) }

// verify verifies with the public key and a checkpoint that was kept outside.
func (s *sealing) verify(outside ...string) *verify.Verdict {
	s.tb.Helper()
	v, err := verify.New(s.db()).VerifyTrail(s.tb.Context(), verify.TrailCheck{Keys: s.keys.Verifiers(), Checkpoints: outside})
	if err != nil {
		s.tb.Fatal(err)
	}
	return v
}

func (s *sealing) checkpoint() string {
	s.tb.Helper()
	c, err := sealing.New(s.db()).LatestCheckpoint(s.tb.Context())
	if err != nil || c == nil {
		s.tb.Fatalf("LatestCheckpoint = %v, %v", c, err)
	}
	return c.Note
}

func findingsOf(v *verify.Verdict) string {
	var b strings.Builder
	for _, f := range v.Findings {
		fmt.Fprintf(&b, "%s entry %d leaf %d: %s\n", f.Code, f.EntryID, f.N, f.Detail)
	}
	return b.String()
}

func TestAnIntactTrailIsIntact(t *testing.T) {
	t.Parallel()
	s := newSealing(t)
	s.whole(1, 300)
	kept := s.checkpoint()
	s.whole(301, 700)
	exec(t, s.owner, wholeEntries, 701, 705)
	v := s.verify(kept)
	if v.State != verify.Intact || v.Checked != 705 || v.Size != 700 || v.Unsealed != 5 || v.Outside != 1 {
		t.Errorf("VerifyTrail = %+v\n%s", v, findingsOf(v))
	}
}

// TestNothingSealedIsUndecided: nothing vouches for a trail that was never sealed.
func TestNothingSealedIsUndecided(t *testing.T) {
	t.Parallel()
	s := newSealing(t)
	exec(t, s.owner, wholeEntries, 1, 3)
	if v := s.verify(); v.State != verify.Undecided || v.First == nil || v.First.Code != verify.FindNothingSealed || v.Unsealed != 3 {
		t.Errorf("VerifyTrail = %+v\n%s", v, findingsOf(v))
	}
}

// TestACheckpointOfNoKnownKeyIsUndecided: what was given says nothing, and the
// trail is not called intact by it.
func TestACheckpointOfNoKnownKeyIsUndecided(t *testing.T) {
	t.Parallel()
	s, foreign := newSealing(t), newSealing(t)
	s.whole(1, 10)
	foreign.whole(1, 10)
	for want, note := range map[string]string{verify.FindUnknownKey: foreign.checkpoint(), verify.FindNotCheckpoint: "x"} {
		if v := s.verify(s.checkpoint(), note); v.State != verify.Undecided || v.First == nil || v.First.Code != want {
			t.Errorf("VerifyTrail = %s, first %+v, want %s", v.State, v.First, want)
		}
	}
}
