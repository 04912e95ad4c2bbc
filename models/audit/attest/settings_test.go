package attest_test

import (
	"os"
	"path/filepath"
	"testing"

	"veinte/models/audit/attest"
	"veinte/models/audit/trailfile/cosign"
)

// TestWhoIsAskedIsChecked: what cannot be meant is a mistake of its setting, and an address
// with a password is not repeated.
func TestWhoIsAskedIsChecked(t *testing.T) {
	t.Parallel()
	_, witness, err := cosign.Generate("contadora.example")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "witnesses")
	for _, tt := range []struct {
		fact, authorities, witnesses string
		asked                        int
		wrong                        string
	}{
		{"both", "https://tsa.example/tsr,otra=https://otra.example/", "# la contadora\n" + witness + " https://contadora.example/\n", 3, ""},
		{"no address", "tsa.example", "", 0, "AUDIT_TSA"},
		{"of another kind", "ftp://tsa.example/", "", 0, "AUDIT_TSA"},
		{"one name twice", "a=https://a.example/,a=https://b.example/", "", 0, "AUDIT_TSA"},
		{"a witness without an address", "", witness + "\n", 0, "AUDIT_WITNESSES"},
		{"a witness whose key has a wrong letter", "", witness[:len(witness)-4] + "AAA= https://contadora.example/\n", 0, "AUDIT_WITNESSES"},
	} {
		path := ""
		if tt.witnesses != "" {
			path = file
			if err := os.WriteFile(file, []byte(tt.witnesses), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		wrong := ""
		asked := attest.Read(tt.authorities, path, true, func(setting, _ string) { wrong = setting })
		if wrong != tt.wrong || wrong == "" && len(asked) != tt.asked {
			t.Errorf("%s: %d are asked, the mistake is of %q; want %d and %q", tt.fact, len(asked), wrong, tt.asked, tt.wrong)
		}
	}
	wrong := ""
	attest.Read("", filepath.Join(t.TempDir(), "none"), true, func(setting, _ string) { wrong = setting })
	if wrong != "AUDIT_WITNESSES" {
		t.Errorf("a file that is not there is a mistake of %q", wrong)
	}
}
