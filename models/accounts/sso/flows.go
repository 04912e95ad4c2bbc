package sso

import (
	"crypto/rand"
	"crypto/sha256"
	"database/sql/driver"
	"encoding/base64"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// FlowLife is how long somebody may take to sign in at the provider.
const FlowLife = 10 * time.Minute

// flowsOfOne is how many sign-ins of one network, or of one known device, may be under way.
const flowsOfOne = 60

// The refusals of a sign-in at the provider.
var (
	ErrFlowOver     = &models.Error{Kind: models.KindConflict, Code: "sso.flowOver"}
	ErrTooManyFlows = &models.Error{Kind: models.KindTooMany, Code: "sso.tooManyFlows"}
)

// Flow is a sign-in that is under way at the provider.
type Flow struct {
	models.SSORequest
	Browser string // for the cookie of the browser that began it
	Next    string // the page to go to afterwards
}

// hash implements driver.Valuer because gorm would spread plain bytes over several columns.
type hash [sha256.Size]byte

// Value returns the hash for a bytea column.
func (h hash) Value() (driver.Value, error) { return h[:], nil }

func secret() string {
	var raw [32]byte
	_, _ = rand.Read(raw[:])
	return base64.RawURLEncoding.EncodeToString(raw[:])
}

// NewFlow draws the secrets of a sign-in.
func NewFlow(next string) *Flow {
	return &Flow{models.SSORequest{State: secret(), Nonce: secret(), Verifier: secret()}, secret(), next}
}

// Begin stores a sign-in that goes to the provider, and counts it by a network or a device.
//
// Errors: ErrTooManyFlows.
func Begin(t database.Tx, f *Flow, by string, now time.Time) error {
	if err := t.Exec("DELETE FROM sso_flows WHERE expires_at <= ?", now).Error; err != nil {
		return err
	}
	done := t.Exec(`INSERT INTO sso_flows (state_hash, browser_hash, nonce, verifier, next, network, expires_at)
		SELECT ?, ?, ?, ?, ?, ?, CAST(? AS timestamptz) WHERE (SELECT count(*) FROM sso_flows WHERE network = ?) < ?`,
		hash(sha256.Sum256([]byte(f.State))), hash(sha256.Sum256([]byte(f.Browser))), f.Nonce, f.Verifier, f.Next, by, now.Add(FlowLife),
		by, flowsOfOne)
	if done.Error == nil && done.RowsAffected == 0 {
		return ErrTooManyFlows
	}
	return done.Error
}

// Take ends the sign-in of a state, which only the browser that began it can: whoever has
// the address of the way back alone has nothing.
//
// Errors: ErrFlowOver.
func Take(t database.Tx, state, browser string, now time.Time) (*Flow, error) {
	var f Flow
	done := t.Raw(`DELETE FROM sso_flows WHERE state_hash = ? AND browser_hash = ? AND expires_at > ? RETURNING nonce, verifier, next`,
		hash(sha256.Sum256([]byte(state))), hash(sha256.Sum256([]byte(browser))), now).Scan(&f)
	switch {
	case done.Error != nil:
		return nil, fmt.Errorf("end a sign-in at the provider: %w", done.Error)
	case done.RowsAffected == 0:
		return nil, ErrFlowOver
	}
	f.State, f.Browser = state, browser
	return &f, nil
}
