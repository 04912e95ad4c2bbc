package export

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/tlog"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/audit/sealing"
	"veinte/models/audit/trailfile/exportnote"
	"veinte/models/audit/verify"
	"veinte/models/database"
)

// Detail is an export with what the trail says of how it ended.
type Detail struct {
	Export
	End  *Entry // nil while it runs, and where the trail has no such entry
	Said Said   // of End

	canonical []byte // of End
}

// Said is what the entry of an export's end says of its file.
type Said struct {
	SHA256        string          `json:"sha256"` // hex; "" of an export that did not end well, and of older releases
	Bytes         int64           `json:"bytes"`
	SealedEntries int64           `json:"sealedEntries"` // of the checkpoint under which it was made
	Root          string          `json:"root"`          // of that checkpoint
	StoreIDs      []int64         `json:"storeIds"`      // of a person who sees some stores
	Filters       json.RawMessage `json:"filters"`
	Format        string          `json:"format"`
	Entries       int64           `json:"entries"`
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
	rows, _ := s.db.Query(ctx, `SELECT `+verify.StandingColumns+` FROM audit_entries e
		WHERE at = $1 AND action = $2 AND after->>'export' = $3::bigint::text AND after->>'exportState' = $4 ORDER BY id LIMIT 1`,
		pgx.QueryResultFormats{pgx.BinaryFormatCode}, *d.EndedAt, string(d.Subject.action()), id, string(d.State))
	err := database.Each(rows, func(e *fileRow) (err error) {
		d.End = &Entry{AuditEntry: e.AuditEntry}
		d.canonical = bytes.Clone(e.Canonical)
		d.End.Standing, err = new(verify.Comparer).Of(rows.RawValues())
		return errors.Join(err, json.Unmarshal(d.End.After, &d.Said))
	})
	if err != nil {
		return nil, fmt.Errorf("find the end of export %d: %w", id, err)
	}
	return d, nil
}

// Signable reports whether there is anything that a note can say of the file: its entry
// is sealed, and as it was sealed.
func (d *Detail) Signable() bool {
	return d.Subject == Trail && d.End != nil && d.End.Sealed && !d.End.Altered() && d.Said.SHA256 != "" && d.Said.Root != ""
}

// ErrNotSignable refuses the note of a file of which the trail does not say enough.
var ErrNotSignable = &models.Error{Kind: models.KindConflict, Code: "export.notSignable"}

// Note signs what the trail says of an export: its checkpoint, filters, count and SHA-256.
// All of it is what was sealed.
//
// Errors: as Detail; sealing.ErrNotSealed, ErrNotSignable, sealing.ErrSignedElsewhere.
func (s *Service) Note(ctx context.Context, actor models.Actor, id int64) (string, error) {
	d, err := s.Detail(ctx, actor, id)
	switch {
	case err != nil:
		return "", err
	case d.End != nil && !d.End.Sealed:
		return "", sealing.ErrNotSealed
	case !d.Signable():
		return "", ErrNotSignable
	}
	entry, _, err := audit.FromCanonical(d.canonical)
	if err != nil {
		return "", err
	}
	var said Said
	if err := json.Unmarshal(entry.After, &said); err != nil {
		return "", fmt.Errorf("read the end of export %d: %w", id, err)
	}
	n := exportnote.Note{
		Entry: d.End.ID, Export: id, Format: said.Format, Size: said.SealedEntries, Filters: "{}", Stores: "all",
		Entries: said.Entries, Bytes: said.Bytes, SHA256: said.SHA256, Time: entry.At,
	}
	if len(said.Filters) > 0 {
		n.Filters = string(said.Filters)
	}
	if said.StoreIDs != nil {
		n.Stores = strings.Trim(strings.Join(strings.Fields(fmt.Sprint(said.StoreIDs)), ","), "[]")
	}
	if n.Root, err = tlog.ParseHash(said.Root); err != nil {
		return "", fmt.Errorf("read the end of export %d: %w", id, err)
	}
	return s.sealing.SignExport(n)
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
