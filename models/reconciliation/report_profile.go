package reconciliation

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"gorm.io/gorm"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
	"veinte/models/reconciliation/report"
)

// ReportProfile describes how one provider writes its daily report. Each change adds
// a version; old versions remain.
type ReportProfile struct {
	ID        int64
	Name      string
	Mapping   report.Mapping
	Version   int
	RetiredAt *time.Time // nil while reports may be read by it
	CreatedAt time.Time
	SetBy     string    // who made the present version
	SetAt     time.Time // and when
}

// profileRow is a profile as its table stores it.
type profileRow struct {
	ID        int64
	Name      string
	Mapping   []byte `gorm:"type:jsonb"`
	Version   int
	RetiredAt *time.Time
	CreatedAt time.Time
	SetBy     string    `gorm:"->;-:migration"`
	SetAt     time.Time `gorm:"->;-:migration"`
}

// TableName implements gorm's tabler.
func (profileRow) TableName() string { return "report_profiles" }

func (r *profileRow) profile() (*ReportProfile, error) {
	p := &ReportProfile{
		ID: r.ID, Name: r.Name, Version: r.Version, RetiredAt: r.RetiredAt,
		CreatedAt: r.CreatedAt, SetBy: r.SetBy, SetAt: r.SetAt,
	}
	if err := json.Unmarshal(r.Mapping, &p.Mapping); err != nil {
		return nil, fmt.Errorf("read mapping of profile %d: %w", r.ID, err)
	}
	return p, nil
}

const withVersion = `SELECT p.*, v.set_by, v.set_at FROM report_profiles p
	JOIN report_profile_versions v ON v.profile_id = p.id AND v.version = p.version`

// ReportProfiles lists the profiles by name; the retired ones last.
//
// Errors: ErrForbidden.
func (s *Service) ReportProfiles(ctx context.Context, actor models.Actor) ([]ReportProfile, error) {
	if !actor.May(models.ReconcileSales) && !actor.May(models.ManageSettings) {
		return nil, models.ErrForbidden
	}
	var rows []profileRow
	err := s.db.Gorm().WithContext(ctx).Raw(withVersion + ` ORDER BY p.retired_at IS NOT NULL, lower(p.name)`).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("list report profiles: %w", err)
	}
	profiles := make([]ReportProfile, 0, len(rows))
	for i := range rows {
		p, err := rows[i].profile()
		if err != nil {
			return nil, err
		}
		profiles = append(profiles, *p)
	}
	return profiles, nil
}

// ReportProfile reads one profile.
//
// Errors: ErrForbidden, ErrNotFound.
func (s *Service) ReportProfile(ctx context.Context, actor models.Actor, id int64) (*ReportProfile, error) {
	if !actor.May(models.ReconcileSales) && !actor.May(models.ManageSettings) {
		return nil, models.ErrForbidden
	}
	return profileOf(s.db.Gorm().WithContext(ctx), id)
}

func profileOf(g *gorm.DB, id int64) (*ReportProfile, error) {
	var row profileRow
	found := g.Raw(withVersion+` WHERE p.id = ?`, id).Scan(&row)
	if found.Error != nil {
		return nil, fmt.Errorf("read report profile %d: %w", id, found.Error)
	}
	if found.RowsAffected == 0 {
		return nil, models.ErrNotFound
	}
	return row.profile()
}

// CreateReportProfile adds a profile.
//
// Errors: ErrForbidden, or what is wrong with a field of the form.
func (s *Service) CreateReportProfile(ctx context.Context, actor models.Actor, name string, m report.Mapping) (*ReportProfile, error) {
	now := s.clock.Now()
	name, m, err := checkProfile(actor, name, m)
	if err != nil {
		return nil, err
	}
	p := &ReportProfile{Name: name, Mapping: m, Version: 1, CreatedAt: now, SetBy: actor.Name, SetAt: now}
	err = s.db.InTx(ctx, func(t database.Tx) error {
		mapping, err := json.Marshal(m)
		if err != nil {
			return err
		}
		row := profileRow{Name: name, Mapping: mapping, Version: 1, CreatedAt: now}
		if err := t.Create(&row).Error; err != nil {
			return database.Duplicated(err, "name", "profile.taken")
		}
		p.ID = row.ID
		if err := storeVersion(t, actor, now, p, mapping); err != nil {
			return err
		}
		return audit.Record(t, actor, now, models.ActionProfileCreated, models.OutcomeSuccess, audit.About{After: p.attributes()})
	})
	if err != nil {
		return nil, fmt.Errorf("create report profile: %w", err)
	}
	return p, nil
}

