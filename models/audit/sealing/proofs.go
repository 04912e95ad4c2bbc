package sealing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"veinte/models"
	"veinte/models/audit/trailfile"
	"veinte/models/audit/trailfile/exportnote"
	"veinte/models/audit/trailfile/notes"
	"veinte/models/database"
)

// Checkpoint is a signed statement of what the first Size entries of the trail were,
// as stored in the database.
type Checkpoint struct {
	Size     int64
	Root     tlog.Hash
	SealedAt time.Time
	Note     string // as signed
}

// ErrNotSealed is the error for an entry that no checkpoint covers yet. It will be
// sealed within seconds, while sealing runs.
var ErrNotSealed = &models.Error{Kind: models.KindConflict, Code: "audit.notSealed"}

// LatestCheckpoint returns the last checkpoint; nil when nothing was ever sealed.
func (s *Service) LatestCheckpoint(ctx context.Context) (*Checkpoint, error) {
	c, _, err := CheckpointIn(ctx, s.db)
	return c, err
}

// CheckpointOver returns the first checkpoint that covers an entry, found by what it is and
// when it was written; nil when none covers it yet, or its month was archived.
func (s *Service) CheckpointOver(ctx context.Context, action models.Action, at time.Time) (*Checkpoint, error) {
	row, err := database.Row[struct {
		Size     int64
		Root     []byte
		SealedAt time.Time
		Note     string
	}](ctx, s.db, `SELECT size, root, sealed_at, note FROM checkpoints WHERE size > (
			SELECT l.n FROM audit_entries e JOIN sealed_entries l ON l.entry_id = e.id WHERE e.at = $1 AND e.action = $2 ORDER BY l.n LIMIT 1)
		ORDER BY size LIMIT 1`, at, action)
	if errors.Is(err, models.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find the checkpoint over %s of %s: %w", action, at.UTC().Format(time.RFC3339Nano), err)
	}
	return &Checkpoint{row.Size, tlog.Hash(row.Root), row.SealedAt, row.Note}, nil
}

// FileName is what its note is called as a file.
func (c *Checkpoint) FileName() string { return fmt.Sprintf("veinte-checkpoint-%d.txt", c.Size) }

