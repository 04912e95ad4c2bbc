package views

import (
	"cmp"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"veinte/models"
	"veinte/views/locale"
	"veinte/views/words"
)

// below returns the names of the files of a kind in a folder and in those below
// it, but for the catalogues' own.
func below(tb testing.TB, folder, kind string) []string {
	tb.Helper()
	var names []string
	err := filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "locale") {
			return fs.SkipDir
		}
		if !d.IsDir() && strings.HasSuffix(name, kind) {
			names = append(names, filepath.ToSlash(name))
		}
		return nil
	})
	if err != nil || len(names) == 0 {
		tb.Fatalf("no files %s below %s: %v", kind, folder, err)
	}
	return names
}

// sources returns the text of every template and every file of code below the
// folders, tests left out.
func sources(tb testing.TB, folders ...string) map[string]string {
	tb.Helper()
	texts := map[string]string{}
	for _, folder := range folders {
		names := below(tb, folder, ".go")
		if folder == "." {
			names = append(names, below(tb, folder, ".templ")...)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			data, err := os.ReadFile(name)
			if err != nil {
				tb.Fatal(err)
			}
			texts[name] = string(data)
		}
	}
	return texts
}

// constants returns the values of a type's constants, in a package of the domain:
// State of models itself, review.Kind of models/review.
func constants(tb testing.TB, of string) []string {
	tb.Helper()
	var values []string
	room, typ := "", of
	if i := strings.LastIndex(of, "."); i >= 0 {
		room, typ = of[:i], of[i+1:]
	}
	declared := regexp.MustCompile(`(?m)^\s+\w+\s+` + typ + `\s+= "(\w[\w.]*)"`)
	for file, text := range sources(tb, "../models") {
		if path.Dir(file) != path.Join("../models", room) {
			continue
		}
		for _, m := range declared.FindAllStringSubmatch(text, -1) {
			values = append(values, m[1])
		}
	}
	if len(values) == 0 {
		tb.Fatalf("no constants of type %s found", of)
	}
	return values
}

func wantWords(t *testing.T, key string) {
	t.Helper()
	if !locale.Has(key) {
		t.Errorf("no words for %q", key)
	}
}

func TestEveryValueOfTheDomainHasWords(t *testing.T) {
	t.Parallel()
	prefixes := map[string][]string{
		"SaleState": {"state.", "truth.", "next."}, "State": {"case."}, "Detail": {"detail."}, "Action": {"action."},
		"Outcome": {"outcome."}, "Role": {"role."}, "Conflict": {"conflict.", "resultNote."}, "ResultKind": {"resultKind."},
		"ResultStatus": {"resultStatus."}, "Meaning": {"meaning."}, "SaleStanding": {"standing.", "resultNote.standing"},
	}
	for typ, begins := range prefixes {
		for _, value := range constants(t, typ) {
			for _, prefix := range begins {
				wantWords(t, prefix+value)
			}
		}
	}
	if roles := constants(t, "Role"); !slices.Contains(roles, string(models.Anonymous)) {
		t.Errorf("roles found = %v, want %s among them", roles, models.Anonymous)
	}
	for _, state := range models.SaleStates {
		if words.StateIcons[state] == "" {
			t.Errorf("no icon for the state %s", state)
		}
	}
}

func TestEveryCodeOfARefusalHasWords(t *testing.T) {
	t.Parallel()
	code := regexp.MustCompile(`(?:Invalid\("\w*", |Code: |flash, |[dD]one\(c, [^"]*)"(\w+\.\w+)"|"((?:error|flash|field|login)\.\w+)"`)
	for file, text := range sources(t, "../models", "../handlers", ".") {
		for _, m := range code.FindAllStringSubmatch(text, -1) {
			if key := m[1] + m[2]; !locale.Has(key) {
				t.Errorf("%s: no words for %q", file, key)
			}
		}
	}
}

func TestEveryNoteOfAResultHasWords(t *testing.T) {
	t.Parallel()
	note := regexp.MustCompile(`note:\s+"(\w+)"|c\.note = \w+, "(\w+)"|return nil, "(\w+)", nil`)
	for file, text := range sources(t, "../models") {
		if base := filepath.Base(file); !strings.HasPrefix(base, "re") && filepath.Base(filepath.Dir(file)) != "results" {
			continue // of what is read of a post
		}
		for _, m := range note.FindAllStringSubmatch(text, -1) {
			if key := "resultNote." + m[1] + m[2] + m[3]; key != "resultNote.standing" && !locale.Has(key) {
				t.Errorf("%s: no words for %q", file, key)
			}
		}
	}
	// What evidence did is noted as the state that it led to, or why it did nothing.
	for _, to := range []models.State{models.Confirmed, models.Rejected, models.NotCanceled} {
		wantWords(t, "resultNote."+string(to))
	}
	noted := map[string]string{"known": "confirmed", "noDoubt": "charged", "differs": "amountDiffers", "noEvidence": "unknownStanding"}
	for _, why := range constants(t, "evidence.Why") {
		wantWords(t, "resultNote."+cmp.Or(noted[why], why))
	}
}

func TestEveryKeyUsedExists(t *testing.T) {
	t.Parallel()
	used := regexp.MustCompile(`"((?:[a-z][A-Za-z]*)\.[A-Za-z0-9]+)"`)
	roots := map[string]bool{}
	for _, key := range []string{
		"sales", "sale", "sheet", "story", "audit", "terminal", "store", "user", "result", "login", "layout", "nav", "form", "list", "cutoff",
		"refund", "resolution", "failure", "export", "word", "time", "attempt", "conflict", "next", "zone",
	} {
		roots[key] = true
	}
	for file, text := range sources(t, ".") {
		if strings.HasSuffix(file, "_templ.go") || strings.HasPrefix(file, "sample") { // what happened in a sample is no key
			continue
		}
		for _, m := range used.FindAllStringSubmatch(text, -1) {
			if root, _, _ := strings.Cut(m[1], "."); roots[root] && !locale.Has(m[1]) {
				t.Errorf("%s uses %q, which no catalogue has", file, m[1])
			}
		}
	}
}

func TestWhatIsUnknownIsNeverSaidToHaveFailed(t *testing.T) {
	t.Parallel()
	for _, lang := range locale.Languages {
		for _, key := range []string{"state.unknown", "truth.unknown", "next.unknown", "moved.unknown", "outcome.unknown", "meaning.unknown"} {
			words := strings.ToLower(locale.In(lang, key, "N", "1"))
			if slices.ContainsFunc([]string{"fall", "fail", "error"}, func(s string) bool { return strings.Contains(words, s) }) {
				t.Errorf("%s %s = %q", lang, key, words)
			}
		}
	}
}
