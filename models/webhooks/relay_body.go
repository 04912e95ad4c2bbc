package webhooks

import (
	"context"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// RelayBody is what a relay is sent of a terminal's post.
type RelayBody string

// The bodies of a relay. The original holds whatever the terminal posted, card data
// too, so it takes two people: one who asks for it, and another who confirms.
const (
	BodyMasked        RelayBody = "masked"        // what is stored of it
	BodyOriginalAsked RelayBody = "originalAsked" // masked, until somebody else confirms
	BodyOriginal      RelayBody = "original"      // as it came
)

// SetRelayBody asks for the original, confirms that somebody else asked for it, or goes
// back to the masked body, which one person may do alone.
//
// Errors: ErrForbidden, ErrProofNeeded, ErrNotFound, ErrStale, endpoint.retired, endpoint.secondPerson
// when the person who asked confirms, or a field.
func (d *Service) SetRelayBody(ctx context.Context, actor models.Actor, id int64, version int, to RelayBody) error {
	if err := actor.Fresh(); err != nil {
		return err
	}
	return d.changeEndpoint(ctx, actor, id, func(t database.Tx, e *Endpoint, now time.Time) error {
		if e.Kind != RelayEndpoint {
			return models.ErrNotFound
		}
		switch {
		case to == BodyMasked:
		case to == BodyOriginalAsked && e.RelayBody == BodyMasked:
		case to == BodyOriginal && e.RelayBody == BodyOriginalAsked:
			if e.ChangedBy == nil || *e.ChangedBy == actor.UserID {
				return &models.Error{Kind: models.KindConflict, Code: "endpoint.secondPerson"}
			}
		case to == BodyOriginalAsked, to == BodyOriginal:
			return models.ErrStale // it was asked for, confirmed or taken back meanwhile
		default:
			return models.Invalid("body", "filter.invalid")
		}
		before := e.attributes()
		e.RelayBody = to
		columns := map[string]any{"relay_body": to, "changed_by": actor.UserID}
		if err := t.Replace(&Endpoint{}, id, version, columns); err != nil {
			return err
		}
		return audit.Record(t, actor, now, models.ActionEndpointChanged, models.OutcomeSuccess,
			audit.About{Before: before, After: e.attributes()})
	})
}
