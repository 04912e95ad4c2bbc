package alerts

import (
	"encoding/json"
	"slices"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// rights are what an entry says that a person, or the program of a key, may do and where.
type rights struct {
	Name      string
	Email     string
	Role      models.Role // of a person
	Scopes    []string    // of a key
	AllStores bool
	Stores    []int64
}

// cancels is the scope by which a key moves money.
const cancels = "cancellations:write"

// movesMoney reports whether they may cancel, resolve or say who may.
func (r *rights) movesMoney() bool { return r.Role.MovesMoney() || slices.Contains(r.Scopes, cancels) }

// wider reports whether they move money in a way, or in a store, that they did not before.
func (r *rights) wider(before *rights) bool {
	switch {
	case !r.movesMoney():
		return false
	case !before.movesMoney(), r.AllStores && !before.AllStores:
		return true
	case r.Role != before.Role && r.Role.MovesMoreThan(before.Role):
		return true
	}
	return !before.AllStores && slices.ContainsFunc(r.Stores, func(id int64) bool { return !slices.Contains(before.Stores, id) })
}

// judgeRights raises what gives somebody, or a key, rights that move money. Each is told at
// once: its rule cannot be switched off.
func (a *Service) judgeRights(t database.Tx, r *AlertRule, e *models.AuditEntry, now time.Time) error {
	var before, after rights
	if e.Outcome != models.OutcomeSuccess || json.Unmarshal(e.After, &after) != nil {
		return nil
	}
	if len(e.Before) > 0 {
		_ = json.Unmarshal(e.Before, &before) // what cannot be read was nothing
	}
	if !after.wider(&before) {
		return nil
	}
	f := findingOf(e, "rights "+after.Email) // the address of whoever got them: see ownAlert
	if f.facts.Of = after.Name; after.Email == "" {
		f.subject = "key " + after.Name
	}
	f.facts.Role = after.Role
	return a.raise(t, r, f, now)
}
