package modelstest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"veinte/models"
	"veinte/models/audit/sealing"
	"veinte/models/audit/trailfile"
	"veinte/models/audit/verify"
	"veinte/models/database"
	"veinte/models/localpg"
	"veinte/models/wiring"
)

// sealing is a trail that is sealed.
type SealedTrail struct {
	TB    testing.TB
	Owner *sql.DB
	URL   string // of the application
	DSN   string // of the owner
	Keys  *trailfile.Keys
	Dir   string
	Seals *sealing.Service
}

func NewKeys(tb testing.TB, more ...string) (*trailfile.Keys, string) {
	tb.Helper()
	private, _, err := trailfile.GenerateKey("tienda.example/bitacora")
	if err != nil {
		tb.Fatal(err)
	}
	text := strings.Join(append([]string{private}, more...), "\n")
	keys, err := trailfile.ParseKeys(text)
	if err != nil {
		tb.Fatal(err)
	}
	return keys, text
}

func NewSealedTrail(tb testing.TB) *SealedTrail {
	tb.Helper()
	app, owner := URLs(tb)
	db, err := sql.Open("pgx", owner)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	s := &SealedTrail{TB: tb, Owner: db, URL: app, DSN: owner, Dir: filepath.Join(tb.TempDir(), "checkpoints")}
	s.Keys, _ = NewKeys(tb)
	s.Seals = s.Process(s.Dir)
	return s
}

// Process is another process that seals the trail.
func (s *SealedTrail) Process(dir string) *sealing.Service {
	s.TB.Helper()
	return sealing.New(sealing.Config{
		DB: Open(s.TB, s.URL), Clock: models.ShiftedClock(0), Signers: s.Keys.Signers(), Dir: dir,
	})
}

// Write adds entries in one transaction.
func (s *SealedTrail) Write(n int) {
	s.TB.Helper()
	Exec(s.TB, s.Owner, `INSERT INTO audit_entries (at, actor_name, actor_role, action, outcome, canonical)
		SELECT now(), 'x', 'system', 'test.done', 'success', convert_to(gen_random_uuid()::text, 'UTF8') FROM generate_series(1, $1)`, n)
}

// All seals until everything is sealed. Other tests' transactions delay it for as
// long as they run.
func (s *SealedTrail) All() {
	s.TB.Helper()
	entries := Count(s.TB, s.Owner, `SELECT count(*) FROM audit_entries`)
	WaitFor(s.TB, fmt.Sprintf("%d entries to be sealed", entries), func() bool {
		if _, err := s.Seals.Seal(s.TB.Context()); err != nil {
			s.TB.Fatalf("Seal: %v", err)
		}
		return Count(s.TB, s.Owner, `SELECT coalesce(max(size), 0) FROM checkpoints`) >= entries
	})
}

