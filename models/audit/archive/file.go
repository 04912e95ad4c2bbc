package archive

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models/audit/export"
	"veinte/models/audit/sealing"
	"veinte/models/audit/trailfile"
	"veinte/models/audit/verify"
)

// Write writes the month as a file that verifies offline: its entries, and the
// hashes of all others. public are the keys' texts that its header shows.
func (m *Month) Write(ctx context.Context, now time.Time, public []string, out io.Writer) error {
	err := sealing.InSnapshot(ctx, m.db, func(tx pgx.Tx) error {
		c, _, err := sealing.CheckpointIn(ctx, tx)
		if err != nil {
			return err
		}
		if c == nil {
			return sealing.ErrNothingSealed
		}
		claim, err := trailfile.Unverified(c.Note)
		if err != nil {
			return fmt.Errorf("read last checkpoint: %w", err)
		}
		file := trailfile.NewWriter(out)
		err = file.Begin(trailfile.Header{
			Origin: claim.Origin, PublicKeys: public, ExportedAt: now.UTC().Format(time.RFC3339Nano),
			Filters: map[string]any{"month": m.Month}, Checkpoint: c.Note,
		})
		if err != nil {
			return err
		}
		of := export.LeafRange{From: m.leaves.From, To: m.leaves.To, Size: c.Size}
		amount, err := export.WriteLeaves(ctx, m.db, tx, "at >= $1 AND at < $2", []any{m.first, m.next}, of, new(atomic.Int64), file)
		if err != nil {
			return err
		}
		return file.Close(int64(amount))
	})
	if err != nil {
		return fmt.Errorf("write %s: %w", m.Month, err)
	}
	return nil
}

// Compare verifies a file as a third party would, and that its entries are exactly
// those that were sealed as of the month. It returns what the trail will record of
// it.
//
// Errors: ErrOtherFile.
func (m *Month) Compare(file io.Reader, check trailfile.Check) (*verify.ArchivedMonth, error) {
	whole, leaves := sha256.New(), verify.NewLeafSum()
	check.Entry = leaves.Add
	v := trailfile.Verify(io.TeeReader(file, whole), check)
	if v.State != trailfile.Intact {
		return nil, fmt.Errorf("%w: %s", ErrOtherFile, v.Findings[0])
	}
	if leaves.String() != m.leaves.Sum {
		return nil, fmt.Errorf("%w: it holds %d entries, and not the %d that were sealed as of %s", ErrOtherFile, leaves.Leaves, m.leaves.Entries, m.Month)
	}
	return &verify.ArchivedMonth{
		Month: m.Month, From: m.leaves.From, To: m.leaves.To, Entries: m.leaves.Entries,
		SHA256: hex.EncodeToString(whole.Sum(nil)), Leaves: m.leaves.Sum,
	}, nil
}
