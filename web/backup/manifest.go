package backup

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"veinte/web/commands"
)

// The files of a backup.
const (
	dumpFile       = "veinte.dump"    // of pg_dump, its custom format
	checkpointFile = "checkpoint.txt" // the trail's last checkpoint, as signed; empty when nothing was sealed
	manifestFile   = "manifest.json"
	sumsFile       = "SHA256SUMS" // of the three, for sha256sum -c too
)

var summed = []string{checkpointFile, manifestFile, dumpFile}

// manifestFormat is raised when a reader of today would misread what is written.
const manifestFormat = 1

// manifest says what a backup is, and what has to be kept besides.
type manifest struct {
	Format   int       `json:"format"`
	Made     time.Time `json:"made"`    // the moment that it holds
	Version  string    `json:"version"` // of the program that made it
	Schema   int64     `json:"schema"`
	Postgres string    `json:"postgres"` // version of the server
	Database string    `json:"database"` // as database_identity() names it
	Roles    roles     `json:"roles"`
	Counts   counts    `json:"counts"`
	Sealed   sealed    `json:"sealed"`
	Months   []month   `json:"archivedMonths"` // whose entries are in files of their own alone
	Keep     []kept    `json:"keep"`
}

// roles are those of PostgreSQL that the dump grants rights to.
type roles struct {
	Owner  string   `json:"owner"`
	Others []string `json:"others"`
}

// sealed is how far the trail was sealed.
type sealed struct {
	Entries int64      `json:"entries"`
	At      *time.Time `json:"at"` // null when nothing was sealed
}

type month struct {
	Month  string `json:"month"`
	SHA256 string `json:"sha256"` // of its file
}

// counts are what a restored database must have as well.
type counts struct {
	Sales         int64            `json:"sales"`
	Cancellations map[string]int64 `json:"cancellations"` // by state
	Attempts      int64            `json:"attempts"`      // requests that may have left
	Results       int64            `json:"results"`       // that terminals posted
	Entries       int64            `json:"entries"`       // of the trail
	People        int64            `json:"people"`
	Terminals     int64            `json:"terminals"`
}

// difference is a count that is another one.
type difference struct {
	What       string
	Said, Here int64
}

// differs lists the counts of the database that are not those of the backup.
func (c *counts) differs(here *counts) (all []difference) {
	compare := func(what string, said, found int64) {
		if said != found {
			all = append(all, difference{what, said, found})
		}
	}
	compare("sales", c.Sales, here.Sales)
	states := maps.Clone(c.Cancellations)
	if states == nil {
		states = map[string]int64{}
	}
	for state := range here.Cancellations {
		states[state] = c.Cancellations[state]
	}
	for _, state := range slices.Sorted(maps.Keys(states)) {
		compare("cancellations "+state, states[state], here.Cancellations[state])
	}
	compare("attempts", c.Attempts, here.Attempts)
	compare("results", c.Results, here.Results)
	compare("entries", c.Entries, here.Entries)
	compare("people", c.People, here.People)
	compare("terminals", c.Terminals, here.Terminals)
	return all
}

// write writes the manifest and the sums of all files.
func (m *manifest) write(dir string) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	if err := commands.WriteSynced(filepath.Join(dir, manifestFile), os.O_EXCL, commands.Content(string(text)+"\n")); err != nil {
		return err
	}
	var sums strings.Builder
	for _, name := range summed {
		sum, err := commands.SHA256Of(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%s  %s\n", sum, name)
	}
	return commands.WriteSynced(filepath.Join(dir, sumsFile), os.O_EXCL, commands.Content(sums.String()))
}

// read reads a backup's manifest, after its files were compared with their sums.
//
// Errors: those of commands.Altered when a file is not what it was.
func read(dir string) (*manifest, error) {
	if info, err := os.Stat(dir); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, errors.New(say("backup.noFolder", "Dir", dir))
	}
	sums, err := readSums(filepath.Join(dir, sumsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New(say("backup.noBackup", "Dir", dir, "File", sumsFile))
	}
	if err != nil {
		return nil, err
	}
	for _, name := range summed {
		found, err := commands.SHA256Of(filepath.Join(dir, name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, commands.Altered(errors.New(say("backup.fileMissing", "File", name)))
		case err != nil:
			return nil, err
		case found != sums[name]:
			return nil, commands.Altered(errors.New(say("backup.fileDiffers", "File", name)))
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if err != nil {
		return nil, err
	}
	m := &manifest{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, commands.Altered(fmt.Errorf("%s: %w", manifestFile, err))
	}
	if m.Format != manifestFormat {
		return nil, errors.New(say("backup.otherFormat", "Format", m.Format, "Version", m.Version))
	}
	return m, nil
}

// readSums reads a file as sha256sum writes it.
func readSums(path string) (map[string]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	sums := map[string]string{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if sum, name, found := strings.Cut(lines.Text(), "  "); found {
			sums[name] = sum
		}
	}
	return sums, lines.Err()
}
