package static

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"
)

func TestURLAndOpenAgree(t *testing.T) {
	t.Parallel()
	for name := range bundles {
		data, contentType, ok := Open(URL(name))
		if !ok || len(data) == 0 || contentType != types[path.Ext(name)] {
			t.Errorf("Open(%s) = %d bytes, %q, %t", URL(name), len(data), contentType, ok)
		}
		if !regexp.MustCompile(`^/static/[a-z]+\.[0-9a-f]{8}\.[a-z]+$`).MatchString(URL(name)) {
			t.Errorf("URL(%s) = %s", name, URL(name))
		}
	}
}

func TestOpenKnowsNothingElse(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"", "/static/", "/static/app.css", "/static/app.000000000000.css", "/static/../static.go", "/static/css/base.css",
	} {
		if _, _, ok := Open(address); ok {
			t.Errorf("Open(%q) = ok, want not", address)
		}
	}
}

// Every piece must belong to a bundle, because one without would never be served.
func TestEveryPieceIsServed(t *testing.T) {
	t.Parallel()
	served := map[string]bool{}
	for _, pieces := range bundles {
		for _, piece := range pieces {
			served[piece] = true
		}
	}
	err := fs.WalkDir(FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		switch path.Ext(name) {
		case ".css", ".js", ".svg":
			if !served[name] {
				t.Errorf("%s is in no bundle", name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestVendoredFilesAreThoseWeChecked(t *testing.T) {
	t.Parallel()
	list, err := fs.ReadFile(FS, "vendor/SHA256SUMS")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for lines := bufio.NewScanner(bytes.NewReader(list)); lines.Scan(); {
		sum, name, _ := strings.Cut(lines.Text(), "  ")
		want[name] = sum
	}
	entries, err := fs.ReadDir(FS, "vendor")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() == "SHA256SUMS" {
			continue
		}
		data, err := fs.ReadFile(FS, "vendor/"+e.Name())
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(data)
		if got := hex.EncodeToString(sum[:]); got != want[e.Name()] {
			t.Errorf("sha256 of %s = %s, want %s", e.Name(), got, want[e.Name()])
		}
		delete(want, e.Name())
	}
	for name := range want {
		t.Errorf("%s is listed but not there", name)
	}
}

// Styles and scripts load from no other origin and contain no address that the
// content security policy would refuse.
func TestOurFilesNameNoOtherOrigin(t *testing.T) {
	t.Parallel()
	foreign := regexp.MustCompile(`(?i)(https?:)?//[a-z0-9.-]+\.[a-z]{2,}|@import|url\(|\beval\(|innerHTML|\.style\b`)
	for _, name := range []string{"app.css", "app.js"} {
		data, _, _ := Open(URL(name))
		if found := foreign.Find(data); found != nil {
			t.Errorf("%s holds %q", name, found)
		}
	}
}

// The sprite must have every icon that a page may name.
func TestIconsAreWellFormed(t *testing.T) {
	t.Parallel()
	data, _, _ := Open(URL("icons.svg"))
	if opened, closed := bytes.Count(data, []byte("<symbol ")), bytes.Count(data, []byte("</symbol>")); opened != closed || opened == 0 {
		t.Errorf("%d symbols open, %d close", opened, closed)
	}
}
