package audit_test

import (
	"os"
	"strings"
	"testing"

	"veinte/models"
)

// TestFormatSaysWhatActionsSay: whoever reads a file without the product finds each action
// in the annex of FORMAT.md.
func TestFormatSaysWhatActionsSay(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("trailfile/FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	_, annex, _ := strings.Cut(string(text), "## 14. What the actions say")
	for _, action := range models.Actions {
		if !strings.Contains(annex, "`"+string(action)+"`") {
			t.Errorf("FORMAT.md does not say what %s says", action)
		}
	}
}