func checkProfile(actor models.Actor, name string, m report.Mapping) (string, report.Mapping, error) {
	if !actor.May(models.ManageSettings) {
		return "", m, models.ErrForbidden
	}
	name, err := models.Text("name", name, 80)
	if err != nil {
		return "", m, err
	}
	m, err = m.Check()
	return name, m, err
}

func storeVersion(t database.Tx, actor models.Actor, now time.Time, p *ReportProfile, mapping []byte) error {
	return t.Exec(`INSERT INTO report_profile_versions (profile_id, version, name, mapping, set_at, set_by) VALUES (?, ?, ?, ?, ?, ?)`,
		p.ID, p.Version, p.Name, string(mapping), now, actor.Name).Error
}

// attributes are what the trail records of a profile.
func (p *ReportProfile) attributes() map[string]any {
	return map[string]any{"profile": p.Name, "version": p.Version, "mapping": p.Mapping, "retired": p.RetiredAt != nil}
}

// ChangeReportProfile sets another mapping if the profile is still at version.
// Reports that were read by the old mapping stay as they are.
//
// Errors: ErrForbidden, ErrNotFound, ErrStale, or what is wrong with a field.
func (s *Service) ChangeReportProfile(
	ctx context.Context, actor models.Actor, id int64, version int, name string, m report.Mapping,
) error {
	now := s.clock.Now()
	name, m, err := checkProfile(actor, name, m)
	if err != nil {
		return err
	}
	return s.changeProfile(ctx, actor, now, id, version, func(p *ReportProfile) error {
		p.Name, p.Mapping = name, m
		return nil
	})
}

// RetireReportProfile takes a profile out of use. What was read by it stays.
//
// Errors: ErrForbidden, ErrNotFound, ErrStale.
func (s *Service) RetireReportProfile(ctx context.Context, actor models.Actor, id int64, version int) error {
	now := s.clock.Now()
	return s.changeProfile(ctx, actor, now, id, version, func(p *ReportProfile) error {
		if p.RetiredAt != nil {
			return models.ErrStale
		}
		p.RetiredAt = &now
		return nil
	})
}

// RestoreReportProfile puts a retired profile back into use.
func (s *Service) RestoreReportProfile(ctx context.Context, actor models.Actor, id int64, version int) error {
	now := s.clock.Now()
	return s.changeProfile(ctx, actor, now, id, version, func(p *ReportProfile) error {
		if p.RetiredAt == nil {
			return models.ErrStale
		}
		p.RetiredAt = nil
		return nil
	})
}

func (s *Service) changeProfile(
	ctx context.Context, actor models.Actor, now time.Time, id int64, version int, change func(*ReportProfile) error,
) error {
	if !actor.May(models.ManageSettings) {
		return models.ErrForbidden
	}
	err := s.db.InTx(ctx, func(t database.Tx) error {
		p, err := profileOf(t.DB, id)
		if err != nil {
			return err
		}
		before := p.attributes()
		if err := change(p); err != nil {
			return err
		}
		mapping, err := json.Marshal(p.Mapping)
		if err != nil {
			return err
		}
		columns := map[string]any{"name": p.Name, "mapping": string(mapping), "retired_at": p.RetiredAt}
		if err := t.Replace(&profileRow{}, id, version, columns); err != nil {
			return database.Duplicated(err, "name", "profile.taken")
		}
		p.Version = version + 1
		if err := storeVersion(t, actor, now, p, mapping); err != nil {
			return err
		}
		return audit.Record(t, actor, now, models.ActionProfileChanged, models.OutcomeSuccess,
			audit.About{Before: before, After: p.attributes()})
	})
	if err != nil {
		return fmt.Errorf("change report profile %d: %w", id, err)
	}
	return nil
}
