package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
)

// settingsFile is the file of settings, for systemd (EnvironmentFile) and for a shell.
const settingsFile = "veinte.env"

// settings are the lines of that file. Lines that are not ours stay as they are.
type settings struct{ lines []string }

func parseSettings(text string) settings {
	if text == "" {
		return settings{}
	}
	return settings{strings.Split(strings.TrimSuffix(text, "\n"), "\n")}
}

// ReadSettings reads a file of settings, and returns what gives the value of each; "" for
// one that is not there.
func ReadSettings(path string) (get func(name string) string, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s := parseSettings(string(text))
	return s.get, nil
}

// get returns the value of a setting; "" when it is not there.
func (s *settings) get(name string) string {
	for _, line := range s.lines {
		if value, found := strings.CutPrefix(line, name+"="); found {
			return unquote(value)
		}
	}
	return ""
}

// set changes a setting, or adds it at the end.
func (s *settings) set(name, value string) {
	for i, line := range s.lines {
		if strings.HasPrefix(line, name+"=") {
			if unquote(line[len(name)+1:]) != value {
				s.lines[i] = name + "=" + quote(value)
			}
			return
		}
	}
	s.lines = append(s.lines, name+"="+quote(value))
}

// prefer is what was said now, what an earlier run says, or what is usual.
func (s *settings) prefer(name, said, usual string) string {
	if said == "" {
		said = s.get(name)
	}
	if said == "" {
		said = usual
	}
	return said
}

func (s *settings) text() string { return strings.Join(s.lines, "\n") + "\n" }

var plain = regexp.MustCompile(`^[A-Za-z0-9_./:@,+%=\-]*$`)

// quote writes a value so that systemd and a shell read the same.
func quote(value string) string {
	if plain.MatchString(value) {
		return value
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(value) + `"`
}

func unquote(value string) string {
	inner, found := strings.CutPrefix(value, `"`)
	if !found || !strings.HasSuffix(inner, `"`) {
		return strings.Trim(value, "'")
	}
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\$`, "$", "\\`", "`").Replace(strings.TrimSuffix(inner, `"`))
}

// readSettings reads what an earlier run, or a person, has written.
func (s *installation) readSettings() error {
	text, err := os.ReadFile(s.path(settingsFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("--dir: %w", err)
	}
	s.settings = parseSettings(string(text))
	if len(s.settings.lines) == 0 {
		s.settings.lines = []string{"# Settings of Veinte. Restart the server after a change; veinte config checks them."}
	}
	return nil
}

// completed are the settings with the files that this run knows.
func (s *installation) completed() settings {
	all := settings{append([]string(nil), s.settings.lines...)}
	for _, f := range s.secrets {
		if f.setting != "" {
			all.set(f.setting, f.path)
		}
	}
	all.set("AUDIT_CHECKPOINT_DIR", s.Checkpoints)
	return all
}

func (s *installation) printSettings() {
	all := s.completed()
	fmt.Fprintf(s.out, "\n# %s (mode 0640, root and the group of %s), once `veinte config` accepts it:\n%s",
		s.path(settingsFile), s.account.name, all.text())
}

// writeSettings has the program check the settings before they get their name.
func (s *installation) writeSettings(ctx context.Context) error {
	all := s.completed()
	var env []string
	for _, line := range all.lines {
		if name, value, found := strings.Cut(line, "="); found && !strings.HasPrefix(line, "#") {
			env = append(env, name+"="+unquote(value))
		}
	}
	said, err := run(ctx, env, s.program, "config")
	if err != nil {
		return fmt.Errorf("%s was not written: %s", s.path(settingsFile), strings.TrimPrefix(said, "veinte: "))
	}
	if said != "" {
		fmt.Fprintln(s.log, said)
	}
	return s.place(s.path(settingsFile), all.text(), 0o640, true)
}
