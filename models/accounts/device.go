package accounts

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// DeviceLife is how long a device is known after a sign-in; each sign-in begins it anew.
const DeviceLife = 180 * 24 * time.Hour

// device is a browser in which somebody has signed in before. Its cookie opens nothing: it
// only says that guesses of others are not this device's.
type device struct {
	id     string
	bound  []byte // to the account and its password
	issued time.Time
}

// A device's cookie is its id, when it was issued, what binds it to the account, and the
// signature of these.
const deviceParts = 4

// newDevice makes the cookie of a device on which somebody has just signed in.
func newDevice(key []byte, u *models.User, now time.Time) string {
	id := rand.Text()[:16]
	text := strings.Join([]string{id, strconv.FormatInt(now.Unix(), 36), encode(binding(key, id, u))}, ".")
	return text + "." + encode(signed(key, "device", text))
}

// readDevice returns the device of a cookie; nil when we did not sign it or it is too old.
func readDevice(key []byte, cookie string, now time.Time) *device {
	parts := strings.Split(cookie, ".")
	if len(key) == 0 || len(cookie) > 200 || len(parts) != deviceParts {
		return nil
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[3])
	if err != nil || !hmac.Equal(signature, signed(key, "device", strings.Join(parts[:3], "."))) {
		return nil
	}
	seconds, err := strconv.ParseInt(parts[1], 36, 64)
	bound, wrong := base64.RawURLEncoding.DecodeString(parts[2])
	issued := time.Unix(seconds, 0)
	if err != nil || wrong != nil || now.After(issued.Add(DeviceLife)) {
		return nil
	}
	return &device{id: parts[0], bound: bound, issued: issued}
}

// of reports whether the device is known to an account. With a new password all of them
// are forgotten: whoever sets one may fear that a device is in the wrong hands.
func (d *device) of(key []byte, u *models.User) bool {
	return hmac.Equal(d.bound, binding(key, d.id, u))
}

func binding(key []byte, id string, u *models.User) []byte {
	return signed(key, "account", id, u.Email, u.PasswordHash)
}

func signed(key []byte, parts ...string) []byte {
	mac := hmac.New(sha256.New, key)
	for _, p := range parts {
		fmt.Fprintf(mac, "%d %s", len(p), p)
	}
	return mac.Sum(nil)
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// deviceKey returns the key that signs the cookies of devices, the same for all servers
// of the database.
func (s *Service) deviceKey(ctx context.Context) ([]byte, error) {
	s.keyMu.Lock()
	defer s.keyMu.Unlock()
	if s.key != nil {
		return s.key, nil
	}
	var made [32]byte
	_, _ = rand.Read(made[:])
	// Of several servers that begin at once one makes it.
	if _, err := s.db.Pool().Exec(ctx, `INSERT INTO device_key (id, key) VALUES (1, $1) ON CONFLICT DO NOTHING`, made[:]); err != nil {
		return nil, fmt.Errorf("make the key of devices: %w", err)
	}
	row, err := database.Row[struct{ Key []byte }](ctx, s.db.Pool(), `SELECT key FROM device_key`)
	if err != nil {
		return nil, fmt.Errorf("read the key of devices: %w", err)
	}
	s.key = row.Key
	return s.key, nil
}
