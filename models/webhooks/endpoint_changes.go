package webhooks

import (
	"context"
	"errors"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
	"veinte/models/secretbox"
)

// maxEndpoints is how many endpoints may be in use: each result and each change of a
// cancellation is written once for each endpoint.
const maxEndpoints = 20

// errNoKey means that there is no key to encrypt addresses and secrets with.
var errNoKey = &models.Error{Kind: models.KindConflict, Code: "endpoint.noKey"}

// CreateEndpoint creates an endpoint and returns its signing secret, to be shown
// once.
//
// Errors: ErrForbidden, ErrProofNeeded, a field, endpoint.nameTaken, endpoint.tooMany, or
// endpoint.noKey when there is no RELAY_KEY.
func (d *Service) CreateEndpoint(ctx context.Context, actor models.Actor, in Input) (*Endpoint, secretbox.Secret, error) {
	if !actor.May(models.ManageEndpoints) {
		return nil, secretbox.Secret{}, models.ErrForbidden
	}
	if err := actor.Fresh(); err != nil {
		return nil, secretbox.Secret{}, err
	}
	if !d.HasKey() {
		return nil, secretbox.Secret{}, errNoKey
	}
	in, err := in.check(d.allowPrivate)
	if err != nil {
		return nil, secretbox.Secret{}, err
	}
	secret, now := secretbox.NewSecret(), d.clock.Now()
	e := &Endpoint{
		Kind: in.Kind, Name: in.Name, ShownURL: shownURL(in.URL), SealedURL: d.box.Encrypt(secretbox.PurposeURL, []byte(in.URL)),
		SealedSecret: d.box.Encrypt(secretbox.PurposeSecret, []byte(secret.Reveal())),
		Events:       in.Events, AllStores: in.AllStores, StoreIDs: in.StoreIDs,
		RelayBody: BodyMasked, State: EndpointActive, StateAt: now, Version: 1, CreatedAt: now,
	}
	if actor.UserID != 0 {
		e.ChangedBy = &actor.UserID
	}
	err = d.db.InTx(ctx, func(t database.Tx) error {
		// The lock makes two concurrent creations count one after the other.
		if err := t.Lock(database.LockEndpoints); err != nil {
			return err
		}
		var used int64
		if err := t.Model(&Endpoint{}).Where("state <> ?", EndpointRetired).Count(&used).Error; err != nil {
			return err
		}
		if used >= maxEndpoints {
			return &models.Error{Kind: models.KindConflict, Code: "endpoint.tooMany"}
		}
		if err := StoresExist(t, in.StoreIDs); err != nil {
			return err
		}
		if err := t.Create(e).Error; err != nil {
			return database.Duplicated(err, "name", "endpoint.nameTaken")
		}
		return audit.Record(t, actor, now, models.ActionEndpointCreated, models.OutcomeSuccess, audit.About{After: e.attributes()})
	})
	if err != nil {
		return nil, secretbox.Secret{}, fmt.Errorf("create endpoint: %w", err)
	}
	return e, secret, nil
}

// StoresExist refuses ids of stores that do not exist.
func StoresExist(t database.Tx, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	var found int64
	if err := t.Model(&models.Store{}).Where("id IN ?", ids).Count(&found).Error; err != nil {
		return err
	}
	if found != int64(len(ids)) {
		return models.Invalid("stores", "store.unknown")
	}
	return nil
}

// ChangeEndpoint changes an endpoint's name, address, events and stores. Waiting
// deliveries go to the new address. An address that equals the shown form is not
// changed. What a second person confirmed, they confirmed for the address of then: a
// relay with another one is sent masked bodies, and a change takes back what was asked.
//
// Errors: ErrForbidden, ErrProofNeeded, ErrNotFound, ErrStale, endpoint.retired, endpoint.noKey,
// endpoint.nameTaken, or a field.
func (d *Service) ChangeEndpoint(ctx context.Context, actor models.Actor, id int64, version int, in Input) error {
	if err := actor.Fresh(); err != nil {
		return err
	}
	return d.changeEndpoint(ctx, actor, id, func(t database.Tx, e *Endpoint, now time.Time) error {
		if !d.HasKey() {
			return errNoKey
		}
		in.Kind = e.Kind
		same := in.URL == e.ShownURL
		if same {
			plain, err := d.box.Decrypt(secretbox.PurposeURL, e.SealedURL)
			if err != nil {
				return models.Invalid("url", "endpoint.urlLost")
			}
			in.URL = string(plain)
		}
		checked, err := in.check(d.allowPrivate)
		if err != nil {
			return err
		}
		if err := StoresExist(t, checked.StoreIDs); err != nil {
			return err
		}
		before := e.attributes()
		e.Name, e.ShownURL, e.Events = checked.Name, shownURL(checked.URL), checked.Events
		e.AllStores, e.StoreIDs = checked.AllStores, checked.StoreIDs
		if !same || e.RelayBody == BodyOriginalAsked {
			e.RelayBody = BodyMasked
		}
		columns := map[string]any{
			"relay_body": e.RelayBody,
			"name":       e.Name, "shown_url": e.ShownURL, "events": e.Events, "all_stores": e.AllStores, "store_ids": e.StoreIDs,
			"sealed_url": d.box.Encrypt(secretbox.PurposeURL, []byte(checked.URL)), "changed_by": actor.UserID,
		}
		// Saving encrypts everything with the newest key, so that an old one
		// can be dropped.
		if secret, err := d.box.Decrypt(secretbox.PurposeSecret, e.SealedSecret); err == nil {
			columns["sealed_secret"] = d.box.Encrypt(secretbox.PurposeSecret, secret)
		}
		if err := t.Replace(&Endpoint{}, id, version, columns); err != nil {
			return database.Duplicated(err, "name", "endpoint.nameTaken")
		}
		after := e.attributes()
		if !same && after["url"] == before["url"] {
			after["url"] = e.ShownURL + " *" // only the hidden part changed, for example a key
		}
		return audit.Record(t, actor, now, models.ActionEndpointChanged, models.OutcomeSuccess, audit.About{Before: before, After: after})
	})
}

