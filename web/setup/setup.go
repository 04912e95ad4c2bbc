package setup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"veinte/web/commands"
	"veinte/web/deploy"
)

// Command is veinte setup. On a terminal it asks for what is missing.
type Command struct {
	SuperuserURL string `name:"superuser-url" env:"SUPERUSER_URL" secret:"" help:"PostgreSQL as a superuser, or as a role that may make roles and databases. Without it: the PostgreSQL of this machine, by its socket, as its user postgres."`
	OwnerURL     string `name:"owner-url" env:"OWNER_URL" secret:"" help:"With --server-url: roles and database are there already; this is the one that owns the schema."`
	ServerURL    string `name:"server-url" env:"SERVER_URL" secret:"" help:"With --owner-url: the role that the server uses."`
	Database     string `default:"veinte" help:"Name of the database to make."`
	Owner        string `default:"veinte_owner" help:"Role to make that owns the schema."`
	Server       string `default:"veinte_app" help:"Role to make for the server."`
	NewPasswords bool   `help:"Give both roles new passwords, where the ones they have are not known here. The server has to be restarted then."`

	BaseURL         string `env:"BASE_URL" help:"The https address that people type."`
	Addr            string `env:"ADDR" help:"Where the server listens (default 127.0.0.1:8020, for a proxy on this machine)."`
	TrustedProxies  string `env:"TRUSTED_PROXIES" help:"The proxies in front (default 127.0.0.1)."`
	CancelBaseURL   string `name:"cancel-base-url" env:"CANCEL_BASE_URL" help:"Where the cancellation service lives."`
	AccessTokenFile string `type:"path" env:"ACCESS_TOKEN_FILE" placeholder:"FILE" help:"File with the service's access token, which is copied; - reads it from standard input."`
	Email           string `help:"Address of the first administrator."`
	Name            string `help:"Their name."`

	Dir         string `type:"path" default:"/etc/veinte" help:"Folder of settings and keys."`
	Checkpoints string `type:"path" default:"/var/lib/veinte/checkpoints" help:"Folder of the trail's signed checkpoints."`
	Unit        string `default:"/etc/systemd/system/veinte.service" help:"The unit to write; none writes none."`
	User        string `default:"veinte" help:"User of this system that the server runs as; it is made. Who is not root takes themselves."`

	Print       bool `help:"Print everything that would be done, SQL and files, and do nothing."`
	ShowSecrets bool `help:"With --print, show secrets too."`
}

// Run sets up, or prints what that would be.
func (c *Command) Run(ctx context.Context, files *commands.SecretFiles) error {
	if len(files.Problems) > 0 {
		return errors.New(strings.Join(files.Problems, "\n"))
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	s := &installation{Command: c, program: program, out: os.Stdout, log: os.Stderr, root: os.Geteuid() == 0}
	if c.Print {
		s.log = io.Discard
	}
	if err := s.prepare(ctx); err != nil {
		return err
	}
	for _, step := range s.steps() {
		if c.Print {
			step.print()
			continue
		}
		if err := step.do(ctx); err != nil {
			return err
		}
	}
	return nil
}

// installation is one run.
type installation struct {
	*Command
	program  string
	out, log io.Writer
	root     bool

	settings  settings    // those that are there, and those that are wanted
	secrets   []*secret   // in the order in which they are written
	admin     *cluster    // nil: roles and database are there already
	urls      [2]*secret  // of owner and server
	account   account     // that the server runs as
	statement []statement // what the cluster lacks
	token     *secret
}

// step is a part of the installation, which can be printed instead.
type step struct {
	print func()
	do    func(context.Context) error
}

// prepare asks and checks everything that can be known before anything is changed.
func (s *installation) prepare(ctx context.Context) error {
	if err := s.readSettings(); err != nil {
		return err
	}
	if err := s.ask(os.Stdin); err != nil {
		return err
	}
	if err := s.findAccount(); err != nil {
		return err
	}
	if err := s.findSecrets(); err != nil {
		return err
	}
	if !s.Print {
		if err := s.writable(); err != nil {
			return err
		}
	}
	return s.findDatabase(ctx)
}

func (s *installation) steps() []step {
	return []step{
		{s.printAccount, s.makeAccount},
		{s.printSecrets, s.writeSecrets},
		{s.printSQL, s.runSQL},
		{s.printMigrate, s.migrate},
		{s.printSettings, s.writeSettings},
		{s.printUnit, s.writeUnit},
		{s.printInvitation, s.invite},
	}
}

func (s *installation) printInvitation() {
	fmt.Fprintf(s.out, "\n# The first administrator sets a password at the address that this prints:\n"+
		"DATABASE_URL_FILE=%s BASE_URL=%s veinte user create --invite --email %s --name %s --role administrator\n",
		s.urls[1].path, quote(s.settings.get("BASE_URL")), quote(s.Email), quote(s.Name))
}

func (s *installation) invite(ctx context.Context) error {
	address, err := commands.InviteFirst(ctx, s.urls[1].text, s.settings.get("BASE_URL"), s.Email, s.Name)
	if err != nil {
		return fmt.Errorf("invite the first administrator: %w", err)
	}
	if s.unitIsWritten() {
		fmt.Fprintln(s.log, "\nStart it:   systemctl daemon-reload && systemctl enable --now veinte")
	} else {
		fmt.Fprintf(s.log, "\nStart it:   set -a; . %s; set +a; %s serve\n", s.path(settingsFile), s.program)
	}
	if address == "" {
		fmt.Fprintln(s.log, "There is an administrator already; nobody was invited.")
		return nil
	}
	fmt.Fprintf(s.log, "Then %s sets a password here, once and within 24 hours:\n", s.Email)
	fmt.Fprintln(s.out, address)
	return nil
}

// path is that of a file in the folder of settings.
func (s *installation) path(name string) string { return filepath.Join(s.Dir, name) }

func (s *installation) unitIsWritten() bool { return s.Unit != none && s.root }

// none is --unit where there is no systemd.
const none = "none"

// unitText is the unit with the folders of this installation.
func (s *installation) unitText() string {
	state := "StateDirectoryMode=0750\n"
	writes := state
	if !strings.HasPrefix(s.Checkpoints, deploy.State+"/") {
		writes += "ReadWritePaths=" + s.Checkpoints + "\n"
	}
	return strings.NewReplacer(state, writes, deploy.Settings+"/", s.Dir+"/", deploy.Program, s.program,
		"User="+deploy.User, "User="+s.account.name, "Group="+deploy.User, "Group="+s.account.name).Replace(deploy.Unit)
}
