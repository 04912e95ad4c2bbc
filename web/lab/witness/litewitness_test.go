package witness_test

import (
	"bufio"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"veinte/models/audit/witness"
	"veinte/models/audit/witness/witnesstest"
)

// TestLitewitness has litewitness do what our own witness does: it cosigns a trail that
// grows, and refuses one that forked.
func TestLitewitness(t *testing.T) {
	t.Parallel()
	bin := filepath.Join(t.TempDir(), "litewitness")
	build := exec.CommandContext(t.Context(), "go", "build", "-modfile=.ci/litewitness.mod", "-o", bin,
		"filippo.io/torchwood/cmd/litewitness")
	build.Dir = "../../.." // of the repository
	out, err := build.CombinedOutput()
	if err != nil {
		t.Fatalf("build litewitness: %v\n%s", err, out)
	}
	witnesstest.Run(t, func(t *testing.T, origin, public string) (witness.Client, string) {
		return start(t, bin, origin, public)
	})
}

// start runs litewitness for one trail.
func start(t *testing.T, bin, origin, public string) (witness.Client, string) {
	dir := t.TempDir()
	db := filepath.Join(dir, "witness.db")
	watch(t, db, origin, public)
	socket, fingerprint := keyAgent(t)
	address := freeAddress(t)
	cmd := exec.Command(bin, "-name", "testigo.example/lite", "-db", db, "-ssh-agent", socket, "-key", fingerprint, "-listen", address)
	stderr, err := cmd.StderrPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGINT)
		if err := cmd.Wait(); err != nil {
			t.Errorf("litewitness ended: %v", err)
		}
	})
	said := bufio.NewScanner(stderr)
	vkey := ""
	for said.Scan() {
		if m := regexp.MustCompile(`vkey=(\S+)`).FindStringSubmatch(said.Text()); m != nil {
			vkey = m[1]
			break
		}
		t.Log(said.Text())
	}
	if vkey == "" {
		t.Fatal("litewitness said no key")
	}
	go func() { // so that it never waits for its output to be read
		for said.Scan() {
		}
	}()
	for deadline := time.Now().Add(10 * time.Second); ; {
		conn, err := net.DialTimeout("tcp", address, time.Second)
		if err == nil {
			conn.Close()
			return witness.Client{URL: "http://" + address}, vkey
		}
		if time.Now().After(deadline) {
			t.Fatalf("litewitness does not listen: %v", err)
		}
	}
}

// watch makes the database as witnessctl does, which cannot be had here: its modules
// include one that the proxy refuses. The tables are those that litewitness would make.
func watch(t *testing.T, path, origin, public string) {
	t.Helper()
	db, err := sqlite.OpenConn(path)
	must(t, err)
	must(t, sqlitex.ExecuteScript(db, `
		CREATE TABLE log (origin TEXT PRIMARY KEY, tree_size INTEGER NOT NULL, tree_hash TEXT NOT NULL);
		CREATE TABLE key (origin TEXT NOT NULL, key TEXT NOT NULL, FOREIGN KEY(origin) REFERENCES log(origin));`, nil))
	empty := sha256.Sum256(nil)
	must(t, sqlitex.Execute(db, "INSERT INTO log VALUES (?, 0, ?)",
		&sqlitex.ExecOptions{Args: []any{origin, base64.StdEncoding.EncodeToString(empty[:])}}))
	must(t, sqlitex.Execute(db, "INSERT INTO key VALUES (?, ?)", &sqlitex.ExecOptions{Args: []any{origin, public}}))
	must(t, db.Close())
}

// keyAgent serves an agent with a new key, as litewitness wants it, and returns the key's
// fingerprint.
func keyAgent(t *testing.T) (socket, fingerprint string) {
	t.Helper()
	public, secret, err := ed25519.GenerateKey(rand.Reader)
	must(t, err)
	ring := agent.NewKeyring()
	must(t, ring.Add(agent.AddedKey{PrivateKey: secret}))
	// The folder of a test can be too long for a socket.
	dir, err := os.MkdirTemp("", "agent")
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket = filepath.Join(dir, "s")
	l, err := net.Listen("unix", socket)
	must(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				agent.ServeAgent(ring, conn)
			}()
		}
	}()
	key, err := ssh.NewPublicKey(public)
	must(t, err)
	return socket, ssh.FingerprintSHA256(key)
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	return l.Addr().String()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
