package localpg

import (
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestAsOrdinaryUser runs once more as the user nobody what depends on who runs it. When
// the tests are not run by root, they already run as an ordinary user.
func TestAsOrdinaryUser(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		return
	}
	nobody := lookup(t, "nobody")
	tmp := openDir(t)
	must(t, nobody.own(tmp))
	const again = "^Test(FreshStartAnswers|ServerDoesNotRunAsRoot|StartHealsADetachedServer|ServerDiesWithItsProgram|" +
		"ShortSocketOfAKilledProgramIsRemoved|TemporarySweepsWhatKilledTestsLeft)$"
	cmd := exec.CommandContext(t.Context(), publicCopy(t),
		"-test.run="+again, "-test.count=1", "-test.v", "-test.parallel=2", "-test.timeout=5m")
	cmd.Dir = tmp
	// GOTMPDIR too: where a test's folders are made when it is set, and root's is closed to nobody.
	cmd.Env = append(os.Environ(), "HOME="+tmp, "TMPDIR="+tmp, "GOTMPDIR="+tmp)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: nobody.attributes().Credential}
	out, err := cmd.CombinedOutput()
	if passed := strings.Count(string(out), "--- PASS: "); err != nil || passed != 6 {
		t.Errorf("tests as nobody: %v, %d passed, want 6:\n%s", err, passed, out)
	}
}

func TestServerDoesNotRunAsRoot(t *testing.T) {
	t.Parallel()
	s := startIn(t, newDir(t))
	info, err := os.Stat(filepath.Join(s.home.dataDir(), "postmaster.pid"))
	must(t, err)
	owner := int(info.Sys().(*syscall.Stat_t).Uid)
	if owner == 0 || owner != s.home.user.uid {
		t.Errorf("server runs as %d, want %d", owner, s.home.user.uid)
	}
	if self := os.Geteuid(); self != 0 && owner != self {
		t.Errorf("server runs as %d, want ourselves, %d", owner, self)
	}
}

func TestClosedParentIsNamed(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		return // only root runs the server as another user
	}
	closed := filepath.Join(openDir(t), "closed")
	must(t, os.Mkdir(closed, 0o700))
	dir := filepath.Join(closed, "below", "pg")
	_, err := Start(t.Context(), Options{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "cannot enter "+closed+":") {
		t.Errorf("Start below a closed directory = %v, want an error that names %s", err, closed)
	}
	if _, err := os.Lstat(filepath.Dir(dir)); !os.IsNotExist(err) {
		t.Errorf("directory below the closed one: %v, want nothing made", err)
	}
}

func TestRootContinuesAsTheOwnerOfTheData(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		return
	}
	nobody := lookup(t, "nobody")
	dir := newDir(t)
	must(t, os.Mkdir(dir, 0o700))
	must(t, nobody.own(dir))
	h := startHelper(t, "start", nobody, dir)
	h.server(t)
	h.kill()
	s := startIn(t, dir)
	if got, want := s.home.user.uid, nobody.uid; got != want {
		t.Errorf("server of nobody's data runs as %d, want %d", got, want)
	}
}

func lookup(t *testing.T, name string) account {
	t.Helper()
	u, err := user.Lookup(name)
	must(t, err)
	uid, err := strconv.Atoi(u.Uid)
	must(t, err)
	gid, err := strconv.Atoi(u.Gid)
	must(t, err)
	return account{name: name, uid: uid, gid: gid, switched: true}
}
