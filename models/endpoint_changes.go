package models

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// maxEndpoints is how many endpoints may be in use: each result and each move
// of a case is written once for each.
const maxEndpoints = 20

// errNoKey says that there is nothing to seal addresses and secrets with.
var errNoKey = &Error{Kind: KindConflict, Code: "endpoint.noKey"}

// CreateEndpoint adds an endpoint and returns the secret that its deliveries are
// signed with, to be shown once.
//
// Errors: ErrForbidden, a field, endpoint.nameTaken, endpoint.tooMany, or
// endpoint.noKey when there is no RELAY_KEY.
func (d *Deliveries) CreateEndpoint(ctx context.Context, actor Actor, in EndpointInput) (*Endpoint, Secret, error) {
	if !actor.May(ManageEndpoints) {
		return nil, Secret{}, ErrForbidden
	}
	if !d.HasKey() {
		return nil, Secret{}, errNoKey
	}
	in, err := in.check(d.allowPrivate)
	if err != nil {
		return nil, Secret{}, err
	}
	secret, now := newSecret(), d.clock.Now()
	e := &Endpoint{
		Kind: in.Kind, Name: in.Name, ShownURL: shownURL(in.URL), SealedURL: d.sealer.seal(sealedURL, []byte(in.URL)),
		SealedSecret: d.sealer.seal(sealedSecret, []byte(secret.Reveal())),
		Events:       in.Events, AllStores: in.AllStores, StoreIDs: in.StoreIDs,
		State: EndpointActive, StateAt: now, Version: 1, CreatedAt: now,
	}
	err = d.db.transaction(ctx, func(t tx) error {
		// Two at once are counted one after the other.
		if err := t.lock(LockEndpoints); err != nil {
			return err
		}
		var used int64
		if err := t.Model(&Endpoint{}).Where("state <> ?", EndpointRetired).Count(&used).Error; err != nil {
			return err
		}
		if used >= maxEndpoints {
			return &Error{Kind: KindConflict, Code: "endpoint.tooMany"}
		}
		if err := t.storesExist(in.StoreIDs); err != nil {
			return err
		}
		if err := t.Create(e).Error; err != nil {
			return duplicated(err, "name", "endpoint.nameTaken")
		}
		return t.record(actor, now, ActionEndpointCreated, OutcomeSuccess, about{after: e.told()})
	})
	if err != nil {
		return nil, Secret{}, fmt.Errorf("create endpoint: %w", err)
	}
	return e, secret, nil
}

// storesExist refuses stores that there are none of.
func (t tx) storesExist(ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	var found int64
	if err := t.Model(&Store{}).Where("id IN ?", ids).Count(&found).Error; err != nil {
		return err
	}
	if found != int64(len(ids)) {
		return Invalid("stores", "store.unknown")
	}
	return nil
}

// ChangeEndpoint changes what an endpoint is called, where it is and what it is
// told. What waits for it goes to the new address. An address that is given as
// it is shown stays as it is.
//
// Errors: ErrForbidden, ErrNotFound, ErrStale, endpoint.retired, endpoint.noKey,
// endpoint.nameTaken, or a field.
func (d *Deliveries) ChangeEndpoint(ctx context.Context, actor Actor, id int64, version int, in EndpointInput) error {
	return d.changeEndpoint(ctx, actor, id, func(t tx, e *Endpoint, now time.Time) error {
		if !d.HasKey() {
			return errNoKey
		}
		in.Kind = e.Kind
		same := in.URL == e.ShownURL
		if same {
			plain, err := d.sealer.open(sealedURL, e.SealedURL)
			if err != nil {
				return Invalid("url", "endpoint.urlLost")
			}
			in.URL = string(plain)
		}
		checked, err := in.check(d.allowPrivate)
		if err != nil {
			return err
		}
		if err := t.storesExist(checked.StoreIDs); err != nil {
			return err
		}
		before := e.told()
		e.Name, e.ShownURL, e.Events, e.AllStores, e.StoreIDs = checked.Name, shownURL(checked.URL), checked.Events, checked.AllStores, checked.StoreIDs
		columns := map[string]any{
			"name": e.Name, "shown_url": e.ShownURL, "events": e.Events, "all_stores": e.AllStores, "store_ids": e.StoreIDs,
			"sealed_url": d.sealer.seal(sealedURL, []byte(checked.URL)),
		}
		// Saving is how an old key becomes dispensable: all is sealed with the new one.
		if secret, err := d.sealer.open(sealedSecret, e.SealedSecret); err == nil {
			columns["sealed_secret"] = d.sealer.seal(sealedSecret, secret)
		}
		if err := t.replace(&Endpoint{}, id, version, columns); err != nil {
			return duplicated(err, "name", "endpoint.nameTaken")
		}
		after := e.told()
		if !same && after["url"] == before["url"] {
			after["url"] = e.ShownURL + " *" // another key in the same place
		}
		return t.record(actor, now, ActionEndpointChanged, OutcomeSuccess, about{before: before, after: after})
	})
}

