package secretbox

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"strings"
)

// Box encrypts data that must be stored but must not be readable in a copy of the
// database: results as received, and the addresses and secrets of endpoints. It uses
// AES-256-GCM. The purpose is authenticated too, so that one ciphertext cannot
// replace another of a different purpose.
type Box struct{ keys []key } // the first encrypts; all of them decrypt

type key struct {
	name [4]byte // of the key, as stored in the ciphertext
	aead cipher.AEAD
}

// version is the first byte of a ciphertext, so that the format may change.
const version = 1

// ErrOtherKey is wrapped when data cannot be decrypted: it was encrypted with
// another key, or was changed.
var ErrOtherKey = errors.New("sealed with another key")

// New reads keys of 32 random bytes in base64, separated by commas. The first one
// encrypts; the others decrypt what was encrypted when they were first. Without any
// key it returns no Box.
func New(keys string) (*Box, error) {
	if strings.TrimSpace(keys) == "" {
		return nil, nil
	}
	s := &Box{}
	for _, text := range strings.Split(keys, ",") {
		raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
		if err != nil || len(raw) != 32 {
			return nil, errors.New("want 32 random bytes in base64, such as openssl rand -base64 32 gives")
		}
		block, err := aes.NewCipher(raw)
		if err != nil {
			return nil, fmt.Errorf("make cipher: %w", err)
		}
		aead, err := cipher.NewGCM(block)
		if err != nil {
			return nil, fmt.Errorf("make cipher: %w", err)
		}
		k := key{aead: aead}
		sum := sha256.Sum256(append([]byte("veinte key name\x00"), raw...))
		copy(k.name[:], sum[:])
		s.keys = append(s.keys, k)
	}
	return s, nil
}

// Encrypt encrypts for a purpose.
func (s *Box) Encrypt(purpose string, plain []byte) []byte {
	k := s.keys[0]
	sealed := append([]byte{version}, k.name[:]...)
	nonce := make([]byte, k.aead.NonceSize())
	_, _ = rand.Read(nonce) // never fails: crypto/rand ends the program instead
	sealed = append(sealed, nonce...)
	return k.aead.Seal(sealed, nonce, plain, []byte(purpose))
}

// Decrypt decrypts data that was encrypted for the purpose.
func (s *Box) Decrypt(purpose string, sealed []byte) ([]byte, error) {
	if s == nil || len(sealed) < 5 || sealed[0] != version {
		return nil, ErrOtherKey
	}
	for _, k := range s.keys {
		rest := sealed[5:]
		if [4]byte(sealed[1:5]) != k.name || len(rest) < k.aead.NonceSize() {
			continue
		}
		n := k.aead.NonceSize()
		plain, err := k.aead.Open(nil, rest[:n], rest[n:], []byte(purpose))
		if err == nil {
			return plain, nil
		}
	}
	return nil, ErrOtherKey
}

// String hides the keys.
func (s *Box) String() string { return "***" }

// GoString hides the keys from %#v.
func (s *Box) GoString() string { return "***" }

// LogValue hides the keys from structured logs.
func (s *Box) LogValue() slog.Value { return slog.StringValue("***") }

// The purposes of encryption.
const (
	PurposeURL    = "endpoint address"
	PurposeSecret = "endpoint secret"
	PurposeBody   = "result as it came"
)

// Secret is the key that an endpoint's deliveries are signed with, in the form of
// Standard Webhooks: whsec_ and base64. It prints as "***".
type Secret struct{ text string }

const secretPrefix = "whsec_"

// NewSecret generates 32 random bytes; the specification requires 24 to 64.
func NewSecret() Secret {
	var raw [32]byte
	_, _ = rand.Read(raw[:])
	return Secret{secretPrefix + base64.StdEncoding.EncodeToString(raw[:])}
}

// SecretOf returns a secret from its text.
func SecretOf(text string) Secret { return Secret{text} }

// Reveal returns the text of the secret, which is shown once to the user who created
// it.
func (s Secret) Reveal() string { return s.text }

// Key returns the bytes of the signing key.
func (s Secret) Key() ([]byte, error) {
	return base64.StdEncoding.DecodeString(strings.TrimPrefix(s.text, secretPrefix))
}

// String hides the secret.
func (s Secret) String() string { return "***" }

// GoString hides the secret from %#v.
func (s Secret) GoString() string { return "***" }

// MarshalText hides the secret from JSON and the like.
func (s Secret) MarshalText() ([]byte, error) { return []byte("***"), nil }

// LogValue hides the secret from structured logs.
func (s Secret) LogValue() slog.Value { return slog.StringValue("***") }
