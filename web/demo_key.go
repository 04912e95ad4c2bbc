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

// demoRelayKey returns the key that the demo encrypts with. It is stored beside the
// encrypted data, which must never be done on a real server.
func demoRelayKey(path string) (string, error) {
	kept, err := os.ReadFile(path)
	if err == nil {
		return strings.TrimSpace(string(kept)), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("read the demo's key: %w", err)
	}
	var raw [32]byte
	_, _ = rand.Read(raw[:]) // never fails: crypto/rand ends the program instead
	key := base64.StdEncoding.EncodeToString(raw[:])
	if err := os.WriteFile(path, []byte(key+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("keep the demo's key: %w", err)
	}
	return key, nil
}

// demoAuditKey makes the key that signs the demo's trail, unless it exists. A real
// one is made by veinte audit keygen and is stored on another machine.
func demoAuditKey(path string) error {
	_, err := os.Stat(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	private, _, err := trailfile.GenerateKey("demo.veinte.example/bitacora")
	if err != nil {
		return fmt.Errorf("make the demo's sealing key: %w", err)
	}
	if err := os.WriteFile(path, []byte(private+"\n"), 0o600); err != nil {
		return fmt.Errorf("keep the demo's sealing key: %w", err)
	}
	return nil
}
