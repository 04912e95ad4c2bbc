package proposals

import (
	"time"

	"veinte/models"
)

// Life is how long a proposal waits.
const Life = 7 * 24 * time.Hour

// Kind is whose rights a proposal is about.
type Kind string

// The kinds of proposals.
const (
	OfPerson Kind = "person"
	OfKey    Kind = "key"
)

// End is what became of a proposal.
type End string

// The ends of a proposal.
const (
	Confirmed End = "confirmed"
	Refused   End = "refused"
	Withdrawn End = "withdrawn" // by whoever asked
	Expired   End = "expired"
	Lapsed    End = "lapsed" // it was no longer about what it said, or its asker no longer an administrator
)

// actions are the entries of the ends.
var actions = map[End]models.Action{
	Confirmed: models.ActionRightsConfirmed, Refused: models.ActionRightsRefused, Withdrawn: models.ActionRightsWithdrawn,
	Expired: models.ActionRightsExpired, Lapsed: models.ActionRightsLapsed,
}

// Subject is the person or the key that gets rights.
type Subject struct {
	Kind Kind
	ID   int64
}

// Person and Key are the subjects with an id.
func Person(id int64) Subject { return Subject{OfPerson, id} }

// Key is a program's key.
func Key(id int64) Subject { return Subject{OfKey, id} }

// Proposal are rights that somebody is to get.
type Proposal struct {
	ID            int64
	UserID, KeyID *int64        // one of them
	Name, Email   string        // theirs, when it was asked for; a key has no address
	Before        models.Rights `gorm:"column:rights_before;serializer:json" db:"rights_before"`
	After         models.Rights `gorm:"column:rights_after;serializer:json" db:"rights_after"`
	AskedBy       int64
	AskedByName   string
	AskedAt       time.Time
	ExpiresAt     time.Time
	EndedAt       *time.Time
	EndedBy       End
}

// Subject is who gets the rights.
func (p *Proposal) Subject() Subject {
	if p.KeyID != nil {
		return Key(*p.KeyID)
	}
	return Person(*p.UserID)
}

// open reports whether it still waits.
func (p *Proposal) open(now time.Time) bool { return p.EndedAt == nil && now.Before(p.ExpiresAt) }

// The refusals of whoever decides. Each says what to do.
var (
	ErrOver   = &models.Error{Kind: models.KindConflict, Code: "proposal.over"}
	ErrOwn    = &models.Error{Kind: models.KindConflict, Code: "proposal.own"}    // they asked for it
	ErrForYou = &models.Error{Kind: models.KindConflict, Code: "proposal.forYou"} // they get the rights
	ErrHelped = &models.Error{Kind: models.KindConflict, Code: "proposal.helped"} // one gave the other a way in
	ErrTooNew = &models.Error{Kind: models.KindConflict, Code: "proposal.tooNew"} // they were made by one alone
	ErrNotOwn = &models.Error{Kind: models.KindConflict, Code: "proposal.notOwn"} // somebody else asked for it
	// The proposal ends with these two.
	ErrChanged   = &models.Error{Kind: models.KindConflict, Code: "proposal.changed"}
	ErrAskerGone = &models.Error{Kind: models.KindConflict, Code: "proposal.askerGone"}
)
