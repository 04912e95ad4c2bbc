package seal

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/tlog"

	"veinte/models/audit/trailfile"
	"veinte/web/lab"
)

// lagWait is how long the last entries may take until they are sealed.
const lagWait = time.Minute

// settle waits until everything is sealed.
func (r *run) waitSealed(ctx context.Context) {
	err := lab.Eventually(ctx, lagWait, "everything is sealed", func(ctx context.Context) (all bool, err error) {
		err = r.Pool.QueryRow(ctx, `SELECT (SELECT count(*) FROM audit_entries) = coalesce(max(size), 0) FROM checkpoints`).Scan(&all)
		return all, err
	})
	if err != nil {
		r.report.Violate("%v", err)
	}
}

// judge computes the tree from the entries, and compares.
func (r *run) judge(ctx context.Context) error {
	for i, s := range r.servers {
		if strings.Contains(s.Log(), "seal.shorter") || strings.Contains(s.Log(), "seal.different") {
			r.report.Violate("server %d took the trail for a changed one", i)
		}
	}
	tree, sealed, err := r.tree(ctx)
	if err != nil {
		return err
	}
	lost := 0
	for _, id := range r.acknowledged {
		if !sealed[id] {
			lost++
		}
	}
	if lost > 0 {
		r.report.Violate("%d acknowledged entries are not sealed", lost)
	}
	kept, err := r.database(ctx, tree)
	if err != nil {
		return err
	}
	left := 0
	for _, dir := range slices.Compact(slices.Clone(r.dirs)) {
		n, err := r.directory(dir, tree)
		if err != nil {
			return err
		}
		left += n
	}
	r.report.Add("entries acknowledged, sealed", fmt.Sprintf("%d, %d", len(r.acknowledged), len(sealed)), "none lost")
	r.report.Add("transactions that were not acknowledged", r.failed, "")
	r.report.Add("kills", lab.Counts(r.killed), "")
	r.report.Add("checkpoints in the database, in directories", fmt.Sprintf("%d, %d", kept, left), "each a beginning of the end")
	return nil
}

// tree computes every hash of the entries' tree, and which entries are sealed. It
// reports where the leaves are not the entries in the order of commits.
func (r *run) tree(ctx context.Context) (tlog.HashReader, map[int64]bool, error) {
	rows, err := r.Pool.Query(ctx, `SELECT e.id, e.era, e.txid, e.canonical, coalesce(s.n, -1), coalesce(s.hash, '')
		FROM audit_entries e LEFT JOIN sealed_entries s ON s.entry_id = e.id AND s.at = e.at ORDER BY e.era, e.txid, e.id`)
	if err != nil {
		return nil, nil, fmt.Errorf("read entries: %w", err)
	}
	var stored []tlog.Hash
	tree := tlog.HashReaderFunc(func(at []int64) ([]tlog.Hash, error) {
		hashes := make([]tlog.Hash, len(at))
		for i, x := range at {
			if x >= int64(len(stored)) {
				return nil, fmt.Errorf("the tree has no hash %d", x)
			}
			hashes[i] = stored[x]
		}
		return hashes, nil
	})
	sealed := map[int64]bool{}
	var leaf trailfile.Leaf
	var n int64
	var hash []byte
	_, err = pgx.ForEachRow(rows, []any{&leaf.ID, &leaf.Era, &leaf.TxID, &leaf.Canonical, &n, &hash}, func() error {
		if n != int64(len(sealed)) || tlog.Hash(hash) != leaf.Hash() {
			r.report.Violate("entry %d, in transaction %d, is leaf %d, want %d", leaf.ID, leaf.TxID, n, len(sealed))
			return nil
		}
		more, err := tlog.StoredHashes(n, leaf.Bytes(), tree)
		stored, sealed[leaf.ID] = append(stored, more...), true
		return err
	})
	if err != nil {
		return nil, nil, fmt.Errorf("read entries: %w", err)
	}
	var leaves int
	if err := r.Pool.QueryRow(ctx, `SELECT count(*) FROM sealed_entries`).Scan(&leaves); err != nil {
		return nil, nil, err
	}
	if leaves != len(sealed) {
		r.report.Violate("%d leaves of %d entries", leaves, len(sealed))
	}
	return tree, sealed, nil
}

// database checks the checkpoints in the database.
func (r *run) database(ctx context.Context, tree tlog.HashReader) (n int, err error) {
	rows, err := r.Pool.Query(ctx, `SELECT note FROM checkpoints ORDER BY size`)
	if err != nil {
		return 0, fmt.Errorf("read checkpoints: %w", err)
	}
	notes, err := pgx.CollectRows(rows, pgx.RowTo[string])
	for _, note := range notes {
		r.holds("the database", note, tree)
	}
	return len(notes), err
}

// holds reports a checkpoint that is no prefix of the tree.
func (r *run) holds(where, note string, tree tlog.HashReader) {
	c, err := trailfile.Open(note, r.keys.Verifiers())
	if err != nil {
		r.report.Violate("%s has a checkpoint that cannot be verified: %v", where, err)
		return
	}
	root, err := tlog.TreeHash(c.Size, tree)
	if err != nil || root != c.Root {
		r.report.Violate("%s has a checkpoint of %d entries that is no beginning of the tree: %v", where, c.Size, err)
	}
}

// directory checks every checkpoint that was written to a file. Only a file that a
// killed process left half written may be no note.
func (r *run) directory(dir string, tree tlog.HashReader) (n int, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "checkpoints-*.txt"))
	if err != nil {
		return 0, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return n, err
		}
		parts := strings.Split(string(text), "\n\n")
		for i := 1; i < len(parts); i++ {
			if !strings.HasPrefix(parts[i], "— ") {
				continue
			}
			r.holds(filepath.Base(dir), parts[i-1]+"\n\n"+parts[i]+"\n", tree)
			n++
		}
	}
	if n == 0 {
		r.report.Violate("%s holds no checkpoint", dir)
	}
	return n, nil
}
