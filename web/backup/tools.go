package backup

import (
	"context"
	"errors"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// place is a database as the tools of PostgreSQL are told of it.
type place struct {
	config   *pgx.ConnConfig
	conninfo string // without the password: everybody on this machine sees the arguments of a program
}

// errAddress says nothing of the address, which may hold a password.
var errAddress = errors.New("is no address of a database, such as postgres://user:password@host/database")

var passwordWord = regexp.MustCompile(`(^|\s)password\s*=\s*('([^'\\]|\\.)*'|([^\s\\]|\\.)*)`)

// at reads the address of a database.
func at(address string) (*place, error) {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return nil, errAddress
	}
	p := &place{config: config, conninfo: passwordWord.ReplaceAllString(address, " ")}
	if strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://") {
		u, err := url.Parse(address)
		if err != nil {
			return nil, errAddress
		}
		if u.User != nil {
			u.User = url.User(u.User.Username())
		}
		query := u.Query()
		query.Del("password")
		u.RawQuery = strings.ReplaceAll(query.Encode(), "+", "%20") // which libpq would take for a plus
		p.conninfo = u.String()
	}
	return p, nil
}

// beside is another database of the same cluster.
func (p *place) beside(database string) *place {
	config := p.config.Copy()
	config.Database = database
	other := &place{config: config, conninfo: p.conninfo + " dbname=" + database} // of two the last counts
	if u, err := url.Parse(p.conninfo); err == nil && u.Scheme != "" {
		u.Path = "/" + database
		other.conninfo = u.String()
	}
	return other
}

// connect connects to the database; none is limited in how long it may take.
func (p *place) connect(ctx context.Context) (*pgx.Conn, error) {
	config := p.config.Copy()
	for name, value := range map[string]string{
		"application_name": "veinte backup", "timezone": "UTC", "statement_timeout": "0", "idle_in_transaction_session_timeout": "0",
	} {
		config.RuntimeParams[name] = value
	}
	return pgx.ConnectConfig(ctx, config)
}

// environment is what a tool is given besides its arguments.
func (p *place) environment() []string {
	env := append(os.Environ(), "LC_ALL=C")
	if p.config.Password != "" {
		env = append(env, "PGPASSWORD="+p.config.Password)
	}
	if strings.Contains(p.conninfo, "verify-") && os.Getenv("PGSSLROOTCERT") == "" {
		// libpq knows no authority by itself; this program trusts those of the system.
		for _, bundle := range []string{"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"} {
			if _, err := os.Stat(bundle); err == nil {
				return append(env, "PGSSLROOTCERT="+bundle)
			}
		}
	}
	return env
}

// find returns where a tool of PostgreSQL is, and the major version of it.
func find(ctx context.Context, name string) (path string, major int, err error) {
	path = name
	if dir := os.Getenv("PG_BIN"); dir != "" {
		path = filepath.Join(dir, name)
	}
	if path, err = exec.LookPath(path); err != nil {
		return "", 0, errors.New(say("backup.noTool", "Tool", name))
	}
	// For example "pg_dump (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)".
	said, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return "", 0, errors.New(say("backup.noTool", "Tool", name))
	}
	_, version, _ := strings.Cut(string(said), ") ")
	major, _ = strconv.Atoi(leadingNumber.FindString(version))
	return path, major, nil
}

var leadingNumber = regexp.MustCompile(`^\d+`)

// run runs a tool. What it says on standard error is its error.
func (p *place) run(ctx context.Context, tool string, out io.Writer, args ...string) error {
	cmd := exec.CommandContext(ctx, tool, args...)
	cmd.Env, cmd.Stdout = p.environment(), out
	var said strings.Builder
	cmd.Stderr = &said
	err := cmd.Run()
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return errors.New(filepath.Base(tool) + ": " + shortened(said.String(), err))
}

// shortened is what a tool said, at most so many characters of its beginning.
func shortened(said string, otherwise error) string {
	const most = 2000
	if said = strings.TrimSpace(said); said == "" {
		return otherwise.Error()
	}
	if len(said) > most {
		said = strings.ToValidUTF8(said[:most], "") + " …"
	}
	return said
}
