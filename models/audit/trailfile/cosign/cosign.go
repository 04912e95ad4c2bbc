// Package cosign signs and verifies as witnesses do (C2SP tlog-cosignature, cosignature/v1):
// an Ed25519 signature over the time and a checkpoint's text, which says that the witness
// saw the trail only grow until then. Its keys are of a type of their own, so that none
// can be taken for a key of the trail.
//
// The form is read strictly, as notes does, and the clock of a signer is whoever's who
// makes it; the libraries that know cosignatures do neither.
package cosign

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"veinte/models/audit/trailfile/notes"
)

// keyType is the byte before a public key that cosigns.
const keyType = 0x04

// size is how long a cosignature is: its time and the signature.
const size = 8 + ed25519.SignatureSize

// lastTime is the end of the year 9999 in seconds since 1970.
const lastTime = 253402300799

// Errors of a key's text.
var (
	ErrPrivate = errors.New("that is a private key; the public one is asked for, and nobody else should see this")
	ErrType    = errors.New("it is no key of a witness: one of another type")
)

// Generate draws the key of a witness: the private one, to keep, and the public one, for
// whoever asks the witness or verifies.
func Generate(name string) (private, public string, err error) {
	if err := notes.JudgeName(name); err != nil {
		return "", "", err
	}
	key, secret, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return "", "", fmt.Errorf("generate key: %w", err)
	}
	public = keyText(name, key)
	private = fmt.Sprintf("PRIVATE+KEY+%s+%08x+%s", name, keyHash(name, key),
		base64.StdEncoding.EncodeToString(append([]byte{keyType}, secret.Seed()...)))
	return private, public, nil
}

// Signer cosigns. It is a note.Signer, whose signatures have a time in them.
type Signer struct {
	// Now is the clock of the signatures; time.Now until it is set.
	Now func() time.Time

	name   string
	secret ed25519.PrivateKey
}

var _ note.Signer = (*Signer)(nil)

// NewSigner reads a private key as Generate writes it. An error never repeats it.
func NewSigner(private string) (*Signer, error) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(private), "PRIVATE+KEY+")
	parts := strings.SplitN(rest, "+", 3) // base64 may contain a plus
	if !ok || len(parts) != 3 || notes.JudgeName(parts[0]) != nil {
		return nil, errors.New("no private key of a witness (PRIVATE+KEY+name+hash+key)")
	}
	raw, err := base64.StdEncoding.Strict().DecodeString(parts[2])
	if err != nil || len(raw) != 1+ed25519.SeedSize {
		return nil, errors.New("the base64 of the private key is not as it has to be")
	}
	if raw[0] != keyType {
		return nil, ErrType
	}
	s := &Signer{Now: time.Now, name: parts[0], secret: ed25519.NewKeyFromSeed(raw[1:])}
	if fmt.Sprintf("%08x", s.KeyHash()) != parts[1] {
		return nil, errors.New("the hash of the private key is not its own: a letter is wrong")
	}
	return s, nil
}

// Name is the witness' name.
func (s *Signer) Name() string { return s.name }

// KeyHash is the hash of the public key, as lines bear it.
func (s *Signer) KeyHash() uint32 { return keyHash(s.name, s.key()) }

// Public is the public key as text.
func (s *Signer) Public() string { return keyText(s.name, s.key()) }

func (s *Signer) key() ed25519.PublicKey { return s.secret.Public().(ed25519.PublicKey) }

// Sign cosigns a checkpoint's text: the time of the clock in seconds, and the signature.
func (s *Signer) Sign(text []byte) ([]byte, error) {
	at := s.Now().Unix()
	if at < 0 || at > lastTime {
		return nil, fmt.Errorf("cosign: a time of %d seconds", at)
	}
	sig := binary.BigEndian.AppendUint64(nil, uint64(at))
	return append(sig, ed25519.Sign(s.secret, message(uint64(at), text))...), nil
}

// Line cosigns a checkpoint's text as a line for its note, without the end of the line.
func (s *Signer) Line(text string) (string, error) {
	sig, err := s.Sign([]byte(text))
	if err != nil {
		return "", err
	}
	return notes.Line(s.name, s.KeyHash(), sig), nil
}

// String hides the key.
func (s *Signer) String() string { return "***" }

// GoString hides the key from %#v.
func (s *Signer) GoString() string { return "***" }

// LogValue hides the key from structured logs.
func (s *Signer) LogValue() slog.Value { return slog.StringValue("***") }

// Verifier verifies the cosignatures of one witness.
type Verifier struct {
	name string
	key  ed25519.PublicKey
}

var _ note.Verifier = (*Verifier)(nil)

// NewVerifier reads a public key: <name>+<hash>+<base64 of 0x04 and the key>.
//
// Errors: ErrPrivate, ErrType, and those of another spelling.
func NewVerifier(vkey string) (*Verifier, error) {
	vkey = strings.TrimSpace(vkey)
	if strings.HasPrefix(vkey, "PRIVATE+") {
		return nil, ErrPrivate
	}
	parts := strings.SplitN(vkey, "+", 3)
	if len(parts) != 3 {
		return nil, errors.New("no public key of a witness (name+hash+key)")
	}
	if err := notes.JudgePublic(vkey); err != nil {
		return nil, fmt.Errorf("no public key of a witness: %w; a letter may be wrong", err)
	}
	raw, _ := base64.StdEncoding.DecodeString(parts[2])
	v := &Verifier{parts[0], ed25519.PublicKey(raw[1:])}
	hash := sha256.Sum256(append([]byte(parts[0]+"\n"), raw...))
	switch {
	case fmt.Sprintf("%x", hash[:4]) != parts[1]:
		return nil, errors.New("no public key of a witness: its hash is not its own; a letter is wrong")
	case raw[0] != keyType:
		return nil, ErrType
	}
	return v, nil
}

// Name is the witness' name.
func (v *Verifier) Name() string { return v.name }

// KeyHash is the hash of the key, as lines bear it.
func (v *Verifier) KeyHash() uint32 { return keyHash(v.name, v.key) }

// Verify reports whether sig, a time and a signature, is the witness' over the text.
func (v *Verifier) Verify(text, sig []byte) bool {
	if _, err := Time(sig); err != nil {
		return false
	}
	return ed25519.Verify(v.key, message(binary.BigEndian.Uint64(sig), text), sig[8:])
}

// String is the key as text.
func (v *Verifier) String() string { return keyText(v.name, v.key) }

// Time is the time in a cosignature, the bytes of a notes.Signature, in UTC and to the
// second. It is the witness' word only when the cosignature verifies.
func Time(sig []byte) (time.Time, error) {
	if len(sig) != size {
		return time.Time{}, fmt.Errorf("a cosignature has %d bytes, this one %d", size, len(sig))
	}
	at := binary.BigEndian.Uint64(sig)
	if at > lastTime {
		return time.Time{}, errors.New("the time of the cosignature is none")
	}
	return time.Unix(int64(at), 0).UTC(), nil
}

// message is what is signed.
func message(at uint64, text []byte) []byte {
	return append(fmt.Appendf(nil, "cosignature/v1\ntime %d\n", at), text...)
}

func keyHash(name string, key ed25519.PublicKey) uint32 {
	sum := sha256.Sum256(append([]byte(name+"\n"+string(rune(keyType))), key...))
	return binary.BigEndian.Uint32(sum[:])
}

func keyText(name string, key ed25519.PublicKey) string {
	return fmt.Sprintf("%s+%08x+%s", name, keyHash(name, key), base64.StdEncoding.EncodeToString(append([]byte{keyType}, key...)))
}
