package passkeys

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"veinte/models"
	"veinte/models/database"
)

// Most is how many passkeys a person may have.
const Most = 10

// The refusals of what a browser sends.
var (
	ErrNowhere   = &models.Error{Kind: models.KindConflict, Code: "passkey.nowhere"} // no passkey works at this address
	ErrWrong     = models.Invalid("passkey", "passkey.wrong")
	ErrOver      = models.Invalid("passkey", "passkey.over")      // too late, used, or asked for elsewhere
	ErrUnknown   = models.Invalid("passkey", "passkey.unknown")   // nobody has registered it, or it was removed
	ErrOtherSite = models.Invalid("passkey", "passkey.otherSite") // signed for another address
	ErrCloned    = models.Invalid("passkey", "passkey.cloned")    // two devices seem to have it
	ErrThere     = models.Invalid("passkey", "passkey.there")
	ErrMany      = models.Invalid("passkey", "passkey.many")
)

// Service registers and judges passkeys.
type Service struct {
	clock models.Clock
	site  Site
	key   func(context.Context) ([]byte, error) // of the installation: it signs challenges
	web   *webauthn.WebAuthn                    // nil: they work nowhere
}

// New makes the service of a site.
func New(clock models.Clock, site Site, key func(context.Context) ([]byte, error)) *Service {
	s := &Service{clock: clock, site: site, key: key}
	if site.ID == "" {
		return s
	}
	resident := true
	limit := webauthn.TimeoutConfig{Timeout: Life, TimeoutUVD: Life}
	web, err := webauthn.New(&webauthn.Config{
		RPID: site.ID, RPDisplayName: "Veinte", RPOrigins: []string{site.Origin}, AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			RequireResidentKey: &resident, ResidentKey: protocol.ResidentKeyRequirementRequired,
			UserVerification: protocol.VerificationRequired,
		},
		Timeouts: webauthn.TimeoutsConfig{Login: limit, Registration: limit},
	})
	if err != nil {
		s.site = Site{}
		return s
	}
	s.web = web
	return s
}

// Site is where they work.
func (s *Service) Site() Site { return s.site }

// Key is a passkey of a person, without what is secret or signed.
type Key struct {
	ID        int64      `json:"id"`
	Name      string     `json:"name"`
	Site      string     `json:"site"`
	Synced    bool       `json:"synced"` // its person's other devices may have it too
	CreatedAt time.Time  `json:"createdAt"`
	UsedAt    *time.Time `json:"usedAt,omitempty"`
	ClonedAt  *time.Time `json:"clonedAt,omitempty"` // since when it is refused
	// Binding is the SHA-256 of its public half, in hex: by it the entry of its addition or
	// removal says which key it was. It is "" elsewhere.
	Binding string `json:"-" gorm:"column:binding"`
}

// Of lists a person's passkeys, the oldest first.
func Of(t database.Tx, userID int64) ([]Key, error) {
	keys := []Key{}
	err := t.Raw(`SELECT id, name, site, synced, created_at, used_at, cloned_at FROM passkeys
		WHERE user_id = ? ORDER BY id`, userID).Scan(&keys).Error
	if err != nil {
		return nil, fmt.Errorf("list the passkeys of user %d: %w", userID, err)
	}
	return keys, nil
}

// Remove removes a passkey of a person and returns it.
//
// Errors: ErrNotFound.
func Remove(t database.Tx, userID, id int64) (*Key, error) {
	var k Key
	done := t.Raw(`DELETE FROM passkeys WHERE user_id = ? AND id = ?
		RETURNING id, name, site, synced, created_at, used_at, cloned_at, encode(sha256(public_key), 'hex') AS binding`, userID, id).Scan(&k)
	if done.Error != nil {
		return nil, fmt.Errorf("remove passkey %d: %w", id, done.Error)
	}
	if done.RowsAffected == 0 {
		return nil, models.ErrNotFound
	}
	return &k, nil
}

// row is a passkey as it is judged.
type row struct {
	ID           int64
	UserID       int64
	Site         string
	CredentialID []byte
	Handle       []byte
	PublicKey    []byte
	Synced       bool
	SignCount    int64
	Name         string
	ClonedAt     *time.Time
}

