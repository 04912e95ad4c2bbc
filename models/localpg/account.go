package localpg

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// account is the user that the server runs as. PostgreSQL refuses to run as root, so
// root runs it as another user; everyone else runs it as themselves.
type account struct {
	name     string
	uid, gid int
	switched bool // it is not the current user
}

// accountFor returns the account for the server whose files are below dir. For root
// that is the owner of the existing files, or for a new directory `postgres`, else
// `nobody`.
func accountFor(dir string) (account, error) {
	if os.Geteuid() != 0 {
		return account{uid: os.Geteuid(), gid: os.Getegid()}, nil
	}
	if info, err := os.Stat(dir); err == nil {
		if stat := info.Sys().(*syscall.Stat_t); stat.Uid != 0 {
			return account{name: fmt.Sprintf("number %d", stat.Uid), uid: int(stat.Uid), gid: int(stat.Gid), switched: true}, nil
		}
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.Atoi(u.Uid)
		gid, gidErr := strconv.Atoi(u.Gid)
		if err := errors.Join(uidErr, gidErr); err != nil {
			return account{}, fmt.Errorf("user %s: %w", name, err)
		}
		return account{name: name, uid: uid, gid: gid, switched: true}, nil
	}
	return account{}, errors.New("PostgreSQL does not run as root, and there is no user postgres or nobody to run it as")
}

// attributes make a process run as the account, in its own process group: Ctrl-C in
// the terminal goes to our program, which then stops the server in order.
func (a account) attributes() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true}
	if a.switched {
		attr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
	dieWithParent(attr)
	return attr
}

// mkdir creates a private directory owned by the account, unless it exists.
func (a account) mkdir(dir string) error {
	err := os.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return a.own(dir)
}

// own makes the account the owner of a path that we created.
func (a account) own(path string) error {
	if !a.switched {
		return nil
	}
	return os.Chown(path, a.uid, a.gid)
}

// canEnter checks that the account can enter each of the directories, as far as they
// exist, by doing so as the account: permission bits do not cover access lists and
// mounts. It matters for root only, whose home is closed to others.
func (a account) canEnter(dirs ...string) error {
	if !a.switched {
		return nil
	}
	const enter = `for dir; do [ ! -e "$dir" ] || cd "$dir" 2>/dev/null || { printf %s "$dir"; exit 1; }; done`
	args := []string{"-c", enter, "sh"}
	for _, dir := range dirs {
		args = append(args, ancestors(dir)...)
	}
	cmd := exec.Command("/bin/sh", args...)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: a.attributes().Credential}
	closed, err := cmd.Output()
	if err == nil {
		return nil
	}
	if len(closed) == 0 {
		return fmt.Errorf("become the user %s: %w", a.name, err)
	}
	return fmt.Errorf("root runs PostgreSQL as the user %s, who cannot enter %s: use a directory outside of it, "+
		"such as /var/lib/veinte; or open it with chmod o+x %s; or run this program as an ordinary user", a.name, closed, closed)
}

// ancestors lists dir and all its parents, from the top.
func ancestors(dir string) []string {
	if parent := filepath.Dir(dir); parent != dir {
		return append(ancestors(parent), dir)
	}
	return []string{dir}
}
