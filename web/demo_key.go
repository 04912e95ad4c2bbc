package web

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"veinte/models/audit/trailfile"
)

// demoKey returns the key in a file, and makes it when there is none. The demo stores
// its keys beside what they protect, which must never be done on a real server.
func demoKey(path string, generate func() (string, error)) (string, error) {
	stored, err := os.ReadFile(path)
	if err == nil {
		return strings.TrimSpace(string(stored)), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("read the demo's key: %w", err)
	}
	key, err := generate()
	if err == nil {
		err = os.WriteFile(path, []byte(key+"\n"), 0o600)
	}
	if err != nil {
		return "", fmt.Errorf("make the demo's key: %w", err)
	}
	return key, nil
}

// newRelayKey returns a key that encrypts stored data.
func newRelayKey() (string, error) {
	var raw [32]byte
	_, _ = rand.Read(raw[:]) // never fails: crypto/rand ends the program instead
	return base64.StdEncoding.EncodeToString(raw[:]), nil
}

// newAuditKey returns a key that signs the trail.
func newAuditKey() (string, error) {
	private, _, err := trailfile.GenerateKey("demo.veinte.example/bitacora")
	return private, err
}
