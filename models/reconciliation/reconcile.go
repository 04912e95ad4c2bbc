package reconciliation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
	"veinte/models/reconciliation/report"
)

// Upload is a provider's report that a person uploads.
type Upload struct {
	ProfileID int64
	Day       string // of the report, 2026-11-20
	Until     string // "15:04", or with seconds: the time of the day until which it is complete; "": the whole day
	Again     bool   // compare a file that has been compared before
	AnyDay    bool   // compare it though most of its lines are of another day
	FileName  string
	FileHash  string // SHA-256 in hex
	FileBytes int64
	Table     report.Table
}

// SameFile means that this file was compared before, in the same way.
type SameFile struct{ ID int64 }

func (e *SameFile) Error() string { return fmt.Sprintf("report was compared before as %d", e.ID) }

// AnotherDay means that most lines of a report are of another day than the one it is to be
// compared with. Nothing of it was kept.
type AnotherDay struct {
	Day      models.Day // of most of them
	Rows, Of int        // how many of all say another day
}

func (e *AnotherDay) Error() string {
	return fmt.Sprintf("%d of %d lines are of another day", e.Rows, e.Of)
}

// Reconcile compares a report with the sales of its day in the actor's stores and
// stores the result. It changes no sale and no cancellation.
//
// Errors: ErrForbidden, what is wrong with a field ("profile", "day", "until",
// "file"), *MissingColumns, *SameFile, *AnotherDay, or an error of the table.
func (s *Service) Reconcile(ctx context.Context, actor models.Actor, up Upload) (*Reconciliation, error) {
	if !actor.May(models.ReconcileSales) {
		return nil, models.ErrForbidden
	}
	now := s.clock.Now().Truncate(time.Microsecond)
	rec, profile, err := s.newReconciliation(ctx, actor, up, now)
	if err != nil {
		return nil, err
	}
	reader, err := report.NewReader(profile.Mapping, up.Table.Header(), s.window().Calendar, now)
	if err != nil {
		return nil, err
	}
	if !up.Again {
		if err := s.sameReport(ctx, rec); err != nil {
			return nil, err
		}
	}
	err = s.db.InTx(ctx, func(t database.Tx) error {
		// A large report takes longer than the limit for a page.
		if err := t.Exec(`SET LOCAL statement_timeout = '120s'`).Error; err != nil {
			return err
		}
		days, err := storeReport(t, rec, reader, up.Table)
		if err != nil {
			return err
		}
		if rec.MostlyAnotherDay() && !up.AnyDay {
			return &AnotherDay{Day: mostOf(days), Rows: rec.OtherDayRows, Of: rec.Rows}
		}
		if err := s.compare(ctx, t, rec, profile.Mapping.OneLine); err != nil {
			return fmt.Errorf("compare: %w", err)
		}
		return audit.Record(t, actor, now, models.ActionReportUploaded, models.OutcomeSuccess, audit.About{After: rec.attributes()})
	})
	if err != nil {
		return nil, fmt.Errorf("reconcile report of %s: %w", rec.BusinessDay, err)
	}
	return rec, nil
}

// newReconciliation validates the fields beside the file.
func (s *Service) newReconciliation(
	ctx context.Context, actor models.Actor, up Upload, now time.Time,
) (*Reconciliation, *ReportProfile, error) {
	if up.ProfileID == 0 {
		return nil, nil, models.Invalid("profile", "report.chooseProfile")
	}
	profile, err := profileOf(s.db.Gorm().WithContext(ctx), up.ProfileID)
	if errors.Is(err, models.ErrNotFound) || err == nil && profile.RetiredAt != nil {
		return nil, nil, models.Invalid("profile", "report.chooseProfile")
	}
	if err != nil {
		return nil, nil, err
	}
	day, err := models.ParseDay(up.Day)
	if err != nil {
		return nil, nil, models.Invalid("day", "date.invalid")
	}
	if today := s.window().Calendar.Day(now); day > today {
		return nil, nil, models.Invalid("day", "report.futureDay")
	}
	until, err := s.completeUntil(day, up.Until, now)
	if err != nil {
		return nil, nil, err
	}
	rec := &Reconciliation{
		ProfileID: profile.ID, ProfileVersion: profile.Version, ProfileName: profile.Name, BusinessDay: day, CompleteUntil: until,
		FileName: report.PrintableCell(up.FileName, 120), FileHash: up.FileHash, FileBytes: up.FileBytes,
		SalesCompared: !until.Before(s.nextDay(day)), UploadedAt: now, UploadedBy: actor.UserID, Uploader: actor.Name,
	}
	if !actor.AllStores {
		rec.Stores = slices.Clone(actor.StoreIDs)
		slices.Sort(rec.Stores)
	}
	return rec, profile, nil
}