// PauseEndpoint stops the deliveries to an endpoint; what comes meanwhile waits,
// for three days.
//
// Errors: ErrForbidden, ErrNotFound, ErrStale, endpoint.retired.
func (d *Deliveries) PauseEndpoint(ctx context.Context, actor Actor, id int64, version int) error {
	return d.changeEndpoint(ctx, actor, id, func(t tx, e *Endpoint, now time.Time) error {
		if err := t.replace(&Endpoint{}, id, version, map[string]any{"state": EndpointPaused, "state_reason": "", "state_at": now}); err != nil {
			return err
		}
		return t.record(actor, now, ActionEndpointPaused, OutcomeSuccess, about{before: e.toldIn(e.State), after: e.toldIn(EndpointPaused)})
	})
}

// ResumeEndpoint delivers again to an endpoint that was paused or disabled:
// what waits is due at once.
//
// Errors: ErrForbidden, ErrNotFound, ErrStale, endpoint.retired, endpoint.noKey.
func (d *Deliveries) ResumeEndpoint(ctx context.Context, actor Actor, id int64, version int) error {
	defer d.wake()
	err := d.changeEndpoint(ctx, actor, id, func(t tx, e *Endpoint, now time.Time) error {
		if !d.HasKey() {
			return errNoKey
		}
		err := t.replace(&Endpoint{}, id, version, map[string]any{
			"state": EndpointActive, "state_reason": "", "state_at": now, "failing_since": nil,
		})
		if err != nil {
			return err
		}
		return t.record(actor, now, ActionEndpointResumed, OutcomeSuccess, about{before: e.toldIn(e.State), after: e.toldIn(EndpointActive)})
	})
	if err != nil {
		return err
	}
	// Not before the endpoint's row is let go of: whoever delivers locks a lane
	// first, and then that row.
	return d.hasten(ctx, id, `due_at = @now, `+laneFresh, `(due_at > @now OR failures > 0)`)
}

// RetireEndpoint ends the deliveries to an endpoint for good: its address and
// its secrets are gone. Its log stays. What still waited for it, which may be a
// lot, is given up and erased by the next sweep: nothing is held up meanwhile.
//
// Errors: ErrForbidden, ErrNotFound, ErrStale, endpoint.retired.
func (d *Deliveries) RetireEndpoint(ctx context.Context, actor Actor, id int64, version int) error {
	return d.changeEndpoint(ctx, actor, id, func(t tx, e *Endpoint, now time.Time) error {
		err := t.replace(&Endpoint{}, id, version, map[string]any{
			"state": EndpointRetired, "state_reason": "", "state_at": now, "sealed_url": []byte{}, "sealed_secret": []byte{},
			"sealed_old_secret": nil, "old_secret_until": nil,
		})
		if err != nil {
			return err
		}
		return t.record(actor, now, ActionEndpointRetired, OutcomeSuccess, about{before: e.toldIn(e.State), after: e.toldIn(EndpointRetired)})
	})
}

// RotateSecret gives an endpoint another secret, to be shown once. The one
// before signs too for a day, so that the receiver can change over.
//
// Errors: ErrForbidden, ErrNotFound, ErrStale, endpoint.retired, endpoint.noKey.
func (d *Deliveries) RotateSecret(ctx context.Context, actor Actor, id int64, version int) (Secret, error) {
	secret := newSecret()
	err := d.changeEndpoint(ctx, actor, id, func(t tx, e *Endpoint, now time.Time) error {
		if !d.HasKey() {
			return errNoKey
		}
		err := t.replace(&Endpoint{}, id, version, map[string]any{
			"sealed_secret":     d.sealer.seal(sealedSecret, []byte(secret.Reveal())),
			"sealed_old_secret": e.SealedSecret, "old_secret_until": now.Add(secretOverlap),
		})
		if err != nil {
			return err
		}
		return t.record(actor, now, ActionSecretRotated, OutcomeSuccess, about{after: map[string]any{"endpoint": e.Name}})
	})
	if err != nil {
		return Secret{}, err
	}
	return secret, nil
}

// changeEndpoint changes an endpoint that is in use. f sees it as it was before,
// and replaces the version that the person saw.
func (d *Deliveries) changeEndpoint(ctx context.Context, actor Actor, id int64, f func(tx, *Endpoint, time.Time) error) error {
	if !actor.May(ManageEndpoints) {
		return ErrForbidden
	}
	err := d.db.transaction(ctx, func(t tx) error {
		var e Endpoint
		if err := take(t.Where("id = ?", id), &e); err != nil {
			return err
		}
		if e.State == EndpointRetired {
			return &Error{Kind: KindConflict, Code: "endpoint.retired"}
		}
		return f(t, &e, d.clock.Now())
	})
	var known *Error
	if err != nil && !errors.As(err, &known) {
		return fmt.Errorf("change endpoint %d: %w", id, err)
	}
	return err
}
