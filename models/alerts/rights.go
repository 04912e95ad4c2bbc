package alerts

import (
	"encoding/json"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// rights are what an entry says that a person, the program of a key, or a group of the
// single sign-on may do and where.
type rights struct {
	Name, Email, Group string
	AskedBy            string // of what another administrator confirmed
	models.Rights
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
	if !after.Wider(&before.Rights) {
		return nil
	}
	f := findingOf(e, "rights "+after.Email) // the address of whoever got them: see ownAlert
	switch f.facts.Of = after.Name; {
	case after.Group != "":
		f.facts.Of, f.subject = after.Group, "group "+after.Group
	case after.Email == "":
		f.subject = "key " + after.Name
	}
	f.facts.Role, f.facts.AskedBy = after.Role, after.AskedBy
	return a.raise(t, r, f, now)
}
