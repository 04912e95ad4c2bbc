package setup

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestAShellReadsWhatWasWritten: any value comes out of the file of settings as it went
// in, for a shell and for the next run.
func TestAShellReadsWhatWasWritten(t *testing.T) {
	t.Parallel()
	for _, want := range []string{
		"", "plain", "postgres://u:p@h:1/d?sslmode=verify-full&x=1", "Veinte <v@x.example>", `a "b" \ c`,
		"$HOME `id` $(id)", "it's", "#no comment", "a;b|c&d",
	} {
		var s settings
		s.set("OTHER", "x")
		s.set("VALUE", "before")
		s.set("VALUE", want)
		if again := parseSettings(s.text()); again.get("VALUE") != want {
			t.Errorf("the next run reads %q, want %q", again.get("VALUE"), want)
		}
		file := filepath.Join(t.TempDir(), "env")
		if err := os.WriteFile(file, []byte(s.text()), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("bash", "-eu", "-c", `. "$1"; printf %s "$VALUE"`, "bash", file).Output()
		if err != nil || string(out) != want {
			t.Errorf("a shell reads %q, %v, want %q", out, err, want)
		}
	}
}

// TestSCRAM: the example of RFC 7677, section 3, in PostgreSQL's form.
func TestSCRAM(t *testing.T) {
	t.Parallel()
	salt := []byte{0x5b, 0x6d, 0x99, 0x68, 0x9d, 0x12, 0x35, 0x8e, 0xec, 0xa0, 0x4b, 0x14, 0x12, 0x36, 0xfa, 0x81}
	const want = "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$" +
		"WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU="
	if got, err := scramWith("pencil", salt); err != nil || got != want {
		t.Errorf("scramWith() = %s, %v, want %s", got, err, want)
	}
}