// completeUntil reads until when the report is complete. That cannot be later than
// now, whatever the form states.
func (s *Service) completeUntil(day models.Day, until string, now time.Time) (time.Time, error) {
	zone := s.window().Calendar.Zone()
	end := s.nextDay(day)
	if until = strings.TrimSpace(until); until != "" {
		clock, err := time.Parse("15:04", until)
		if err != nil {
			clock, err = time.Parse(time.TimeOnly, until)
		}
		if err != nil {
			return end, models.Invalid("until", "report.until")
		}
		d := day.Time(zone)
		end = time.Date(d.Year(), d.Month(), d.Day(), clock.Hour(), clock.Minute(), clock.Second(), 0, zone)
	}
	if end.After(now) {
		return end, models.Invalid("until", "report.untilFuture")
	}
	return end, nil
}

// nextDay is the instant at which a day ends in the zone of the cut-off.
func (s *Service) nextDay(day models.Day) time.Time {
	return day.Time(s.window().Calendar.Zone()).AddDate(0, 0, 1)
}

// sameReport returns the latest reconciliation of the same bytes that was made in
// the same way, unless it is discarded: uploading it again by mistake would only hide it.
func (s *Service) sameReport(ctx context.Context, rec *Reconciliation) error {
	var id int64
	found := s.db.Gorm().WithContext(ctx).Raw(`SELECT id FROM reconciliations
		WHERE discarded_at IS NULL AND file_hash = ? AND profile_id = ? AND profile_version = ? AND business_day = ? AND complete_until = ?
		AND stores IS NOT DISTINCT FROM ?::bigint[] ORDER BY id DESC LIMIT 1`,
		rec.FileHash, rec.ProfileID, rec.ProfileVersion, string(rec.BusinessDay), rec.CompleteUntil, StoreArray(rec.Stores)).Scan(&id)
	if found.Error != nil {
		return fmt.Errorf("look for the same report: %w", found.Error)
	}
	if found.RowsAffected > 0 {
		return &SameFile{ID: id}
	}
	return nil
}

// StoreArray returns ids as PostgreSQL's text for an array; nil is NULL.
func StoreArray(ids []int64) any {
	if ids == nil {
		return nil
	}
	return "{" + strings.Trim(strings.ReplaceAll(fmt.Sprint(ids), " ", ","), "[]") + "}"
}

// attributes are what the trail records of a reconciliation.
func (r *Reconciliation) attributes() map[string]any {
	told := map[string]any{
		"reconciliationId": r.ID, "profile": r.ProfileName, "version": r.ProfileVersion, "day": r.BusinessDay,
		"completeUntil": r.CompleteUntil, "file": r.FileName, "hash": r.FileHash, "rows": r.Rows,
	}
	if r.Findings.CardRows > 0 {
		told["cardRows"] = r.Findings.CardRows
	}
	for kind, n := range r.Counts {
		told[string(kind)] = n
	}
	return told
}

// storeReport writes the reconciliation and the report's lines, some thousand at a
// time, so that a large file needs no more memory than a small one.
func storeReport(t database.Tx, rec *Reconciliation, reader *report.Reader, table report.Table) (map[models.Day]int, error) {
	err := t.Raw(`INSERT INTO reconciliations (profile_id, profile_version, profile_name, business_day, complete_until, stores,
		file_name, file_hash, file_bytes, rows, other_day_rows, sales_looked_at, uploaded_at, uploaded_by, uploader)
		SELECT ?, ?, ?, ?, ?, ?::bigint[], ?, ?, ?, 0, 0, ?, ?, ?, ? RETURNING id`,
		rec.ProfileID, rec.ProfileVersion, rec.ProfileName, string(rec.BusinessDay), rec.CompleteUntil, StoreArray(rec.Stores),
		rec.FileName, rec.FileHash, rec.FileBytes, rec.SalesCompared, rec.UploadedAt, rec.UploadedBy, rec.Uploader).Scan(&rec.ID).Error
	if err != nil {
		return nil, fmt.Errorf("keep reconciliation: %w", err)
	}
	b, days := &rowBatch{}, map[models.Day]int{}
	for {
		cells, line, err := table.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		row := reader.Read(cells, line)
		if rec.Rows++; rec.Rows > report.MaxRows {
			return nil, models.Invalid("file", "report.tooManyRows")
		}
		if row.Day != "" && row.Day != rec.BusinessDay {
			rec.OtherDayRows++
			days[row.Day]++
		}
		if b.add(&row); len(b.numbers) == rowsAtOnce {
			if err := b.write(t, rec.ID); err != nil {
				return nil, err
			}
		}
	}
	if rec.Rows == 0 {
		return nil, models.Invalid("file", "report.noRows")
	}
	if err := b.write(t, rec.ID); err != nil {
		return nil, err
	}
	rec.Findings = reader.Findings(table.Notes())
	findings, err := json.Marshal(rec.Findings)
	if err != nil {
		return nil, err
	}
	return days, t.Exec(`UPDATE reconciliations SET rows = ?, other_day_rows = ?, findings = ? WHERE id = ?`,
		rec.Rows, rec.OtherDayRows, string(findings), rec.ID).Error
}

// mostOf is the day of most lines, of several the first.
func mostOf(days map[models.Day]int) (most models.Day) {
	for day, n := range days {
		if n > days[most] || n == days[most] && day < most {
			most = day
		}
	}
	return most
}