// Others are the names of who else signed the note, as it stands; nothing of it is verified.
func (c *Checkpoint) Others() (names []string) {
	origin, _, _ := strings.Cut(c.Note, "\n")
	own, _ := notes.SplitOrigin(origin)
	for _, key := range notes.SignedBy(c.Note) {
		name := key[:strings.LastIndex(key, "+")]
		if name != own && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Short is the note with the first of its signatures alone, the newest key's: what fits on
// paper and verifies.
func (c *Checkpoint) Short() string {
	text, _, err := notes.Cut(c.Note)
	lines := notes.Lines(c.Note)
	if err != nil || len(lines) == 0 {
		return c.Note
	}
	return text + "\n" + lines[0] + "\n"
}

// CheckpointIn reads the last checkpoint of a snapshot, as it was last signed, and its
// position in the trail; nil when nothing was ever sealed.
func CheckpointIn(ctx context.Context, q database.Querier) (*Checkpoint, SealedEnd, error) {
	row, err := database.Row[struct {
		Size     int64
		Root     []byte
		SealedAt time.Time
		Note     string
		Era      int
		TxID     uint64
		EntryID  int64
	}](ctx, q, `SELECT c.size, c.root, coalesce(b.sealed_at, c.sealed_at) AS sealed_at, coalesce(b.note, c.note) AS note,
			c.era, c.txid, c.entry_id
		FROM (SELECT * FROM checkpoints ORDER BY size DESC LIMIT 1) c
			LEFT JOIN LATERAL (SELECT sealed_at, note FROM checkpoint_beats WHERE size = c.size ORDER BY sealed_at DESC LIMIT 1) b ON true`)
	if errors.Is(err, models.ErrNotFound) {
		return nil, SealedEnd{Era: 1}, nil
	}
	if err != nil {
		return nil, SealedEnd{}, fmt.Errorf("find last checkpoint: %w", err)
	}
	c := &Checkpoint{row.Size, tlog.Hash(row.Root), row.SealedAt, row.Note}
	return c, SealedEnd{Size: row.Size, root: c.Root, signed: row.SealedAt, Era: row.Era, Txid: row.TxID, Id: row.EntryID}, nil
}

// Proof proves that an entry is in the tree of a checkpoint.
type Proof struct {
	N          int64
	Leaf       *trailfile.Leaf // nil when the entry's month is archived
	Hash       tlog.Hash       // of the leaf, as it was sealed
	Proof      tlog.RecordProof
	Checkpoint *Checkpoint
}

// Prove proves an entry against the last checkpoint. It proves what was sealed;
// whether the entry is still the same is for the verifier to compare.
//
// Errors: ErrNotFound, ErrNotSealed.
func (s *Service) Prove(ctx context.Context, entryID int64) (*Proof, error) {
	sealed, err := database.Row[struct {
		N    int64
		At   time.Time
		Hash []byte
	}](ctx, s.db, `SELECT n, at, hash FROM sealed_entries WHERE entry_id = $1`, entryID)
	if errors.Is(err, models.ErrNotFound) {
		return nil, s.unsealed(ctx, entryID)
	}
	if err != nil {
		return nil, fmt.Errorf("find sealed entry %d: %w", entryID, err)
	}
	p := &Proof{N: sealed.N, Hash: tlog.Hash(sealed.Hash)}
	leaf, err := database.Row[trailfile.Leaf](ctx, s.db,
		`SELECT id, era, txid, canonical FROM audit_entries WHERE id = $1 AND at = $2`, entryID, sealed.At)
	switch {
	case err == nil:
		p.Leaf = &leaf
	case !errors.Is(err, models.ErrNotFound):
		return nil, fmt.Errorf("read entry %d: %w", entryID, err)
	}
	if p.Checkpoint, err = s.LatestCheckpoint(ctx); err != nil {
		return nil, err
	}
	if p.Checkpoint == nil || p.N >= p.Checkpoint.Size {
		return nil, fmt.Errorf("prove entry %d: leaf %d is in no checkpoint", entryID, p.N)
	}
	if p.Proof, err = tlog.ProveRecord(p.Checkpoint.Size, p.N, SealedTree{ctx, s.db}); err != nil {
		return nil, fmt.Errorf("prove entry %d: %w", entryID, err)
	}
	return p, nil
}

// unsealed is the error for an entry that is not sealed and so cannot be proved.
func (s *Service) unsealed(ctx context.Context, entryID int64) error {
	var there bool
	if err := s.db.QueryRow(ctx, `SELECT EXISTS (SELECT FROM audit_entries WHERE id = $1)`, entryID).Scan(&there); err != nil {
		return fmt.Errorf("find entry %d: %w", entryID, err)
	}
	if there {
		return ErrNotSealed
	}
	return models.ErrNotFound
}

// ProveConsistency proves that the tree of the first from entries is the beginning
// of the tree of the first to entries: nothing before was changed.
func (s *Service) ProveConsistency(ctx context.Context, from, to int64) (tlog.TreeProof, error) {
	proof, err := tlog.ProveTree(to, from, SealedTree{ctx, s.db})
	if err != nil {
		return nil, fmt.Errorf("prove %d entries to begin %d: %w", from, to, err)
	}
	return proof, nil
}

// ErrSignedElsewhere refuses a signature where this process has no key.
var ErrSignedElsewhere = &models.Error{Kind: models.KindConflict, Code: "audit.signedElsewhere"}

// SignExport signs what the trail says of a file that left.
//
// Errors: ErrSignedElsewhere.
func (s *Service) SignExport(n exportnote.Note) (string, error) {
	if !s.Sealing() {
		return "", ErrSignedElsewhere
	}
	n.Origin = s.origin()
	return n.Sign(s.signers...)
}
