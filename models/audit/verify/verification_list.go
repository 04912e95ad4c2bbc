package verify

import (
	"context"
	"fmt"

	"veinte/models"
	"veinte/models/audit/sealing"
	"veinte/models/audit/trailfile"
	"veinte/models/database"
)

// Overview is what there is to see of verifying the trail.
type Overview struct {
	List       []Verification // the latest first
	Next       string
	Latest     *sealing.Checkpoint // nil when nothing was ever sealed
	Origin     string              // the trail's name, as stated by Latest
	PublicKeys []string            // as this process has them; nil when it seals nothing
	Outside    bool                // checkpoints leave the database
}

// Running is the verification that is under way; nil when none is.
func (p *Overview) Running() *Verification {
	for i := range p.List {
		if p.List[i].State == RunRunning {
			return &p.List[i]
		}
	}
	return nil
}

// verificationsPerPage is how many the history shows at once.
const verificationsPerPage = 20

// Verifications lists the verifications with their results. Every user who may read
// the trail sees all of them. Only users who see all stores get the details of the
// findings, which may name another store's data.
//
// Errors: ErrForbidden, cursor.invalid.
func (s *Service) Verifications(ctx context.Context, actor models.Actor, cursor string) (*Overview, error) {
	if !actor.May(models.ReadAudit) {
		return nil, models.ErrForbidden
	}
	if err := s.SweepVerifications(ctx); err != nil {
		return nil, err
	}
	p := &Overview{}
	q := s.db.Gorm().WithContext(ctx)
	if cursor != "" {
		at, id, err := database.ParseCursor(cursor)
		if err != nil {
			return nil, err
		}
		q = q.Where("(started_at, id) < (?, ?)", at, id)
	}
	if err := q.Order("started_at DESC, id DESC").Limit(verificationsPerPage + 1).Find(&p.List).Error; err != nil {
		return nil, fmt.Errorf("list verifications: %w", err)
	}
	if len(p.List) > verificationsPerPage {
		p.List = p.List[:verificationsPerPage]
		last := p.List[verificationsPerPage-1]
		p.Next = database.CursorOf(last.StartedAt, last.ID)
	}
	var err error
	if p.Latest, err = s.sealing.LatestCheckpoint(ctx); err != nil {
		return nil, err
	}
	if p.Latest != nil {
		// A note that cannot be read is reported by the verification.
		if claim, err := trailfile.Unverified(p.Latest.Note); err == nil {
			p.Origin = claim.Origin
		}
	}
	p.PublicKeys = s.sealing.PublicKeys()
	p.Outside = s.sealing.Dir != nil
	return p, nil
}
