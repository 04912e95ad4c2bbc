package export

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// Detail is an export with what the trail says of how it ended.
type Detail struct {
	Export
	End  *models.AuditEntry // nil while it runs, and where the trail has no such entry
	Said Said               // of End
}

// Said is what the entry of an export's end says of its file.
type Said struct {
	SHA256        string `json:"sha256"` // hex; "" of an export that did not end well, and of older releases
	Bytes         int64  `json:"bytes"`
	SealedEntries int64  `json:"sealedEntries"` // of the checkpoint under which it was made
	Root          string `json:"root"`          // of that checkpoint
}

// Detail returns an export. What is known of its file is what the trail says, not what
// the row of the export says: rows are not sealed.
//
// Errors: ErrForbidden, ErrNotFound.
func (s *Service) Detail(ctx context.Context, actor models.Actor, id int64) (*Detail, error) {
	if !mayTake(actor) {
		return nil, models.ErrForbidden
	}
	d := &Detail{}
	if err := database.TakeRow(s.db.Gorm().WithContext(ctx).Scopes(exportsFor(actor)).Where("id = ?", id), &d.Export); err != nil {
		return nil, err
	}
	if d.EndedAt == nil {
		return d, nil
	}
	rows, _ := s.db.Query(ctx, `SELECT `+audit.AuditColumns+` FROM audit_entries
		WHERE at = $1 AND action = $2 AND after->>'export' = $3::bigint::text AND after->>'exportState' = $4 ORDER BY id LIMIT 1`,
		*d.EndedAt, string(d.Subject.action()), id, string(d.State))
	found, err := audit.CollectEntries(rows)
	if err != nil {
		return nil, fmt.Errorf("find the end of export %d: %w", id, err)
	}
	if len(found) > 0 {
		d.End = &found[0]
		if err := json.Unmarshal(d.End.After, &d.Said); err != nil {
			return nil, errors.Join(fmt.Errorf("read the end of export %d", id), err)
		}
	}
	return d, nil
}

// hexHash is a SHA-256 in hex as programs print it: beside the name of a file, or alone.
var hexHash = regexp.MustCompile(`\b[0-9a-f]{64}\b`)

// ParseSHA256 finds the one SHA-256 in what somebody pasted, in lower case. Some programs
// write a blank between its bytes.
func ParseSHA256(pasted string) (string, error) {
	text := strings.ToLower(pasted)
	for _, s := range []string{text, strings.Join(strings.Fields(text), "")} {
		if found := hexHash.FindAllString(s, 2); len(found) == 1 {
			return found[0], nil
		}
	}
	return "", models.Invalid("sha256", "sha256.invalid")
}