// PauseEndpoint pauses the deliveries to an endpoint. New deliveries wait for up to
// three days.
//
// Errors: ErrForbidden, ErrNotFound, ErrStale, endpoint.retired.
func (d *Service) PauseEndpoint(ctx context.Context, actor models.Actor, id int64, version int) error {
	return d.changeEndpoint(ctx, actor, id, func(t database.Tx, e *Endpoint, now time.Time) error {
		return setState(t, actor, now, e, version, models.ActionEndpointPaused, EndpointPaused, map[string]any{})
	})
}

// ResumeEndpoint delivers again to an endpoint that was paused or disabled. Waiting
// deliveries are due at once.
//
// Errors: ErrForbidden, ErrNotFound, ErrStale, endpoint.retired, endpoint.noKey.
func (d *Service) ResumeEndpoint(ctx context.Context, actor models.Actor, id int64, version int) error {
	defer d.NotifyWorkers()
	err := d.changeEndpoint(ctx, actor, id, func(t database.Tx, e *Endpoint, now time.Time) error {
		if !d.HasKey() {
			return errNoKey
		}
		return setState(t, actor, now, e, version, models.ActionEndpointResumed, EndpointActive, map[string]any{"failing_since": nil})
	})
	if err != nil {
		return err
	}
	// Only after the endpoint's row is unlocked: whoever delivers locks a lane
	// first, and then that row.
	return d.hasten(ctx, id, `due_at = @now, `+laneFresh, `(due_at > @now OR failures > 0)`)
}

// RetireEndpoint ends the deliveries to an endpoint for good and deletes its address
// and secrets. Its log stays. Waiting deliveries, which may be many, are abandoned
// and erased by the next sweep, so that this transaction stays short.
//
// Errors: ErrForbidden, ErrNotFound, ErrStale, endpoint.retired.
func (d *Service) RetireEndpoint(ctx context.Context, actor models.Actor, id int64, version int) error {
	return d.changeEndpoint(ctx, actor, id, func(t database.Tx, e *Endpoint, now time.Time) error {
		return setState(t, actor, now, e, version, models.ActionEndpointRetired, EndpointRetired, map[string]any{
			"sealed_url": []byte{}, "sealed_secret": []byte{}, "sealed_old_secret": nil, "old_secret_until": nil,
		})
	})
}

// setState changes the state of an endpoint, and with it the columns.
func setState(
	t database.Tx, actor models.Actor, now time.Time, e *Endpoint, version int,
	action models.Action, to EndpointState, columns map[string]any,
) error {
	columns["state"], columns["state_reason"], columns["state_at"] = to, "", now
	if err := t.Replace(&Endpoint{}, e.ID, version, columns); err != nil {
		return err
	}
	about := audit.About{Before: e.attributesIn(e.State), After: e.attributesIn(to)}
	return audit.Record(t, actor, now, action, models.OutcomeSuccess, about)
}

// RotateSecret gives an endpoint a new secret, to be shown once. The previous one
// signs too for a day, so that the receiver can change over.
//
// Errors: ErrForbidden, ErrProofNeeded, ErrNotFound, ErrStale, endpoint.retired, endpoint.noKey.
func (d *Service) RotateSecret(ctx context.Context, actor models.Actor, id int64, version int) (secretbox.Secret, error) {
	if err := actor.Fresh(); err != nil {
		return secretbox.Secret{}, err
	}
	secret := secretbox.NewSecret()
	err := d.changeEndpoint(ctx, actor, id, func(t database.Tx, e *Endpoint, now time.Time) error {
		if !d.HasKey() {
			return errNoKey
		}
		err := t.Replace(&Endpoint{}, id, version, map[string]any{
			"sealed_secret":     d.box.Encrypt(secretbox.PurposeSecret, []byte(secret.Reveal())),
			"sealed_old_secret": e.SealedSecret, "old_secret_until": now.Add(secretOverlap),
		})
		if err != nil {
			return err
		}
		about := audit.About{After: map[string]any{"endpoint": e.Name}}
		return audit.Record(t, actor, now, models.ActionSecretRotated, models.OutcomeSuccess, about)
	})
	if err != nil {
		return secretbox.Secret{}, err
	}
	return secret, nil
}

// changeEndpoint changes an endpoint that is in use. f gets it as it was before, and
// replaces the version that the user saw.
func (d *Service) changeEndpoint(
	ctx context.Context, actor models.Actor, id int64, f func(database.Tx, *Endpoint, time.Time) error,
) error {
	if !actor.May(models.ManageEndpoints) {
		return models.ErrForbidden
	}
	err := d.db.InTx(ctx, func(t database.Tx) error {
		var e Endpoint
		if err := database.TakeRow(t.Where("id = ?", id), &e); err != nil {
			return err
		}
		if e.State == EndpointRetired {
			return &models.Error{Kind: models.KindConflict, Code: "endpoint.retired"}
		}
		return f(t, &e, d.clock.Now())
	})
	var known *models.Error
	if err != nil && !errors.As(err, &known) {
		return fmt.Errorf("change endpoint %d: %w", id, err)
	}
	return err
}
