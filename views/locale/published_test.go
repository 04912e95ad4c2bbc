package locale_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// unpublished are statements about the service and its terminals that nobody has
// published: what a receipt says, and how long an answer takes. They may be told as
// what others report, or as our own rule.
var unpublished = []string{
	"dice «cancelación»", "diga «cancelación»", "says “cancelación”",
	"suele responder", "usually answers", "Lo normal son", "is usual.",
	"muchas cancelaciones quedarán", "many cancellations will",
}

// TestNoTextStatesWhatNobodyPublished reads both catalogues and every guide.
func TestNoTextStatesWhatNobodyPublished(t *testing.T) {
	t.Parallel()
	read := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".json" && filepath.Ext(path) != ".md" {
			return err
		}
		read++
		text, err := os.ReadFile(path)
		for line := range strings.Lines(string(text)) {
			for _, words := range unpublished {
				if strings.Contains(line, words) {
					t.Errorf("%s states %q: %s", path, words, strings.TrimSpace(line))
				}
			}
		}
		return err
	})
	if err != nil || read < 6 {
		t.Fatalf("read %d files: %v", read, err)
	}
}
