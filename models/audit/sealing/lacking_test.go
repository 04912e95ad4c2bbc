package sealing_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/audit/sealing"
	"veinte/models/audit/trailfile"
	"veinte/models/modelstest"
)

// TestCheckpointsThatAreMissingAreTold without anybody's copy: what the directory lacks of
// the database, or the database of the directory, is in the trail, once.
func TestCheckpointsThatAreMissingAreTold(t *testing.T) {
	t.Parallel()
	for what, tt := range map[string]struct {
		do    func(s trail, month string)
		in    string // "" for nothing
		count string // how many, in SQL, before it is done
	}{
		"nothing": {func(trail, string) {}, "", "0"},
		"the directory emptied, and the database put back": {func(s trail, _ string) {
			s.cut(modelstest.Count(t, s.Owner, `SELECT min(size) FROM checkpoints WHERE size > 10`))
			must(t, os.RemoveAll(s.Dir))
		}, "directory", "1"},
		"the directory emptied": {
			func(s trail, _ string) { must(t, os.RemoveAll(s.Dir)) },
			"directory", "(SELECT count(*) FROM checkpoints WHERE size > 10)",
		},
		"one checkpoint taken out of the directory": {func(s trail, month string) {
			text, err := os.ReadFile(month)
			must(t, err)
			notes := trailfile.Notes(string(text))
			must(t, os.WriteFile(month, []byte(strings.Join(append(notes[:2:2], notes[3:]...), "\n")+"\n"), 0o600))
		}, "directory", "1"},
		"one deleted in the database": {func(s trail, _ string) {
			s.asSuperuser(`DELETE FROM checkpoints WHERE size = (SELECT size FROM checkpoints ORDER BY size DESC OFFSET 1 LIMIT 1)`)
		}, "database", "1"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			s := newTrail(t)
			s.Write(10)
			s.All()
			look := func(p *sealing.Service, begins bool) {
				t.Helper()
				if err := p.LookThrough(t.Context(), begins); err != nil {
					t.Fatalf("LookThrough = %v", err)
				}
			}
			look(s.Seals, false)
			look(s.Seals, false)
			modelstest.Wants(t, "directories that begin", s.recorded(models.ActionCheckpointsBegun), 1)
			for range 3 {
				s.Write(10 - s.unsealed())
				s.All()
			}
			count := modelstest.Count(t, s.Owner, `SELECT `+tt.count)
			tt.do(s, filepath.Join(s.Dir, time.Now().UTC().Format("checkpoints-2006-01.txt")))
			p := s.Process(s.Dir) // the server was started anew
			look(p, true)
			if _, err := p.Seal(t.Context()); err != nil {
				t.Fatalf("Seal = %v, want nothing that contradicts", err)
			}
			for range 2 {
				look(p, false)
			}
			want := 0
			if tt.in != "" {
				want = 1
			}
			modelstest.Wants(t, "entries of what is missing", s.recorded(models.ActionCheckpointsMissing), want)
			if tt.in == "" {
				return
			}
			const is = `SELECT after->>'missingIn' || ' ' || (after->>'checkpoints') FROM audit_entries
				WHERE action = 'checkpoints.missing'`
			if got := modelstest.Scan[string](t, s.Owner, is); got != fmt.Sprint(tt.in, " ", count) {
				t.Errorf("the trail says that %s are missing, want %d in the %s", got, count, tt.in)
			}
			note := modelstest.Scan[string](t, s.Owner, `SELECT after->>'signedCheckpoint' FROM audit_entries
				WHERE action = 'checkpoints.missing'`)
			if _, err := trailfile.Open(note, s.Keys.Verifiers()); err != nil {
				t.Errorf("the entry has the checkpoint %q: %v", note, err)
			}
		})
	}
}

// unsealed is how many entries wait.
func (s trail) unsealed() int {
	s.TB.Helper()
	return modelstest.Count(s.TB, s.Owner, `SELECT (SELECT count(*) FROM audit_entries) - (SELECT max(size) FROM checkpoints)`)
}
