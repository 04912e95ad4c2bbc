// Package addresses makes the address to which one terminal posts, and recognizes
// who posts there. The address is computed from a master key and the terminal's
// serial number, so nothing of it is stored, and 1,600 terminals need one key.
package addresses

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"

	"veinte/models"
	"veinte/models/privatefile"
)

// minMaster is the minimum length of a master key, in characters: what openssl rand
// -base64 32 prints is 44 long.
const minMaster = 32

// maxMasters is how many masters hold at a time: the one in use, and the one before
// it until every terminal has its new address.
const maxMasters = 2

// tokenBytes is the length of the HMAC in an address. 192 bits cannot be guessed, and
// their 32 characters can still be typed.
const tokenBytes = 24

// Keys are the master keys, newest first. A nil *Keys has none: no terminal has an
// address of its own.
type Keys struct{ masters []master }

// master is a key with the id under which the database knows it.
type master struct {
	key []byte
	id  string
}

// New reads master keys, one a line and newest first. An error never contains one.
func New(text string) (*Keys, error) {
	k := &Keys{}
	for n, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if len(line) < minMaster {
			return nil, fmt.Errorf("line %d needs at least %d characters that nobody can guess, such as openssl rand -base64 32 gives",
				n+1, minMaster)
		}
		m := master{key: []byte(line)}
		m.id = hex.EncodeToString(m.sum("veinte results v1 id")[:4])
		if len(k.masters) > 0 && k.masters[0].id == m.id {
			return nil, fmt.Errorf("line %d repeats the key before it", n+1)
		}
		k.masters = append(k.masters, m)
	}
	switch {
	case len(k.masters) == 0:
		return nil, errors.New("it has no key")
	case len(k.masters) > maxMasters:
		return nil, fmt.Errorf("it has %d keys; two at most: the newest, and the one before it", len(k.masters))
	}
	return k, nil
}

// Load reads the master keys of a file that others may not read.
func Load(path string) (*Keys, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, unread(err)
	}
	if err := privatefile.Check(info); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, unread(err)
	}
	return New(string(text))
}

// unread says why, without the path: the setting's name stands before it.
func unread(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return fmt.Errorf("the file cannot be read: %w", err)
}

// sum is the HMAC-SHA-256 of a text.
func (m *master) sum(parts ...string) []byte {
	h := hmac.New(sha256.New, m.key)
	for _, p := range parts {
		h.Write([]byte(p))
	}
	return h.Sum(nil)
}

// token is the last part of a terminal's address.
func (m *master) token(serial models.SerialNumber) string {
	return base64.RawURLEncoding.EncodeToString(m.sum("veinte results v1 ", string(serial))[:tokenBytes])
}

// Path returns the terminal's own address under the server's, made with the newest
// master. It is a secret: whoever knows it speaks for the terminal.
func (k *Keys) Path(serial models.SerialNumber) string {
	return "/results/" + string(serial) + "/" + k.masters[0].token(serial)
}

// Recognize reports whether the two parts of an address are those of a terminal, and
// by the id of which master. Every master is compared, each in constant time.
func (k *Keys) Recognize(serial, token string) (of models.SerialNumber, id string, ok bool) {
	of, err := models.ParseSerialNumber(serial)
	if k == nil || err != nil {
		return "", "", false
	}
	for i := range k.masters {
		if hmac.Equal([]byte(token), []byte(k.masters[i].token(of))) {
			id, ok = k.masters[i].id, true
		}
	}
	if !ok {
		return "", "", false
	}
	return of, id, true
}

// Newest returns the id of the newest master; "" when there is none. Ids say nothing
// of the keys.
func (k *Keys) Newest() string {
	if k == nil {
		return ""
	}
	return k.masters[0].id
}

// String hides the keys from fmt.
func (k *Keys) String() string { return "***" }

// GoString hides the keys from %#v.
func (k *Keys) GoString() string { return "***" }

// LogValue hides the keys from a log.
func (k *Keys) LogValue() slog.Value { return slog.StringValue("***") }
