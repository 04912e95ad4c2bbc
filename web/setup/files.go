package setup

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"veinte/models/audit/trailfile"
	"veinte/models/privatefile"
)

// secret is a file with a secret.
type secret struct {
	path    string
	setting string // that names it
	text    string // what is or will be in it, without the end of its line
	there   bool   // it is on the disk already
	renewed bool   // what is there is replaced, because that was asked for
	shared  bool   // the server reads it itself; else only root does
}

func (f *secret) mode() fs.FileMode {
	if f.shared {
		return 0o640
	}
	return 0o600
}

// findSecrets reads the secrets that are there, and draws the others.
func (s *installation) findSecrets() error {
	owner := &secret{path: s.path("owner.url")}
	server := &secret{path: s.path("database.url"), setting: "DATABASE_URL_FILE"}
	results := &secret{path: s.path("results.keys"), setting: "RESULTS_KEYS_FILE"}
	seal := &secret{path: s.path("audit.key"), setting: "AUDIT_KEY_FILE"}
	s.token.setting = "ACCESS_TOKEN_FILE"
	s.urls = [2]*secret{owner, server}
	s.secrets = []*secret{owner, server, results, seal, s.token}
	for _, f := range s.secrets {
		text, err := privatefile.Read(f.path, 1<<20)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.path, err)
		}
		f.there = true
		if f == s.token {
			f.renewed = f.text != strings.TrimSpace(string(text))
			continue
		}
		f.text = strings.TrimSpace(string(text))
	}
	if !results.there {
		key := make([]byte, 32)
		_, _ = rand.Read(key)
		results.text = base64.StdEncoding.EncodeToString(key)
	}
	if !seal.there {
		private, _, err := trailfile.GenerateKey(s.trailName())
		if err != nil {
			return fmt.Errorf("the key of the trail: %w", err)
		}
		seal.text = private
	}
	return nil
}

// trailName is the origin of the trail: the host that people type.
func (s *installation) trailName() string {
	u, err := url.Parse(s.BaseURL)
	if err != nil || u.Hostname() == "" {
		return "veinte/trail"
	}
	return u.Hostname() + "/trail"
}

func (s *installation) printSecrets() {
	for _, f := range s.secrets {
		who := "root alone"
		if f.shared {
			who = "root and the group of " + s.account.name
		}
		switch {
		case f.there && !f.renewed:
			fmt.Fprintf(s.out, "\n# %s is there, and stays.\n", f.path)
		case s.ShowSecrets:
			fmt.Fprintf(s.out, "\n# %s (mode %04o, %s):\n%s\n", f.path, f.mode(), who, f.text)
		default:
			fmt.Fprintf(s.out, "\n# %s (mode %04o, %s): *** (--show-secrets)\n", f.path, f.mode(), who)
		}
	}
	fmt.Fprintf(s.out, "\n# %s: a folder of %s, mode 0750\n", s.Checkpoints, s.account.name)
}

// writeSecrets writes them before anything else knows them: a run that is interrupted is
// repeated with the same.
func (s *installation) writeSecrets(context.Context) error {
	if err := s.makeCheckpoints(); err != nil {
		return fmt.Errorf("--checkpoints: %w", err)
	}
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return fmt.Errorf("--dir: %w", err)
	}
	for _, f := range s.secrets {
		if f.there && !f.renewed {
			continue
		}
		if err := s.place(f.path, f.text+"\n", f.mode(), f.shared); err != nil {
			return err
		}
	}
	return nil
}

// makeCheckpoints makes their folder, and gives the server what was made.
func (s *installation) makeCheckpoints() error {
	var made []string
	for dir := s.Checkpoints; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) {
			break
		}
		made = append(made, dir)
	}
	if err := os.MkdirAll(s.Checkpoints, 0o750); err != nil {
		return err
	}
	for _, dir := range append(made, s.Checkpoints) {
		if err := s.account.own(dir); err != nil {
			return err
		}
	}
	return nil
}

// writable reports folders that this user may not write, before anything is done.
func (s *installation) writable() error {
	for _, dir := range []struct{ flag, path string }{{"--dir", s.Dir}, {"--checkpoints", s.Checkpoints}} {
		if err := probe(dir.path); err != nil {
			return fmt.Errorf("%s: %w; run this as root, or name a folder that is yours", dir.flag, err)
		}
	}
	return nil
}

// probe reports why no file can be made in a folder, or in the nearest one above it.
func probe(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return probe(filepath.Dir(dir))
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is no folder", dir)
	}
	file, err := os.CreateTemp(dir, ".veinte-")
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", dir, errors.Unwrap(err))
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}

// place writes a file that is not there, or changes it as a whole.
func (s *installation) place(path, text string, mode fs.FileMode, group bool) error {
	if old, err := os.ReadFile(path); err == nil && string(old) == text {
		return nil
	}
	part, err := os.CreateTemp(filepath.Dir(path), ".veinte-")
	if err != nil {
		return err
	}
	defer os.Remove(part.Name())
	_, err = part.WriteString(text)
	err = errors.Join(err, part.Chmod(mode))
	if group && s.root {
		err = errors.Join(err, part.Chown(0, s.account.gid))
	}
	err = errors.Join(err, part.Sync(), part.Close())
	if err == nil {
		err = os.Rename(part.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	fmt.Fprintln(s.log, "wrote", path)
	return nil
}

func (s *installation) printUnit() {
	if s.Unit != none {
		fmt.Fprintf(s.out, "\n# %s (mode 0644):\n%s", s.Unit, s.unitText())
	}
}

func (s *installation) writeUnit(context.Context) error {
	if !s.unitIsWritten() {
		return nil
	}
	if old, err := os.ReadFile(s.Unit); err == nil {
		if string(old) != s.unitText() {
			fmt.Fprintf(s.log, "%s is there and differs, and stays; move it away to get the one of this release\n", s.Unit)
		}
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(s.Unit), 0o755); err != nil {
		return fmt.Errorf("--unit: %w", err)
	}
	return s.place(s.Unit, s.unitText(), 0o644, false)
}
