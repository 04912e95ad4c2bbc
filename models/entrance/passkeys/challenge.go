package passkeys

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"time"

	"veinte/models/database"
)

// Life is how long what a browser was asked to sign is taken.
const Life = 5 * time.Minute

// Purpose is what a passkey is asked for. What was signed for one proves no other.
type Purpose string

// The purposes.
const (
	SignIn     Purpose = "sign in"     // without a password
	SecondStep Purpose = "second step" // after it
	Register   Purpose = "register"
	Confirm    Purpose = "confirm" // that it is still them, before their factors change
)

// Ceremony is a purpose, in the browser that has the secret.
type Ceremony struct {
	Purpose Purpose
	Browser string
}

// A challenge is random, carries its time, and is signed with what it is for. So several
// servers know theirs, and strangers who ask for thousands leave no row.
const (
	randomBytes = 16
	timeBytes   = 8
	signedBytes = randomBytes + timeBytes + sha256.Size
)

func (s *Service) challenge(ctx context.Context, of Ceremony) ([]byte, error) {
	key, err := s.key(ctx)
	if err != nil {
		return nil, err
	}
	b := make([]byte, randomBytes, signedBytes)
	_, _ = rand.Read(b)
	b = binary.BigEndian.AppendUint64(b, uint64(s.clock.Now().UnixMilli()))
	return append(b, mac(key, of, b)...), nil
}

func mac(key []byte, of Ceremony, b []byte) []byte {
	m := hmac.New(sha256.New, key)
	for _, part := range []string{"passkey", string(of.Purpose), of.Browser, string(b)} {
		fmt.Fprintf(m, "%d %s", len(part), part)
	}
	return m.Sum(nil)
}

// spend takes a challenge, once.
//
// Errors: ErrOver.
func (s *Service) spend(ctx context.Context, t database.Tx, of Ceremony, text string) error {
	key, err := s.key(ctx)
	if err != nil {
		return err
	}
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(b) != signedBytes || !hmac.Equal(b[randomBytes+timeBytes:], mac(key, of, b[:randomBytes+timeBytes])) {
		return ErrOver
	}
	now := s.clock.Now()
	until := time.UnixMilli(int64(binary.BigEndian.Uint64(b[randomBytes:]))).Add(Life)
	if now.After(until) {
		return ErrOver
	}
	if err := t.Exec("DELETE FROM passkey_challenges WHERE expires_at < ?", now).Error; err != nil {
		return err
	}
	sum := sha256.Sum256(b)
	done := t.Exec("INSERT INTO passkey_challenges (hash, expires_at) VALUES (?, ?) ON CONFLICT DO NOTHING", bytea(sum[:]), until)
	if done.Error != nil {
		return fmt.Errorf("store a used challenge: %w", done.Error)
	}
	if done.RowsAffected == 0 {
		return ErrOver
	}
	return nil
}
