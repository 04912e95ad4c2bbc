package setup

import (
	"context"
	"fmt"
	"os"
	"os/user"
	"strconv"
	"strings"
)

// account is the user of this system that the server runs as.
type account struct {
	name     string
	uid, gid int
	missing  bool
}

// findAccount looks the user up. Who is not root serves as themselves.
func (s *installation) findAccount() error {
	if s.User == "root" {
		return fmt.Errorf("--user: the server does not need root; name another user, which is made")
	}
	var who *user.User
	var err error
	if s.root || s.Print {
		if who, err = user.Lookup(s.User); err != nil {
			s.account = account{name: s.User, missing: true}
			return nil
		}
	} else if who, err = user.Current(); err != nil {
		return err
	}
	s.account.name = who.Username
	s.account.uid, _ = strconv.Atoi(who.Uid)
	s.account.gid, _ = strconv.Atoi(who.Gid)
	return nil
}

func (s *installation) useradd() []string {
	return []string{
		"useradd", "--system", "--user-group", "--no-create-home", "--home-dir", "/nonexistent", "--shell", "/usr/sbin/nologin", s.User,
	}
}

func (s *installation) printAccount() {
	if s.account.missing {
		fmt.Fprintf(s.out, "# The user that the server runs as:\n%s\n", strings.Join(s.useradd(), " "))
	}
}

func (s *installation) makeAccount(ctx context.Context) error {
	if !s.account.missing {
		return nil
	}
	add := s.useradd()
	if said, err := run(ctx, nil, add[0], add[1:]...); err != nil {
		return fmt.Errorf("make the user %s: %w %s; make it yourself and run this again", s.User, err, said)
	}
	fmt.Fprintln(s.log, "made the user", s.User)
	return s.findAccount()
}

// own gives a folder to the user.
func (a account) own(path string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	return os.Chown(path, a.uid, a.gid)
}
