package passkeys

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"veinte/models"
	"veinte/models/database"
)

// maxAnswer is the longest answer of a browser that is read.
const maxAnswer = 32 << 10

// Add registers the passkey that a person's browser has made.
//
// Errors: ErrNowhere, ErrWrong, ErrOver, ErrOtherSite, ErrThere, ErrMany; a name.
func (s *Service) Add(ctx context.Context, t database.Tx, of Ceremony, u *models.User, name, answer string) (*Key, error) {
	if s.web == nil {
		return nil, ErrNowhere
	}
	name, err := models.Text("name", name, 60)
	if err != nil {
		return nil, err
	}
	if len(answer) > maxAnswer {
		return nil, ErrWrong
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes([]byte(answer))
	if err != nil {
		return nil, ErrWrong
	}
	client, data := parsed.Response.CollectedClientData, &parsed.Response.AttestationObject.AuthData
	if err := s.ofThisSite(client.Origin, data.RPIDHash); err != nil {
		return nil, err
	}
	if err := s.spend(ctx, t, of, client.Challenge); err != nil {
		return nil, err
	}
	if err := room(t, u.ID); err != nil {
		return nil, err
	}
	p, err := s.personOf(ctx, t, u)
	if err != nil {
		return nil, err
	}
	made, err := s.web.CreateCredential(p, webauthn.SessionData{
		Challenge: client.Challenge, RelyingPartyID: s.site.ID, UserID: p.handle, UserVerification: protocol.VerificationRequired,
		CredParams: webauthn.CredentialParametersDefault(),
	}, parsed)
	if err != nil || len(made.ID) > 1023 {
		return nil, ErrWrong
	}
	binding := sha256.Sum256(made.PublicKey)
	k := &Key{
		Name: name, Site: s.site.ID, Synced: made.Flags.BackupEligible, CreatedAt: s.clock.Now(), Binding: hex.EncodeToString(binding[:]),
	}
	err = t.Raw(`INSERT INTO passkeys (user_id, site, credential_id, handle, public_key, synced, sign_count, name, created_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (credential_id) DO NOTHING RETURNING id`,
		u.ID, s.site.ID, bytea(made.ID), bytea(p.handle), bytea(made.PublicKey), k.Synced, made.Authenticator.SignCount, name, k.CreatedAt).
		Scan(&k.ID).Error
	if err != nil {
		return nil, fmt.Errorf("store a passkey: %w", err)
	}
	if k.ID == 0 {
		return nil, ErrThere
	}
	return k, nil
}

func (s *Service) ofThisSite(origin string, hash []byte) error {
	want := sha256.Sum256([]byte(s.site.ID))
	if origin != s.site.Origin || !bytes.Equal(hash, want[:]) {
		return ErrOtherSite
	}
	return nil
}

// Used is a passkey with which something was signed.
type Used struct {
	UserID int64
	Name   string
	Copied bool // it was found now that two devices seem to have it
}

// Use judges what was signed with a passkey. of is whose it has to be, 0 for anybody. A key
// that two devices seem to have is refused from then on: the caller commits that with the
// refusal. used is nil where the key is not known.
//
// Errors: ErrNowhere, ErrWrong, ErrOver, ErrUnknown, ErrOtherSite, ErrCloned.
func (s *Service) Use(ctx context.Context, t database.Tx, of Ceremony, userID int64, answer string) (used *Used, err error) {
	if s.web == nil {
		return nil, ErrNowhere
	}
	if len(answer) > maxAnswer {
		return nil, ErrWrong
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes([]byte(answer))
	if err != nil {
		return nil, ErrWrong
	}
	client, data := parsed.Response.CollectedClientData, &parsed.Response.AuthenticatorData
	if err := s.ofThisSite(client.Origin, data.RPIDHash); err != nil {
		return nil, err
	}
	var r row
	done := t.Raw("SELECT * FROM passkeys WHERE credential_id = ? FOR UPDATE", bytea(parsed.RawID)).Scan(&r)
	switch {
	case done.Error != nil:
		return nil, fmt.Errorf("find a passkey: %w", done.Error)
	case done.RowsAffected == 0, userID != 0 && r.UserID != userID:
		return nil, ErrUnknown
	case r.Site != s.site.ID:
		return nil, ErrOtherSite
	}
	used = &Used{UserID: r.UserID, Name: r.Name}
	p := &person{handle: r.Handle, keys: []webauthn.Credential{r.credential()}}
	proved, err := s.web.ValidateLogin(p, webauthn.SessionData{
		Challenge: client.Challenge, RelyingPartyID: s.site.ID, UserID: r.Handle, UserVerification: protocol.VerificationRequired,
	}, parsed)
	if err != nil {
		return used, ErrWrong
	}
	if err := s.spend(ctx, t, of, client.Challenge); err != nil {
		return used, err
	}
	if r.ClonedAt != nil {
		return used, ErrCloned
	}
	if proved.Authenticator.CloneWarning {
		err := t.Exec("UPDATE passkeys SET cloned_at = ? WHERE id = ?", s.clock.Now(), r.ID).Error
		if err != nil {
			return nil, fmt.Errorf("refuse a passkey: %w", err)
		}
		used.Copied = true
		return used, ErrCloned
	}
	err = t.Exec("UPDATE passkeys SET sign_count = ?, used_at = ? WHERE id = ?", proved.Authenticator.SignCount, s.clock.Now(), r.ID).Error
	if err != nil {
		return nil, fmt.Errorf("count the use of a passkey: %w", err)
	}
	return used, nil
}
