package verify

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/tlog"

	"veinte/models/audit/trailfile"
	"veinte/models/database"
)

// entryRun verifies entries, piece by piece, on one connection.
type entryRun struct {
	*trailRun
	leaves  []leafRow
	i       int // the next one of leaves
	order   []leafPosition
	moves   []toldMove // of the piece
	nonces  []uint64   // as shortNonce gives them
	bytes   []byte
	fields  fieldCheck
	checked int64
	waiting int64
	absent  map[string]int64 // leaves of archived months, by month
	before  int64            // the number of the row before
}

// leafRow is a sealed row.
type leafRow struct {
	n, id int64
	at    int64 // microseconds since 2000, as PostgreSQL counts
	hash  tlog.Hash
}

// entryRow is a row of the trail. Its bytes belong to the connection and are valid
// until the next row.
type entryRow struct {
	id, at    int64
	era       int32
	txid      uint64
	canonical []byte
	columns   [][]byte // as canonicalColumns lists them
}

func (w *entryRun) work(ctx context.Context, tx pgx.Tx, pieces <-chan idRange) error {
	for p := range pieces {
		if err := w.piece(ctx, tx, p); err != nil {
			return err
		}
		w.progress(int64(len(w.leaves)))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.v.Checked += w.checked
	w.v.Unsealed += w.waiting
	for month, absent := range w.absent {
		w.archived[month].absent += absent
		w.v.Archived += absent
	}
	w.trailRun.nonces = append(w.trailRun.nonces, w.nonces)
	return nil
}

// piece merges sealed rows and entries by their numbers. What is on one side only is
// a finding, or waits for the sealer, or is archived.
func (w *entryRun) piece(ctx context.Context, tx pgx.Tx, p idRange) error {
	if err := w.readLeaves(ctx, tx, p); err != nil {
		return err
	}
	w.i, w.order, w.moves = 0, w.order[:0], nil
	rows, err := tx.Query(ctx, readEntries, pgx.QueryResultFormats{pgx.BinaryFormatCode}, p.from, p.to)
	if err != nil {
		return err
	}
	defer rows.Close()
	var e entryRow
	for rows.Next() {
		if err := e.scan(rows.RawValues()); err != nil {
			return err
		}
		w.entry(&e)
	}
	for ; w.i < len(w.leaves); w.i++ {
		w.missing(&w.leaves[w.i])
	}
	w.judgeOrder()
	if err := rows.Err(); err != nil {
		return err
	}
	w.judgeMoves(p.index, w.moves)
	return nil
}

var readEntries = `SELECT id, era, txid, canonical, ` + strings.Join(canonicalColumnNames(), ", ") + `
	FROM audit_entries WHERE id BETWEEN $1 AND $2 ORDER BY id, at`

func (e *entryRow) scan(raw [][]byte) error {
	if len(raw) != 4+len(canonicalColumns) || len(raw[0]) != 8 || len(raw[1]) != 4 || len(raw[2]) != 8 || len(raw[4]) != 8 {
		return fmt.Errorf("the columns of the trail are not as they are known here")
	}
	e.id = int64(binary.BigEndian.Uint64(raw[0]))
	e.era = int32(binary.BigEndian.Uint32(raw[1]))
	e.txid = binary.BigEndian.Uint64(raw[2])
	e.canonical, e.columns = raw[3], raw[4:]
	e.at = int64(binary.BigEndian.Uint64(raw[4]))
	return nil
}

func (w *entryRun) readLeaves(ctx context.Context, tx pgx.Tx, p idRange) error {
	w.leaves = w.leaves[:0]
	rows, err := tx.Query(ctx, `SELECT entry_id, n, at, hash FROM sealed_entries WHERE entry_id BETWEEN $1 AND $2 ORDER BY entry_id`,
		pgx.QueryResultFormats{pgx.BinaryFormatCode}, p.from, p.to)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		raw := rows.RawValues()
		w.leaves = append(w.leaves, leafRow{
			id: int64(binary.BigEndian.Uint64(raw[0])), n: int64(binary.BigEndian.Uint64(raw[1])),
			at: int64(binary.BigEndian.Uint64(raw[2])), hash: tlog.Hash(raw[3]),
		})
	}
	return rows.Err()
}

func (w *entryRun) entry(e *entryRow) {
	for w.i < len(w.leaves) && w.leaves[w.i].id < e.id {
		w.missing(&w.leaves[w.i])
		w.i++
	}
	w.checked++
	if w.i > 0 && w.leaves[w.i-1].id == e.id || w.before == e.id && w.checked > 1 {
		w.found(w.nearLeaf(), Finding{Code: FindDuplicate, EntryID: e.id, N: -1, Detail: fmt.Sprintf("two entries have the number %d", e.id)})
		return
	}
	w.before = e.id
	if w.i == len(w.leaves) || w.leaves[w.i].id != e.id {
		w.unsealed(e)
		return
	}
	w.sealed(e, &w.leaves[w.i])
	w.i++
}

// nearLeaf is where an entry without a leaf would be in the trail's order: behind the
// leaf of the entry before it.
func (w *entryRun) nearLeaf() int64 {
	switch {
	case w.i > 0:
		return w.leaves[w.i-1].n
	case len(w.leaves) > 0:
		return w.leaves[0].n
	}
	return w.trailRun.leaves
}

