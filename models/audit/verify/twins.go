package verify

import (
	"bytes"
	"context"
	"fmt"
	"hash/maphash"
	"slices"

	"github.com/jackc/pgx/v5"
)

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
	rows, err := tx.Query(ctx, `SELECT s.n, e.id, e.canonical FROM sealed_entries s JOIN audit_entries e ON e.id = s.entry_id ORDER BY s.n`)
	if err != nil {
		return err
	}
	type first struct {
		nonce []byte
		id, n int64
	}
	seen := map[uint64][]first{}
	var fields fieldCheck
	var n, id int64
	var canonical []byte
	_, err = pgx.ForEachRow(rows, []any{&n, &id, &canonical}, func() error {
		nonce := fields.nonceOf(canonical)
		short := t.shortNonce(nonce)
		if nonce == nil || !alike[short] {
			return nil
		}
		i := slices.IndexFunc(seen[short], func(f first) bool { return bytes.Equal(f.nonce, nonce) })
		if i < 0 {
			seen[short] = append(seen[short], first{bytes.Clone(nonce), id, n})
			return nil
		}
		f := seen[short][i]
		t.found(n, Finding{Code: FindDuplicate, EntryID: id, N: n, Detail: fmt.Sprintf("it has the nonce of entry %d, leaf %d", f.id, f.n)})
		return nil
	})
	return err
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