// Check computes the tree from the entries themselves and compares everything in the
// database and the directory with it.
func (s *SealedTrail) Check() {
	s.TB.Helper()
	rows, err := s.Owner.Query(`SELECT e.id, e.era, e.txid::text::bigint, e.canonical, s.n, s.hash FROM audit_entries e JOIN sealed_entries s ON s.entry_id = e.id AND s.at = e.at
		ORDER BY e.era, e.txid, e.id`)
	if err != nil {
		s.TB.Fatal(err)
	}
	defer rows.Close()
	var stored []tlog.Hash
	tree := tlog.HashReaderFunc(func(at []int64) ([]tlog.Hash, error) {
		hashes := make([]tlog.Hash, len(at))
		for i, x := range at {
			hashes[i] = stored[x]
		}
		return hashes, nil
	})
	size := int64(0)
	for ; rows.Next(); size++ {
		var leaf trailfile.Leaf
		var n int64
		var hash []byte
		if err := rows.Scan(&leaf.ID, &leaf.Era, &leaf.TxID, &leaf.Canonical, &n, &hash); err != nil {
			s.TB.Fatal(err)
		}
		if n != size || tlog.Hash(hash) != leaf.Hash() {
			s.TB.Fatalf("entry %d is leaf %d, want %d; its hash fits: %t", leaf.ID, n, size, tlog.Hash(hash) == leaf.Hash())
		}
		more, err := tlog.StoredHashes(n, leaf.Bytes(), tree)
		if err != nil {
			s.TB.Fatal(err)
		}
		stored = append(stored, more...)
	}
	if sealed := Count(s.TB, s.Owner, `SELECT count(*) FROM sealed_entries`); int64(sealed) != size {
		s.TB.Errorf("%d leaves of %d entries", sealed, size)
	}
	s.checkHashes(stored)
	points, err := s.Owner.Query(`SELECT size, root, note FROM checkpoints ORDER BY size`)
	if err != nil {
		s.TB.Fatal(err)
	}
	defer points.Close()
	last := int64(0)
	for points.Next() {
		var root []byte
		var note string
		if err := points.Scan(&last, &root, &note); err != nil {
			s.TB.Fatal(err)
		}
		c, err := trailfile.Open(note, s.Keys.Verifiers())
		want, treeErr := tlog.TreeHash(last, tree)
		if err != nil || treeErr != nil || c.Root != want || tlog.Hash(root) != want || c.Size != last {
			s.TB.Errorf("checkpoint %d: note %+v, %v, root %x, want %s, %v", last, c, err, root, want, treeErr)
		}
	}
	if last != size {
		s.TB.Errorf("the last checkpoint has %d entries, want %d", last, size)
	}
}

// checkHashes compares the hashes of the tables with the whole tree.
func (s *SealedTrail) checkHashes(stored []tlog.Hash) {
	s.TB.Helper()
	all := make([]int64, len(stored))
	for i := range all {
		all[i] = int64(i)
	}
	got, err := wiring.Over(Open(s.TB, s.URL)).Sealing.SealedHashes(s.TB.Context()).ReadHashes(all)
	if err != nil {
		s.TB.Fatal(err)
	}
	for i, h := range got {
		if h != stored[i] {
			level, n := tlog.SplitStoredHashIndex(int64(i))
			s.TB.Fatalf("hash %d of level %d is not what tlog computes", n, level)
		}
	}
}

// Notes are the checkpoints in a directory, verified.
func (s *SealedTrail) Notes(dir string) []trailfile.Checkpoint {
	s.TB.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "checkpoints-*.txt"))
	if err != nil {
		s.TB.Fatal(err)
	}
	var all []trailfile.Checkpoint
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			s.TB.Fatal(err)
		}
		parts := strings.Split(strings.TrimSuffix(string(text), "\n\n"), "\n\n")
		for i := 0; i+1 < len(parts); i += 2 {
			c, err := trailfile.Open(parts[i]+"\n\n"+parts[i+1]+"\n", s.Keys.Verifiers())
			if err != nil {
				s.TB.Fatalf("%s: %v", file, err)
			}
			all = append(all, c)
		}
	}
	return all
}

