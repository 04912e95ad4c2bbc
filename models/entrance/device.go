package entrance

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

	"veinte/models/database"
)

// DeviceLife is how long a device is known after a sign-in; each sign-in begins it anew.
const DeviceLife = 180 * 24 * time.Hour

// device is a browser in which somebody has signed in before. Its cookie opens nothing: it
// only says which one it is, so that guesses of others are not this device's. The id stays
// the same for everybody who signs in there.
type device struct {
	id     string
	issued time.Time
}

// visit is where somebody signs in.
type visit struct {
	device string // "" without a cookie
	own    bool   // they say that it is theirs
}

// A device's cookie is its id, when it was issued, and the signature of these.
const deviceParts = 3

// newDeviceID names a device that had no cookie.
func newDeviceID() string { return rand.Text()[:16] }

// deviceCookie makes the cookie of a device on which somebody has just signed in.
func deviceCookie(key []byte, id string, now time.Time) string {
	text := id + "." + strconv.FormatInt(now.Unix(), 36)
	return text + "." + encode(signed(key, "known device", text))
}

// readDevice returns the device of a cookie; nil when we did not sign it or it is too old.
func readDevice(key []byte, cookie string, now time.Time) *device {
	parts := strings.Split(cookie, ".")
	if len(key) == 0 || len(cookie) > 200 || len(parts) != deviceParts {
		return nil
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil || !hmac.Equal(signature, signed(key, "known device", parts[0]+"."+parts[1])) {
		return nil
	}
	seconds, err := strconv.ParseInt(parts[1], 36, 64)
	issued := time.Unix(seconds, 0)
	if err != nil || now.After(issued.Add(DeviceLife)) {
		return nil
	}
	return &device{id: parts[0], issued: issued}
}

// visitOf is where somebody signs in, by the cookie of the device.
func (s *Service) visitOf(ctx context.Context, cookie string) (visit, error) {
	key, err := s.deviceKey(ctx)
	if err != nil {
		return visit{}, err
	}
	if d := readDevice(key, cookie, s.clock.Now()); d != nil {
		return visit{device: d.id}, nil
	}
	return visit{}, nil
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