func (w *entryRun) unsealed(e *entryRow) {
	f := Finding{EntryID: e.id, N: -1, At: fromPostgres(e.at)}
	if last := (position{w.last.Era, w.last.Txid, w.last.Id}); w.last.Size > 0 && !last.before(e.position()) {
		f.Code = FindInserted
		f.Detail = fmt.Sprintf("era %d, transaction %d; sealed is up to era %d, transaction %d", e.era, e.txid, last.era, last.txid)
		w.found(w.nearLeaf(), f)
		return
	}
	w.waiting++
	if f.Detail = w.fields.differ(e); f.Detail != "" {
		f.Code = FindFields
		w.found(w.trailRun.leaves, f)
	}
}

// position is where an entry stands in commit order.
type position struct {
	era  int
	txid uint64
	id   int64
}

func (p position) before(q position) bool {
	return cmp.Or(cmp.Compare(p.era, q.era), cmp.Compare(p.txid, q.txid), cmp.Compare(p.id, q.id)) < 0
}

func (e *entryRow) position() position { return position{int(e.era), e.txid, e.id} }

func (w *entryRun) sealed(e *entryRow, l *leafRow) {
	leaf := trailfile.Leaf{ID: e.id, Era: int(e.era), TxID: e.txid, Canonical: e.canonical}
	w.bytes = leaf.AppendTo(append(w.bytes[:0], 0))
	w.order = append(w.order, leafPosition{l.n, e.position()})
	differ := w.fields.differ(e)
	if w.fields.nonce != nil {
		w.nonces = append(w.nonces, w.shortNonce(w.fields.nonce))
	}
	f := Finding{EntryID: e.id, N: l.n, At: fromPostgres(e.at), Detail: differ}
	asSealed := sha256.Sum256(w.bytes) == l.hash
	w.move(e, l, asSealed && !w.fields.malformed)
	switch {
	case !asSealed:
		f.Code = FindBytes
		if differ == "" {
			f.Detail = "bytes, era or transaction; the columns agree with the bytes"
		}
	case w.fields.malformed:
		f.Code = FindMalformed
	case differ != "":
		f.Code = FindFields
	case e.at != l.at:
		f.Code, f.Detail = FindLeafTime, "sealed with "+fromPostgres(l.at).Format(time.RFC3339Nano)
	default:
		return
	}
	w.found(l.n, f)
}

func (w *entryRun) missing(l *leafRow) {
	w.gap()
	at := fromPostgres(l.at)
	if month := at.Format("2006-01"); w.archived[month].covers(l.n) {
		w.absent[month]++
		return
	}
	w.found(l.n, Finding{Code: FindMissing, EntryID: l.id, N: l.n, At: at, Detail: base64.StdEncoding.EncodeToString(l.hash[:])})
}

// leafPosition is the number of a leaf, and the position of its entry.
type leafPosition struct {
	n int64
	position
}

// judgeOrder checks whether the leaves of a piece are in commit order.
func (w *entryRun) judgeOrder() {
	slices.SortFunc(w.order, func(a, b leafPosition) int { return cmp.Compare(a.n, b.n) })
	for i := 1; i < len(w.order); i++ {
		a, b := w.order[i-1], w.order[i]
		if !a.before(b.position) {
			detail := fmt.Sprintf("before entry %d, leaf %d, which was written earlier", b.id, b.n)
			w.found(a.n, Finding{Code: FindOrder, EntryID: a.id, N: a.n, Detail: detail})
		}
	}
}

// fromPostgres is the instant of a binary timestamptz.
func fromPostgres(microseconds int64) time.Time {
	return time.UnixMicro(microseconds + postgresEpoch).UTC()
}

const postgresEpoch = 946_684_800_000_000 // 2000-01-01 in microseconds since 1970

// shortNonce is a hash of an entry's nonce, held in memory while the other entries
// are read: eight bytes, so that ten million entries need 80 MB and not a gigabyte.
func (t *trailRun) shortNonce(nonce []byte) uint64 { return maphash.Bytes(t.seed, nonce) }

// duplicates finds entries that are copies of others: they have the same nonce.
func (t *trailRun) duplicates(ctx context.Context, tx pgx.Tx) error {
	alike := t.alike()
	if len(alike) == 0 {
		return nil
	}
	// Only a trail that was changed, or a chance collision of hashes, gets here, so
	// reading every entry again is acceptable.
	rows, _ := tx.Query(ctx, `SELECT s.n, e.id, e.canonical FROM sealed_entries s JOIN audit_entries e ON e.id = s.entry_id ORDER BY s.n`)
	type first struct {
		nonce []byte
		id, n int64
	}
	seen := map[uint64][]first{}
	var fields fieldCheck
	return database.Each(rows, func(e *struct {
		N, ID     int64
		Canonical []byte
	},
	) error {
		nonce := fields.nonceOf(e.Canonical)
		short := t.shortNonce(nonce)
		if nonce == nil || !alike[short] {
			return nil
		}
		i := slices.IndexFunc(seen[short], func(f first) bool { return bytes.Equal(f.nonce, nonce) })
		if i < 0 {
			seen[short] = append(seen[short], first{bytes.Clone(nonce), e.ID, e.N})
			return nil
		}
		f := seen[short][i]
		detail := fmt.Sprintf("it has the nonce of entry %d, leaf %d", f.id, f.n)
		t.found(e.N, Finding{Code: FindDuplicate, EntryID: e.ID, N: e.N, Detail: detail})
		return nil
	})
}

// alike are the short nonces that more than one entry has.
func (t *trailRun) alike() map[uint64]bool {
	all := slices.Concat(t.nonces...)
	t.nonces = nil
	slices.Sort(all)
	alike := map[uint64]bool{}
	for i := 1; i < len(all); i++ {
		if all[i] == all[i-1] {
			alike[all[i]] = true
		}
	}
	return alike
}
