package trailfile

import (
	"bufio"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"veinte/models/audit/trailfile/notes"
	"veinte/models/privatefile"

	"golang.org/x/mod/sumdb/note"
)

// Keys are the private keys that sign checkpoints, the newest first. All of them
// sign, so that whoever trusts an older one can follow to the newest. Where another
// process signs they are public keys alone.
type Keys struct {
	name    string
	signers []note.Signer
	public  []string
}

// ErrNoKeys is wrapped when a key file has no key.
var ErrNoKeys = errors.New("holds no key")

// GenerateKey draws a private key and its public one, as texts. The name is the
// trail's origin, such as "tienda.example/bitacora".
func GenerateKey(name string) (private, public string, err error) {
	if err := notes.JudgeKeyName(name); err != nil {
		return "", "", err
	}
	private, public, err = note.GenerateKey(rand.Reader, name)
	if err != nil {
		return "", "", fmt.Errorf("generate key: %w", err)
	}
	return private, public, nil
}

// ParseKeys reads private keys, one a line, or public keys alone; empty lines and those
// that begin with # are skipped. An error never repeats the text of a line.
func ParseKeys(text string) (*Keys, error) {
	k := &Keys{}
	lines := bufio.NewScanner(strings.NewReader(text))
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := k.add(line); err != nil {
			return nil, fmt.Errorf("line %d%w", number, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read keys: %w", err)
	}
	if k.public == nil {
		return nil, ErrNoKeys
	}
	return k, nil
}

// add appends the key of a line. Its errors follow the number of the line.
func (k *Keys) add(line string) error {
	signer, err := note.NewSigner(line)
	verifier, public := note.NewVerifier(line)
	switch {
	case err != nil && public != nil:
		return errors.New(" is no private key as keygen writes it (PRIVATE+KEY+name+hash+key), and no public one (name+hash+key)")
	case k.public != nil && (err == nil) != (k.signers != nil):
		return errors.New(": private and public keys together; the public ones are for a server beside which veinte seal runs")
	}
	var named interface{ Name() string } = verifier
	if err == nil {
		named, line = signer, publicOf(line, signer)
	}
	switch {
	case k.public != nil && named.Name() != k.name:
		return fmt.Errorf(": the key is named %q, the first one %q; a trail has one name", named.Name(), k.name)
	case slices.Contains(k.public, line):
		return errors.New(": the same key again")
	}
	if err == nil {
		k.signers = append(k.signers, signer)
	}
	k.name, k.public = named.Name(), append(k.public, line)
	return nil
}

// publicOf derives the public key of a private one that has been accepted.
func publicOf(private string, signer note.Signer) string {
	parts := strings.SplitN(private, "+", 5) // base64 may contain a plus
	raw, _ := base64.StdEncoding.DecodeString(parts[4])
	key := ed25519.NewKeyFromSeed(raw[1:]).Public().(ed25519.PublicKey)
	text, _ := note.NewEd25519VerifierKey(signer.Name(), key)
	return text
}

// LoadKeys reads a key file. It refuses one that others may read: whoever has
// the key can sign another past.
func LoadKeys(path string) (*Keys, error) {
	text, err := privatefile.Read(path, 1<<20)
	if err != nil {
		return nil, fmt.Errorf("key file %s: %w", path, err)
	}
	k, err := ParseKeys(string(text))
	if err != nil {
		return nil, fmt.Errorf("key file %s: %w", path, err)
	}
	return k, nil
}

// Origin is the name that all keys bear.
func (k *Keys) Origin() string { return k.name }

// Signers returns what signs, the newest key first; none where the keys are public.
func (k *Keys) Signers() []note.Signer { return k.signers }

// Public returns the public keys as texts, the newest first.
func (k *Keys) Public() []string { return k.public }

// Verifiers returns what verifies by the public keys.
func (k *Keys) Verifiers() note.Verifiers {
	v, _ := ParsePublic(k.public...)
	return v
}

// ParsePublic reads public keys as texts: name+hash+key.
func ParsePublic(texts ...string) (note.Verifiers, error) {
	if len(texts) == 0 {
		return nil, errors.New("no public key")
	}
	var list []note.Verifier
	var names []string
	seen := map[string]bool{}
	for _, text := range texts {
		text = strings.TrimSpace(text)
		if seen[text] {
			continue
		}
		seen[text] = true
		if strings.HasPrefix(text, "PRIVATE+") {
			return nil, errors.New("that is a private key; verification takes the public one, and nobody else should see this")
		}
		v, err := note.NewVerifier(text)
		if err == nil {
			err = notes.JudgePublic(text)
		}
		if err != nil {
			return nil, fmt.Errorf("%q is no public key: %w; a letter may be wrong", shorten(text), err)
		}
		list = append(list, v)
		names = append(names, v.Name())
	}
	return namedVerifiers{note.VerifierList(list...), names}, nil
}

// namedVerifiers knows whose keys it has, to tell a key that was replaced from another
// shop's.
type namedVerifiers struct {
	note.Verifiers
	names []string
}

func shorten(text string) string {
	if len(text) > 120 {
		return text[:120] + "…"
	}
	return text
}

// String hides the keys.
func (k *Keys) String() string { return "***" }

// GoString hides the keys from %#v.
func (k *Keys) GoString() string { return "***" }

// LogValue hides the keys from structured logs.
func (k *Keys) LogValue() slog.Value { return slog.StringValue("***") }
