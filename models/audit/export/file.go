package export

import (
	"context"
	"fmt"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// FileExport names a file, other than one of the trail itself, that a user downloads
// from the back office.
type FileExport struct {
	File string // differences or wrongRows
	Of   int64  // the reconciliation or the import
	Name string // what people call that
}

// NoteFile records in the trail that a file is downloaded, before its first byte is
// sent. The permission was checked where its content was read.
func (s *Service) NoteFile(ctx context.Context, actor models.Actor, f FileExport) error {
	of := map[string]string{"differences": "reconciliation", "wrongRows": "import"}[f.File]
	err := s.db.InTx(ctx, func(t database.Tx) error {
		return audit.Record(t, actor, s.clock.Now(), models.ActionFileExported, models.OutcomeSuccess, audit.About{After: map[string]any{
			"file": f.File, of: f.Of, "fileName": models.Legible(f.Name, 200),
		}})
	})
	if err != nil {
		return fmt.Errorf("record %s of %s %d: %w", f.File, of, f.Of, err)
	}
	return nil
}