func (r *row) credential() webauthn.Credential {
	return webauthn.Credential{
		ID: r.CredentialID, PublicKey: r.PublicKey, Flags: webauthn.CredentialFlags{BackupEligible: r.Synced, UserVerified: true},
		Authenticator: webauthn.Authenticator{SignCount: uint32(r.SignCount)},
	}
}

// person is somebody with some of their keys, as the library asks for them.
type person struct {
	handle []byte
	user   *models.User // nil: nobody is told their name
	keys   []webauthn.Credential
}

func (p *person) WebAuthnID() []byte                         { return p.handle }
func (p *person) WebAuthnName() string                       { return p.user.Email }
func (p *person) WebAuthnDisplayName() string                { return p.user.Name }
func (p *person) WebAuthnCredentials() []webauthn.Credential { return p.keys }

// personOf is a person with their keys of this site. The handle by which devices know them
// says nothing about them, and stays.
func (s *Service) personOf(ctx context.Context, t database.Tx, u *models.User) (*person, error) {
	var rows []row
	err := t.Raw("SELECT * FROM passkeys WHERE user_id = ? AND site = ? AND cloned_at IS NULL ORDER BY id", u.ID, s.site.ID).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read the passkeys of user %d: %w", u.ID, err)
	}
	p := &person{user: u}
	for _, r := range rows {
		p.handle, p.keys = r.Handle, append(p.keys, r.credential())
	}
	if p.handle != nil {
		return p, nil
	}
	key, err := s.key(ctx)
	if err != nil {
		return nil, err
	}
	m := hmac.New(sha256.New, key)
	fmt.Fprintf(m, "passkey handle of %d", u.ID)
	p.handle = m.Sum(nil)
	return p, nil
}

// Ask is what a browser has its person sign. Without a person whoever has a passkey of
// this site may; with one, their keys alone.
//
// Errors: ErrNowhere, ErrUnknown when the person has none that works here.
func (s *Service) Ask(ctx context.Context, t database.Tx, of Ceremony, u *models.User) (json.RawMessage, error) {
	if s.web == nil {
		return nil, ErrNowhere
	}
	challenge, err := s.challenge(ctx, of)
	if err != nil {
		return nil, err
	}
	var asked *protocol.CredentialAssertion
	if u == nil {
		asked, _, err = s.web.BeginDiscoverableLogin(webauthn.WithChallenge(challenge))
	} else {
		p, failed := s.personOf(ctx, t, u)
		if failed != nil {
			return nil, failed
		}
		if len(p.keys) == 0 {
			return nil, ErrUnknown
		}
		asked, _, err = s.web.BeginLogin(p, webauthn.WithChallenge(challenge))
	}
	if err != nil {
		return nil, fmt.Errorf("ask for a passkey: %w", err)
	}
	return json.Marshal(asked.Response)
}

// AskNew is what a browser makes a new passkey of the person with.
//
// Errors: ErrNowhere, ErrMany.
func (s *Service) AskNew(ctx context.Context, t database.Tx, of Ceremony, u *models.User) (json.RawMessage, error) {
	if s.web == nil {
		return nil, ErrNowhere
	}
	if err := room(t, u.ID); err != nil {
		return nil, err
	}
	p, err := s.personOf(ctx, t, u)
	if err != nil {
		return nil, err
	}
	challenge, err := s.challenge(ctx, of)
	if err != nil {
		return nil, err
	}
	options := []webauthn.RegistrationOption{func(o *protocol.PublicKeyCredentialCreationOptions) error {
		o.Challenge = challenge
		return nil
	}}
	if len(p.keys) > 0 {
		options = append(options, webauthn.WithExclusions(webauthn.Credentials(p.keys).CredentialDescriptors()))
	}
	asked, _, err := s.web.BeginRegistration(p, options...)
	if err != nil {
		return nil, fmt.Errorf("ask for a new passkey: %w", err)
	}
	return json.Marshal(asked.Response)
}

// room refuses more passkeys than a person may have.
func room(t database.Tx, userID int64) error {
	var has int
	if err := t.Raw("SELECT count(*) FROM passkeys WHERE user_id = ?", userID).Scan(&has).Error; err != nil {
		return err
	}
	if has >= Most {
		return ErrMany
	}
	return nil
}

// bytea is written into one column: gorm would spread plain bytes over several.
type bytea []byte

// Value returns the bytes for a column.
func (b bytea) Value() (driver.Value, error) { return []byte(b), nil }
