package modelstest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"veinte/models/audit/trailfile"
	"veinte/models/audit/verify"
	"veinte/models/wiring"
)

// archiving is a trail of 300 entries of the month before, with the file and the
// claim of its archiving.
type archiving struct {
	*SealedTrail
	Month time.Time
	File  []byte
	Claim verify.ArchivedMonth
}

// NewArchiving makes one, perhaps with further entries behind the 300: the statement of each,
// for when the month began.
func NewArchiving(t *testing.T, more ...func(at string) string) *archiving {
	t.Helper()
	now := time.Now().UTC()
	a := &archiving{SealedTrail: NewSealedTrail(t), Month: time.Date(now.Year(), now.Month()-1, 1, 0, 0, 0, 0, time.UTC)}
	Exec(t, a.Owner, `SELECT trail.make_month($1)`, a.Month)
	at := fmt.Sprintf("'%s'::timestamptz + interval '3 days' AS at", a.Month.Format(time.RFC3339))
	before := strings.Replace(WholeEntries, "now() AS at", at, 1)
	Exec(t, a.Owner, before, 1, 300)
	for _, entry := range more {
		Exec(t, a.Owner, entry(a.Month.Format(time.RFC3339)), 1000, 1000)
	}
	a.All()
	n := int64(300 + len(more))
	a.File = a.taken(t)
	sum, whole := sha256.New(), sha256.Sum256(a.File)
	trailfile.Verify(bytes.NewReader(a.File), trailfile.Check{
		Keys:  a.Keys.Verifiers(),
		Entry: func(n int64, h tlog.Hash) { fmt.Fprintf(sum, "%d %s\n", n, h) },
	})
	a.Claim = verify.ArchivedMonth{
		Month: a.Month.Format("2006-01"), From: 0, To: n, Entries: n,
		SHA256: hex.EncodeToString(whole[:]), Leaves: hex.EncodeToString(sum.Sum(nil)),
	}
	return a
}

// taken is a file of all entries.
func (a *archiving) taken(t *testing.T) []byte {
	t.Helper()
	rows, err := a.Owner.Query(`SELECT e.id, e.era, e.txid::text::bigint, e.canonical
		FROM audit_entries e JOIN sealed_entries s ON s.entry_id = e.id ORDER BY s.n`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var b bytes.Buffer
	w := trailfile.NewWriter(&b)
	if err := w.Begin(trailfile.Header{Origin: a.Keys.Origin(), Complete: true, Checkpoint: a.Checkpoint()}); err != nil {
		t.Fatal(err)
	}
	for n := int64(0); rows.Next(); n++ {
		var l trailfile.Leaf
		if err := rows.Scan(&l.ID, &l.Era, &l.TxID, &l.Canonical); err != nil {
			t.Fatal(err)
		}
		if err := w.Entry(n, l, l.Hash()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Say writes the claim as the trail's owner does, and seals it with others.
func (a *archiving) Say(claim verify.ArchivedMonth) {
	a.TB.Helper()
	Exec(a.TB, a.Owner, ArchivedEntry(a.TB, claim), 301, 301)
	a.Whole(302, 400)
	a.Unguarded()
}

// ArchivedEntry adds entries which state that a month was archived.
func ArchivedEntry(tb testing.TB, claim verify.ArchivedMonth) string {
	tb.Helper()
	after, err := json.Marshal(claim)
	if err != nil {
		tb.Fatal(err)
	}
	const written = `{"state":"sending","parts":[1,{"b":2,"a":"ñ\u003c"}],"n":null}`
	return strings.NewReplacer("cancellation.moved", "audit.archived", written, string(after)).Replace(WholeEntries)
}

func (a *archiving) Drop() {
	a.TB.Helper()
	Exec(a.TB, a.Owner, `DROP TABLE trail.`+a.Month.Format("audit_entries_2006_01"))
}

func (a *archiving) With(files ...string) *verify.Verdict {
	a.TB.Helper()
	check := verify.TrailCheck{Keys: a.Keys.Verifiers(), Checkpoints: []string{a.Checkpoint()}}
	for _, f := range files {
		check.Archives = append(check.Archives, strings.NewReader(f))
	}
	v, err := wiring.Over(a.DB()).Verify.VerifyTrail(a.TB.Context(), check)
	if err != nil {
		a.TB.Fatal(err)
	}
	return v
}

// WholeEntries adds entries in which no column is empty, and whose bytes agree with
// their columns.
const WholeEntries = `INSERT INTO audit_entries (at, actor_id, actor_name, actor_role, on_behalf_of, action, outcome, store_id, store_name,
		serial_number, sale_id, order_id, cancellation_id, attempt_number, amount, before, after,
		reason, address, user_agent, request_id, canonical)
	SELECT at, 7, name, 'manager', 'Luis', 'cancellation.moved', 'success', 3, 'Roma Norte', '1490000001', n, 'V-' || n, n + 9, 2, 125000 + n,
		before, after, 'cliente', '192.0.2.7', 'Mozilla/5.0', 'r-' || n,
		convert_to(format('{"v":2,"nonce":%s,"at":%s,"actorId":7,"actor":%s,"role":"manager","onBehalfOf":"Luis",'
				'"action":"cancellation.moved","outcome":"success","storeId":3,"store":"Roma Norte","serialNumber":"1490000001",'
				'"saleId":%s,"orderId":"V-%s","cancellationId":%s,"attempt":2,"amountCentavos":%s,"before":%s,"after":%s,'
				'"reason":"cliente","address":"192.0.2.7","userAgent":"Mozilla/5.0","requestId":"r-%s"}',
			to_json(rtrim(translate(encode(uuid_send(gen_random_uuid()), 'base64'), '+/', '-_'), '=')),
			to_json(to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')), to_json(name),
			n, n, n + 9, 125000 + n, before, after, n), 'UTF8')
	FROM (SELECT n, now() AS at, 'Ana "la jefa" Pérez' AS name, '{"state":"requested","n":1e2}'::json AS before,
			'{"state":"sending","parts":[1,{"b":2,"a":"ñ\u003c"}],"n":null}'::json AS after FROM generate_series($1::bigint, $2) n) e`

// Whole adds entries, some to a transaction, and seals them under one checkpoint,
// once no transaction of another test can split them.
func (s *SealedTrail) Whole(from, to int) {
	s.TB.Helper()
	for ; from <= to; from += 50 {
		Exec(s.TB, s.Owner, WholeEntries, from, min(from+49, to))
	}
	WaitFor(s.TB, "older transactions of other tests to end", func() bool {
		return Scan[bool](s.TB, s.Owner, `SELECT pg_snapshot_xmin(pg_current_snapshot()) >
			(SELECT txid FROM audit_entries ORDER BY era DESC, txid DESC LIMIT 1)`)
	})
	s.All()
}