// postgresTool runs a program of PostgreSQL.
func postgresTool(tb testing.TB, name string, args ...string) {
	tb.Helper()
	bin, err := localpg.FindBinaries()
	if err != nil {
		tb.Fatal(err)
	}
	if out, err := osexec.Command(filepath.Join(bin.Dir, name), args...).CombinedOutput(); err != nil {
		tb.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// Restored is the sealing of a dump in a cluster of its own.
func (s *SealedTrail) Restored(dump string) *SealedTrail {
	s.TB.Helper()
	pg, err := localpg.StartTemporary(s.TB.Context())
	if err != nil {
		s.TB.Fatal(err)
	}
	s.TB.Cleanup(func() { _ = pg.Stop(context.Background()) })
	admin, err := sql.Open("pgx", pg.DSN("postgres", "postgres"))
	if err != nil {
		s.TB.Fatal(err)
	}
	defer admin.Close()
	Exec(s.TB, admin, "CREATE ROLE "+AppRole+" LOGIN")
	Exec(s.TB, admin, "CREATE DATABASE veinte")
	postgresTool(s.TB, "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", dump, pg.DSN("veinte", "postgres"))
	owner, err := sql.Open("pgx", pg.DSN("veinte", "postgres"))
	if err != nil {
		s.TB.Fatal(err)
	}
	s.TB.Cleanup(func() { _ = owner.Close() })
	there := &SealedTrail{TB: s.TB, Owner: owner, URL: pg.DSN("veinte", AppRole), DSN: pg.DSN("veinte", "postgres"), Keys: s.Keys, Dir: s.Dir}
	there.Seals = there.Process(s.Dir)
	return there
}

func (s *SealedTrail) Dump() string {
	s.TB.Helper()
	file := filepath.Join(s.TB.TempDir(), "dump.sql")
	postgresTool(s.TB, "pg_dump", "-f", file, s.DSN)
	return file
}

// ToldBy is the trouble that a process shows to those who oversee.
func (s *SealedTrail) ToldBy(p *sealing.Service, ahead time.Duration) *sealing.Trouble {
	s.TB.Helper()
	db := Open(s.TB, s.URL)
	o := wiring.New(wiring.Config{DB: db, Clock: models.ShiftedClock(ahead), Seals: p})
	// Notices take no longer than two seconds; a first connection may, on a busy machine.
	_, err := p.Status(s.TB.Context())
	if err = errors.Join(err, db.Ready(s.TB.Context())); err != nil {
		s.TB.Fatalf("the database: %v", err)
	}
	return o.Operations.Notices(s.TB.Context()).Sealing
}

func (s *SealedTrail) SealedOf(p *sealing.Service) int {
	s.TB.Helper()
	n, err := p.Seal(s.TB.Context())
	if err != nil {
		s.TB.Fatalf("Seal: %v", err)
	}
	return n
}

// AsSuperuser does what no role of the product may: it turns the guards off.
func (s *SealedTrail) AsSuperuser(statements ...string) {
	s.TB.Helper()
	tables := []string{"audit_entries", "sealed_entries", "sealed_nodes", "checkpoints"}
	var all []string
	for _, t := range tables {
		all = append(all, "ALTER TABLE "+t+" DISABLE TRIGGER USER")
	}
	for _, statement := range append(all, statements...) {
		Exec(s.TB, s.Owner, statement)
	}
}

// Cut deletes everything from leaf n on, and the checkpoints over it.
func (s *SealedTrail) Cut(n int) {
	s.TB.Helper()
	s.AsSuperuser(
		`DELETE FROM audit_entries e USING sealed_entries s WHERE s.entry_id = e.id AND s.n >= `+strconv.Itoa(n),
		`DELETE FROM sealed_entries WHERE n >= `+strconv.Itoa(n),
		`DELETE FROM sealed_nodes WHERE (n+1) << (8*level) > `+strconv.Itoa(n),
		`DELETE FROM checkpoints WHERE size > `+strconv.Itoa(n))
}

func (s *SealedTrail) Refused(p *sealing.Service, code string) {
	s.TB.Helper()
	sealed := Count(s.TB, s.Owner, `SELECT coalesce(max(size), 0) FROM checkpoints`)
	WaitFor(s.TB, "sealing to be refused", func() bool { // it cannot be tried while a transaction of another test runs
		_, err := p.Seal(s.TB.Context())
		return err != nil
	})
	for range 2 {
		_, err := p.Seal(s.TB.Context())
		var trouble *sealing.Trouble
		if !errors.As(err, &trouble) || trouble.Code != code {
			s.TB.Fatalf("Seal = %v, want %s", err, code)
		}
	}
	if t := p.Trouble(); t == nil || t.Code != code {
		s.TB.Errorf("Trouble = %v, want %s", t, code)
	}
	Wants(s.TB, "entries sealed over a contradiction", Count(s.TB, s.Owner, `SELECT coalesce(max(size), 0) FROM checkpoints`)-sealed, 0)
}

// Resumes waits until nothing prevents the process from sealing: it cannot be tried
// while a transaction of another test runs.
func (s *SealedTrail) Resumes() {
	s.TB.Helper()
	WaitFor(s.TB, "sealing to be resumed", func() bool {
		_, err := s.Seals.Seal(s.TB.Context())
		return err == nil
	})
}

func (s *SealedTrail) Told(action models.Action) int {
	return Count(s.TB, s.Owner, `SELECT count(*) FROM audit_entries WHERE action = $1`, string(action))
}

// archiving is a trail of 300 entries of the month before, with the file and the
// claim of its archiving.
type archiving struct {
	*SealedTrail
	Month time.Time
	File  []byte
	Claim verify.ArchivedMonth
}

func NewArchiving(t *testing.T) *archiving {
	t.Helper()
	now := time.Now().UTC()
	a := &archiving{SealedTrail: NewSealedTrail(t), Month: time.Date(now.Year(), now.Month()-1, 1, 0, 0, 0, 0, time.UTC)}
	Exec(t, a.Owner, `SELECT trail.make_month($1)`, a.Month)
	before := strings.Replace(WholeEntries, "now() AS at", fmt.Sprintf("'%s'::timestamptz + interval '3 days' AS at", a.Month.Format(time.RFC3339)), 1)
	Exec(t, a.Owner, before, 1, 300)
	a.All()
	a.File = a.taken(t)
	sum, whole := sha256.New(), sha256.Sum256(a.File)
	trailfile.Verify(bytes.NewReader(a.File), trailfile.Check{Keys: a.Keys.Verifiers(), Entry: func(n int64, h tlog.Hash) { fmt.Fprintf(sum, "%d %s\n", n, h) }})
	a.Claim = verify.ArchivedMonth{
		Month: a.Month.Format("2006-01"), From: 0, To: 300, Entries: 300, SHA256: hex.EncodeToString(whole[:]), Leaves: hex.EncodeToString(sum.Sum(nil)),
	}
	return a
}

// taken is a file of all entries.
func (a *archiving) taken(t *testing.T) []byte {
	t.Helper()
	rows, err := a.Owner.Query(`SELECT e.id, e.era, e.txid::text::bigint, e.canonical FROM audit_entries e JOIN sealed_entries s ON s.entry_id = e.id ORDER BY s.n`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var b bytes.Buffer
	w := trailfile.NewWriter(&b)
	if err := w.Begin(trailfile.Header{Origin: a.Keys.Origin(), Complete: true, Checkpoint: a.Checkpoint()}); err != nil {
		t.Fatal(err)
	}
	amount, n := int64(0), int64(0)
	for ; rows.Next(); n++ {
		var l trailfile.Leaf
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
	return strings.NewReplacer("cancellation.moved", "audit.archived", `{"state":"sending","parts":[1,{"b":2,"a":"ñ\u003c"}],"n":null}`, string(after)).Replace(WholeEntries)
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

// Unguarded lets the database's superuser do what triggers prevent.
func (s *SealedTrail) Unguarded() {
	s.TB.Helper()
	Exec(s.TB, s.Owner, `DO $$ DECLARE t regclass; BEGIN
		FOR t IN SELECT tgrelid FROM pg_trigger WHERE NOT tgisinternal AND tgfoid = 'public.refuse_change'::regproc LOOP
			EXECUTE format('ALTER TABLE %s DISABLE TRIGGER USER', t);
		END LOOP; END $$`)
}

// Rebuild seals everything again, consistently, with the given keys.
func (s *SealedTrail) Rebuild() {
	s.TB.Helper()
	Exec(s.TB, s.Owner, `TRUNCATE sealed_entries, sealed_nodes, checkpoints`)
	s.Dir = s.TB.TempDir()
	s.Seals = s.Process(s.Dir)
	s.All()
}

// IdOf is the entry that is leaf n.
func (s *SealedTrail) IdOf(n int) int64 {
	s.TB.Helper()
	return int64(Count(s.TB, s.Owner, `SELECT entry_id FROM sealed_entries WHERE n = $1`, n))
}

// CutTo300 cuts the trail back to its first 300 entries.
func (s *SealedTrail) CutTo300() {
	s.TB.Helper()
	Exec(s.TB, s.Owner, `DELETE FROM audit_entries WHERE id IN (SELECT entry_id FROM sealed_entries WHERE n >= 300);
		DELETE FROM sealed_entries WHERE n >= 300;
		DELETE FROM sealed_nodes WHERE (n + 1) << (8 * level) > 300;
		DELETE FROM checkpoints WHERE size > 300`)
}

// Columns are the columns of a table, with their types.
func (s *SealedTrail) Columns(table string) (columns []string) {
	s.TB.Helper()
	rows, err := s.Owner.Query(`SELECT attname || ' ' || format_type(atttypid, NULL) FROM pg_attribute
		WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum`, table)
	if err != nil {
		s.TB.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var c string
		if err := rows.Scan(&c); err != nil {
			s.TB.Fatal(err)
		}
		columns = append(columns, c)
	}
	return columns
}

// WholeEntries adds entries in which no column is empty, and whose bytes agree with
// their columns.
const WholeEntries = `INSERT INTO audit_entries (at, actor_id, actor_name, actor_role, on_behalf_of, action, outcome, store_id, store_name,
		serial_number, sale_id, order_id, cancellation_id, attempt_number, amount, before, after, reason, address, user_agent, request_id, canonical)
	SELECT at, 7, name, 'manager', 'Luis', 'cancellation.moved', 'success', 3, 'Roma Norte', '1490000001', n, 'V-' || n, n + 9, 2, 125000 + n,
		before, after, 'cliente', '192.0.2.7', 'Mozilla/5.0', 'r-' || n,
		convert_to(format('{"v":2,"nonce":%s,"at":%s,"actorId":7,"actor":%s,"role":"manager","onBehalfOf":"Luis","action":"cancellation.moved","outcome":"success","storeId":3,"store":"Roma Norte","serialNumber":"1490000001","saleId":%s,"orderId":"V-%s","cancellationId":%s,"attempt":2,"amountCentavos":%s,"before":%s,"after":%s,"reason":"cliente","address":"192.0.2.7","userAgent":"Mozilla/5.0","requestId":"r-%s"}',
			to_json(gen_random_uuid()::text), to_json(to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')), to_json(name),
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
		return Scan[bool](s.TB, s.Owner, `SELECT pg_snapshot_xmin(pg_current_snapshot()) > (SELECT txid FROM audit_entries ORDER BY era DESC, txid DESC LIMIT 1)`)
	})
	s.All()
}

func (s *SealedTrail) DB() *database.DB { return Open(s.TB, s.URL) }

// Verify verifies with the public key and checkpoints that were stored outside.
func (s *SealedTrail) Verify(outside ...string) *verify.Verdict {
	s.TB.Helper()
	v, err := wiring.Over(s.DB()).Verify.VerifyTrail(s.TB.Context(), verify.TrailCheck{Keys: s.Keys.Verifiers(), Checkpoints: outside})
	if err != nil {
		s.TB.Fatal(err)
	}
	return v
}

func (s *SealedTrail) Checkpoint() string {
	s.TB.Helper()
	c, err := wiring.Over(s.DB()).Sealing.LatestCheckpoint(s.TB.Context())
	if err != nil || c == nil {
		s.TB.Fatalf("LatestCheckpoint = %v, %v", c, err)
	}
	return c.Note
}
