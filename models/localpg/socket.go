package localpg

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	socketName  = ".s.PGSQL.5432" // the number is port
	port        = "5432"
	shortPrefix = "veinte-sock-" // of a socket directory outside the home
)

// makeSocketDir returns a private, empty directory for the socket: <Dir>/pg15/run,
// or a short one in the temporary directory if the path of the socket would be too
// long. In that case run is a link to it, so that the next start finds and removes
// the directory of a program that was killed.
func (h home) makeSocketDir() (string, error) {
	run := filepath.Join(h.versionDir(), "run")
	if err := removeSocketDir(run); err != nil {
		return "", fmt.Errorf("remove old socket: %w", err)
	}
	// A comma would separate hosts in a connection string.
	if fits(run) && !strings.Contains(run, ",") {
		return run, h.user.mkdir(run)
	}
	short, err := os.MkdirTemp("", shortPrefix)
	if err != nil {
		return "", fmt.Errorf("make short socket directory: %w", err)
	}
	if !fits(short) {
		os.Remove(short)
		return "", fmt.Errorf("the path of a socket may have %d bytes, and both %s and %s are too long for that: "+
			"use a shorter directory, or set TMPDIR to one",
			maxSocketPath, run, os.TempDir())
	}
	for _, step := range []func() error{
		func() error { return h.user.own(short) },
		func() error { return h.user.canEnter(short) },
		func() error { return os.Symlink(short, run) },
	} {
		if err := step(); err != nil {
			os.Remove(short)
			return "", err
		}
	}
	return short, nil
}

func fits(dir string) bool { return len(filepath.Join(dir, socketName)) <= maxSocketPath }

// removeSocketDir removes the socket directory that run is or points to. The
// server's files in it are removed by name, so a wrong link does no harm.
func removeSocketDir(run string) error {
	target, err := os.Readlink(run)
	if err == nil && strings.HasPrefix(filepath.Base(target), shortPrefix) {
		os.Remove(filepath.Join(target, socketName))
		os.Remove(filepath.Join(target, socketName+".lock"))
		os.Remove(target)
	}
	return os.RemoveAll(run)
}

// answers requests a session from the server and reports whether it accepts. The
// existence of the socket is not enough: a server in recovery has one and refuses.
func answers(socketDir string) bool {
	conn, err := net.DialTimeout("unix", filepath.Join(socketDir, socketName), time.Second)
	if err != nil {
		return false
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Second))

	body := binary.BigEndian.AppendUint32(nil, 196608) // protocol 3.0
	body = append(body, "user\x00"+superuser+"\x00database\x00postgres\x00\x00"...)
	hello := append(binary.BigEndian.AppendUint32(nil, uint32(4+len(body))), body...)
	if _, err := conn.Write(hello); err != nil {
		return false
	}
	kind := make([]byte, 1)
	if _, err := io.ReadFull(conn, kind); err != nil {
		return false
	}
	_, _ = conn.Write([]byte{'X', 0, 0, 0, 4}) // goodbye
	return kind[0] == 'R'                      // authentication; a refusal is an 'E'
}
