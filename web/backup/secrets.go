package backup

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/alecthomas/kong"

	"veinte/models/audit/trailfile"
	"veinte/web/deploy"
	"veinte/web/setup"
)

// Version is the program's.
type Version string

// secretSettings are the names of the server's settings that are secrets, or name a file or
// folder that a dump lacks.
func secretSettings(app *kong.Kong) (names []string) {
	for _, command := range app.Model.Children {
		if command.Name != "serve" {
			continue
		}
		for _, f := range command.Flags {
			if f.Tag.Has("secret") || f.Tag.Has("kept") {
				names = append(names, f.Envs...)
			}
		}
	}
	return names
}

// kept is something that a backup lacks and that a restored installation needs.
type kept struct {
	Setting string   `json:"setting"`
	Where   string   `json:"where"`            // a file or folder, or where the setting itself stands
	Public  []string `json:"public,omitempty"` // of the trail's keys, the public ones
}

// keep lists where the secrets are that the settings name, and never what they are. The
// settings are those of this process and of a file.
func keep(secrets []string, settingsFile string) (list []kept, err error) {
	list = []kept{}
	if settingsFile == "" {
		if usual := filepath.Join(deploy.Settings, "veinte.env"); exists(usual) {
			settingsFile = usual
		}
	}
	file := func(string) string { return "" }
	if settingsFile != "" {
		if file, err = setup.ReadSettings(settingsFile); err != nil {
			return nil, err
		}
		list = append(list, kept{Where: settingsFile})
	}
	for _, name := range secrets {
		for _, from := range []source{{file, settingsFile}, {os.Getenv, "environment"}} {
			k, set := from.where(name)
			known := func(other kept) bool { return other.Setting == k.Setting && other.Where == k.Where }
			if set && !slices.ContainsFunc(list, known) {
				list = append(list, k)
			}
		}
	}
	return list, nil
}

// source is where settings stand.
type source struct {
	get  func(name string) string
	name string
}

// where says where a secret is, if it is set there.
func (s source) where(name string) (kept, bool) {
	path, value := s.get(name+"_FILE"), s.get(name)
	switch {
	case path != "":
		return kept{Setting: name + "_FILE", Where: path}, true
	case filepath.IsAbs(value):
		return kept{Setting: name, Where: value, Public: publicKeys(name, value)}, true
	}
	return kept{Setting: name, Where: s.name}, value != ""
}

// publicKeys are what the trail's keys are known by; none where they cannot be read here.
func publicKeys(setting, path string) []string {
	if setting != "AUDIT_KEY_FILE" {
		return nil
	}
	keys, err := trailfile.LoadKeys(path)
	if err != nil {
		return nil
	}
	return keys.Public()
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
