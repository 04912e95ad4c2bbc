package views

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestGeneratedFilesAreCurrent generates into a copy and compares, so that a
// template cannot be committed without what it generates.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	t.Parallel()
	templates := below(t, ".", ".templ")
	// Generated code names its template by the path from the module's root.
	root := t.TempDir()
	dir := filepath.Join(root, "views")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte("module veinte\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range templates {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		copied := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(copied), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(copied, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "tool", "templ", "generate", "-path", dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("templ generate: %v\n%s", err, out)
	}
	for _, name := range templates {
		file := strings.TrimSuffix(name, ".templ") + "_templ.go"
		want, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(withoutPaths(got), withoutPaths(want)) {
			t.Errorf("%s is not what %s generates: run go tool templ generate", file, name)
		}
	}
}

// withoutPaths drops the lines that only name where a template lies.
func withoutPaths(code []byte) []byte {
	var kept [][]byte
	for _, line := range bytes.Split(code, []byte("\n")) {
		if i := bytes.Index(line, []byte("FileName: `")); i >= 0 {
			j := bytes.Index(line[i+11:], []byte("`"))
			line = append(bytes.Clone(line[:i]), line[i+11+j:]...)
		}
		kept = append(kept, line)
	}
	return bytes.Join(kept, []byte("\n"))
}
