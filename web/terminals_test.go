package web

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"veinte/models/modelstest"
)

// TestTerminalsImport sets a merchant up from a file, as an operator would.
func TestTerminalsImport(t *testing.T) {
	t.Parallel()
	url := modelstest.URL(t)
	folder := t.TempDir()
	imports := func(content string, args ...string) (code int, out, errs string) {
		t.Helper()
		file := filepath.Join(folder, "mapa.csv")
		must(t, os.WriteFile(file, []byte(content), 0o600))
		cmd := exec.Command(program, append([]string{"terminals", "import", file}, args...)...)
		cmd.Env = []string{"DATABASE_URL=" + url, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + folder}
		var stdout, stderr strings.Builder
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		_ = cmd.Run()
		return cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()
	}
	const header, good = "serialNumber,merchantId,store,label,from,storeName,timeZone\n", "1490000001,900001,CDMX-01,Caja 1,,Roma Norte,\n"
	code, out, errs := imports(header + good + "149,900002,NADIE-1,Caja 2,,,\n")
	if code != 3 || !strings.Contains(errs, "line 3:") || !strings.Contains(errs, "serialNumber:") || !strings.Contains(errs, "store:") ||
		!strings.Contains(out, "refused\t1") {
		t.Errorf("a wrong row = %d\n%s\n%s\nwant exit 3 and its line and columns", code, out, errs)
	}
	for _, step := range []struct {
		args []string
		want string
	}{{[]string{"--dry-run"}, "new\t1"}, {nil, "import\t"}, {nil, "known\t1"}} {
		if code, out, errs := imports(header+good, step.args...); code != 0 || !strings.Contains(out, step.want) {
			t.Errorf("terminals import %v = %d\n%s\n%s\nwant exit 0 and %q", step.args, code, out, errs, step.want)
		}
	}
}
