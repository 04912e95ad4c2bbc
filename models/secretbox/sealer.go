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

// Box encrypts what the database must hold and nobody with a copy of it may
// read: results as they came, the addresses and secrets of endpoints. It is
// AES-256-GCM; what something is for is bound to it, so that one sealed thing
// cannot be put in the place of another.
type Box struct{ keys []key } // the first seals; all of them open

type key struct {
	name [4]byte // of the key, in what it sealed
	aead cipher.AEAD
}

// version begins everything that is sealed, so that the way may change.
const version = 1

// ErrOtherKey is wrapped when something cannot be opened: it was sealed with
// another key, or is not what was sealed.
var ErrOtherKey = errors.New("sealed with another key")

// New reads keys of 32 random bytes in base64, by commas. The first one
// seals; the others open what was sealed when they were first. No keys at all
// give no sealer.
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

// Decrypt decrypts what was sealed for the purpose.
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

// What things are sealed for.
const (
	PurposeURL    = "endpoint address"
	PurposeSecret = "endpoint secret"
	PurposeBody   = "result as it came"
)

// Secret is what an endpoint's deliveries are signed with, as Standard Webhooks
// writes it: whsec_ and base64. It prints as "***".
type Secret struct{ text string }

const secretPrefix = "whsec_"

// NewSecret draws 32 random bytes; the specification wants 24 to 64.
func NewSecret() Secret {
	var raw [32]byte
	_, _ = rand.Read(raw[:])
	return Secret{secretPrefix + base64.StdEncoding.EncodeToString(raw[:])}
}

// SecretOf is a secret that is known as it is written.
func SecretOf(text string) Secret { return Secret{text} }

// Reveal returns the secret as it is shown once to whoever made it.
func (s Secret) Reveal() string { return s.text }

// Key returns the bytes that sign.
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
