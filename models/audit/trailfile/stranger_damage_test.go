package trailfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"veinte/models/audit/trailfile/stamp"
)

// TestDamagedStampsAreJudgedAlike: whatever byte of a time stamp is another one, verify.py
// comes to the same verdict as we. Its code shares nothing with ours, nor with a library.
func TestDamagedStampsAreJudgedAlike(t *testing.T) {
	t.Parallel()
	c := &cases{t: t}
	c.stamps.t = t
	folder := t.TempDir()
	text := textOfNote(newTestTree(t, caseSize, caseEntry).note(5))
	for _, kind := range []string{"right", "curve", "old-hash"} {
		token := c.stamps.of(kind, text)
		for at := range token {
			if at%12 != 0 {
				continue
			}
			damaged := bytes.Clone(token)
			switch at % 36 {
			case 0:
				damaged[at] ^= 1 << (at % 8)
			case 12:
				damaged[at] += 0x41
			default:
				damaged = append(damaged[:at], damaged[at+1:]...)
			}
			c.add(fmt.Sprintf("%s-%d", kind, at), "intact", c.own(func(n string) string {
				return c.lined(n, stamp.Line("tsa.example/x", damaged))
			})).trustingRoots(c, "right", "curve")
		}
	}
	for _, k := range c.all {
		must(t, os.WriteFile(filepath.Join(folder, k.File), k.file, 0o600))
		for i, r := range k.roots {
			must(t, os.WriteFile(filepath.Join(folder, k.Roots[i]), r, 0o600))
		}
	}
	list, err := json.Marshal(c.all)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(folder, "cases.json"), list, 0o600))
	out, err := exec.Command("python3", "testdata/verify.py", "--cases", folder).Output()
	must(t, err)
	said := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, verdict, _ := strings.Cut(line, "\t")
		said[name] = verdict
	}
	counted := map[string]int{}
	for _, k := range c.all {
		verdict, n, id := k.our(t)
		counted[verdict]++
		if ours := fmt.Sprintf("%s\t%d\t%d\t", verdict, n, id); !strings.HasPrefix(said[k.Name], ours) {
			t.Errorf("%s: we say %q, verify.py %q", k.Name, ours, said[k.Name])
		}
	}
	if len(c.all) < 300 || counted["altered"] < 30 || counted["cannot decide"] < 100 {
		t.Errorf("of %d damaged stamps the verdicts are %v", len(c.all), counted)
	}
}
