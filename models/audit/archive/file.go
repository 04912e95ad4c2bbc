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
		h := trailfile.Header{
			PublicKeys: public, ExportedAt: now.UTC().Format(time.RFC3339Nano), Filters: map[string]any{"month": m.Month},
		}
		return export.WriteLeaves(ctx, m.db, tx, trailfile.NewWriter(out), h, export.Leaves{
			Where: "at >= $1 AND at < $2", Args: []any{m.first, m.next}, From: m.leaves.From, To: m.leaves.To, Written: new(atomic.Int64),
		})
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
		return nil, fmt.Errorf("%w: it holds %d entries, and not the %d that were sealed as of %s",
			ErrOtherFile, leaves.Leaves, m.leaves.Entries, m.Month)
	}
	return &verify.ArchivedMonth{
		Month: m.Month, From: m.leaves.From, To: m.leaves.To, Entries: m.leaves.Entries,
		SHA256: hex.EncodeToString(whole.Sum(nil)), Leaves: m.leaves.Sum,
	}, nil
}
