package addresses_test

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"veinte/models/addresses"
)

const (
	newMaster = "bmV3LW1hc3Rlci1rZXktb2YtdGhlLXRlc3RzLTAwMDE="
	oldMaster = "b2xkLW1hc3Rlci1rZXktb2YtdGhlLXRlc3RzLTAwMDA="
)

func keys(tb testing.TB, lines ...string) *addresses.Keys {
	tb.Helper()
	k, err := addresses.New(strings.Join(lines, "\n"))
	if err != nil {
		tb.Fatal(err)
	}
	return k
}

// parts are the serial number and the token of an address.
func parts(tb testing.TB, path string) (serial, token string) {
	tb.Helper()
	split := strings.Split(path, "/")
	if len(split) != 4 || split[1] != "results" {
		tb.Fatalf("%q is no /results/serial/token", path)
	}
	return split[2], split[3]
}

// TestPath: the address is what RFC 2104 makes of the documented text, so that a
// merchant's own program could compute it.
func TestPath(t *testing.T) {
	t.Parallel()
	// printf 'veinte results v1 1234567890' | openssl dgst -sha256 -hmac KEY -binary | head -c 24 | basenc --base64url
	const want = "/results/1234567890/8K6IeoQPMMAjApuChz5GoFYKj7tFZ8Rp"
	if got := keys(t, newMaster).Path("1234567890"); got != want {
		t.Errorf("Path() = %s, want %s", got, want)
	}
}

// TestRecognize: a token is good for its terminal only, made with either master.
func TestRecognize(t *testing.T) {
	t.Parallel()
	both, newest, older := keys(t, newMaster, "", oldMaster), keys(t, newMaster), keys(t, oldMaster)
	serial, token := parts(t, newest.Path("1234567890"))
	_, oldToken := parts(t, older.Path("1234567890"))
	_, another := parts(t, newest.Path("1234567891"))
	for _, tt := range []struct {
		fact          string
		keys          *addresses.Keys
		serial, token string
		id            string // "": not recognized
	}{
		{"of the newest master", both, serial, token, newest.Newest()},
		{"of the older master", both, serial, oldToken, older.Newest()},
		{"of a master that is gone", newest, serial, oldToken, ""},
		{"of another terminal", both, serial, another, ""},
		{"for another terminal", both, "1234567891", token, ""},
		{"a character less", both, serial, token[:31], ""},
		{"a character more", both, serial, token + "A", ""},
		{"in capitals", both, serial, strings.ToUpper(token), ""},
		{"padded", both, serial, token + "=", ""},
		{"none", both, serial, "", ""},
		{"of nine digits", both, "123456789", token, ""},
		{"of no digits", both, "12345678９0", token, ""},
		{"without keys", nil, serial, token, ""},
	} {
		of, id, ok := tt.keys.Recognize(tt.serial, tt.token)
		if id != tt.id || ok != (tt.id != "") || ok != (of != "") {
			t.Errorf("%s: Recognize() = %q, %q, %t, want the id %q", tt.fact, of, id, ok, tt.id)
		}
	}
}

// TestBadKeys: each mistake is named, and no message holds a key.
func TestBadKeys(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ fact, text, want string }{
		{"nothing", " \n\n", "no key"},
		{"too short", newMaster[:31], "line 1"},
		{"the second too short", newMaster + "\n" + oldMaster[:9], "line 2"},
		{"one twice", newMaster + "\n" + newMaster, "repeats"},
		{"three", newMaster + "\n" + oldMaster + "\n" + strings.Repeat("x", 40), "3 keys"},
	} {
		_, err := addresses.New(tt.text)
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), newMaster[:8]) {
			t.Errorf("%s: New() = %v, want %q and no key", tt.fact, err, tt.want)
		}
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "keys")
	if _, err := addresses.Load(path); err == nil {
		t.Error("Load() of no file is no error")
	}
	if err := os.WriteFile(path, []byte(newMaster+"\r\n"+oldMaster+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	k, err := addresses.Load(path)
	if err != nil || k.Path("1234567890") != keys(t, newMaster).Path("1234567890") {
		t.Errorf("Load() = %v, want the newest key first", err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := addresses.Load(path); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("Load() of a file that others can read = %v", err)
	}
}

// TestKeysDoNotPrint: whatever prints them shows nothing.
func TestKeysDoNotPrint(t *testing.T) {
	t.Parallel()
	k := keys(t, newMaster)
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "keys", k)
	printed := []string{log.String()}
	for _, form := range []string{"%v", "%+v", "%#v", "%s"} {
		printed = append(printed, fmt.Sprintf(form, k))
	}
	for _, said := range printed {
		if strings.Contains(said, newMaster) || !strings.Contains(said, "***") {
			t.Errorf("keys are printed as %s", said)
		}
	}
}
