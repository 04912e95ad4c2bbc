package setup

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/user"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// cluster is the PostgreSQL in which roles and database are made.
type cluster struct {
	config    *pgx.ConnConfig
	superuser bool
	address   *url.URL // how roles with passwords connect, without them
}

// statement is something the cluster lacks.
type statement struct {
	database string // in which it is run
	shown    string // without secrets
	sql      string
}

// findDatabase looks what is there, and how the two roles connect. It changes nothing.
func (s *installation) findDatabase(ctx context.Context) error {
	if (s.OwnerURL == "") != (s.ServerURL == "") {
		return errors.New("--owner-url and --server-url go together")
	}
	if s.OwnerURL != "" {
		return s.readyRoles(ctx)
	}
	if s.SuperuserURL == "" && s.urls[0].there && s.urls[1].there && !s.NewPasswords && s.answer(ctx) == nil {
		return nil // an earlier run has made them
	}
	if err := s.findCluster(); err != nil {
		return err
	}
	conn, err := s.admin.connect(ctx, s.admin.config.Database)
	if err != nil {
		return fmt.Errorf("PostgreSQL as its superuser: %w", inWords(err, s.admin.config))
	}
	defer conn.Close(ctx)
	if err := s.judgeCluster(ctx, conn); err != nil {
		return err
	}
	for i, role := range []string{s.Owner, s.Server} {
		if err := s.planRole(ctx, conn, role, s.urls[i]); err != nil {
			return err
		}
	}
	return s.planDatabase(ctx, conn)
}

// answer reports whether both roles come in with the passwords that are known here.
func (s *installation) answer(ctx context.Context) error {
	for _, f := range s.urls {
		if err := comesIn(ctx, f.text); err != nil {
			return fmt.Errorf("%s: %w", f.path, err)
		}
	}
	return nil
}

func comesIn(ctx context.Context, address string) error {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return errors.New("is no address of a database, such as postgres://user:password@host/database")
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return inWords(err, config)
	}
	return conn.Close(ctx)
}

// readyRoles takes roles and database that somebody else has made.
func (s *installation) readyRoles(ctx context.Context) error {
	for i, address := range []string{s.OwnerURL, s.ServerURL} {
		f, flag := s.urls[i], []string{"--owner-url", "--server-url"}[i]
		if err := comesIn(ctx, address); err != nil {
			return fmt.Errorf("%s: %w", flag, err)
		}
		if f.there && f.text != address {
			return fmt.Errorf("%s: %s holds another address; move it away if it is no longer true", flag, f.path)
		}
		f.text = address
	}
	owner, err := pgx.ParseConfig(s.OwnerURL)
	if err != nil {
		return err
	}
	server, err := pgx.ParseConfig(s.ServerURL)
	if err != nil {
		return err
	}
	if owner.User == server.User {
		return errors.New("--server-url: the server needs a role that does not own the tables, or it could change the trail")
	}
	s.Server = server.User
	return nil
}

// findCluster reads how its superuser connects.
func (s *installation) findCluster() error {
	address := s.SuperuserURL
	if address == "" {
		address = "postgres://postgres@/postgres?host=/var/run/postgresql"
		if port := os.Getenv("PGPORT"); port != "" {
			address += "&port=" + url.QueryEscape(port)
		}
	}
	config, err := pgx.ParseConfig(address)
	if err != nil || !strings.Contains(address, "://") {
		return errors.New("--superuser-url: want an address such as postgres://postgres:password@host/postgres, " +
			"or postgres://postgres@/postgres?host=/run/postgresql")
	}
	s.admin = &cluster{config: config, address: &url.URL{Scheme: "postgres"}}
	if strings.HasPrefix(config.Host, "/") {
		// Over the socket PostgreSQL asks this system who it is: root comes as the user of the role.
		if who, err := user.Lookup(config.User); s.root && err == nil && config.Password == "" {
			uid, _ := strconv.Atoi(who.Uid)
			config.DialFunc = dialAs(uid)
		}
		s.admin.address.Host = net.JoinHostPort("127.0.0.1", strconv.Itoa(int(config.Port)))
		return nil
	}
	same, err := url.Parse(address)
	if err != nil {
		return errors.New("--superuser-url: cannot be read")
	}
	s.admin.address.Host, s.admin.address.RawQuery = same.Host, same.RawQuery
	return nil
}

func (c *cluster) connect(ctx context.Context, database string) (*pgx.Conn, error) {
	config := c.config.Copy()
	config.Database = database
	return pgx.ConnectConfig(ctx, config)
}

// oldest is the oldest PostgreSQL that serves.
const oldest = 14

func (s *installation) judgeCluster(ctx context.Context, conn *pgx.Conn) error {
	var version int
	var roles, databases bool
	err := conn.QueryRow(ctx, `SELECT current_setting('server_version_num')::int / 10000, rolsuper, rolcreaterole, rolcreatedb
		FROM pg_roles WHERE rolname = current_user`).Scan(&version, &s.admin.superuser, &roles, &databases)
	switch {
	case err != nil:
		return err
	case version < oldest:
		return fmt.Errorf("this is PostgreSQL %d; Veinte needs %d or newer", version, oldest)
	case !s.admin.superuser && !(roles && databases):
		return fmt.Errorf("%s is no superuser and may not make roles and databases: name one in --superuser-url, "+
			"or have the roles made and name them in --owner-url and --server-url (--print shows the SQL)", conn.Config().User)
	}
	return nil
}

// planRole plans a role and its address, or takes the one that is there.
func (s *installation) planRole(ctx context.Context, conn *pgx.Conn, role string, f *secret) error {
	var there, super bool
	err := conn.QueryRow(ctx, "SELECT count(*) > 0, coalesce(bool_or(rolsuper), false) FROM pg_roles WHERE rolname = $1", role).
		Scan(&there, &super)
	if err != nil {
		return err
	}
	if super {
		return fmt.Errorf("the role %s is a superuser, whom nothing in the database can stop from changing the trail: name another", role)
	}
	password := passwordOf(f.text)
	switch {
	case there && !f.there && !s.NewPasswords:
		return fmt.Errorf("the role %s exists, and its password is not known here: write its address into %s (postgres://%s:PASSWORD@%s/%s), "+
			"or give it a new one with --new-passwords",
			role, f.path, role, s.admin.address.Host, s.Database)
	case there && !s.NewPasswords:
		if err := s.knows(ctx, conn, role, f); err != nil {
			return err
		}
		return nil
	case there || !f.there:
		password = rand.Text()
		f.text, f.renewed = s.admin.of(role, password, s.Database), f.there
	}
	name, verb := pgx.Identifier{role}.Sanitize(), "CREATE"
	if there {
		verb = "ALTER"
	}
	verifier, err := scram(password)
	if err != nil {
		return err
	}
	text := verb + " ROLE " + name + " LOGIN PASSWORD '"
	s.statement = append(s.statement, statement{shown: text + "***'", sql: text + verifier + "'"})
	if !there && role == s.Owner && !s.admin.superuser {
		grant := "GRANT " + name + " TO CURRENT_USER" // to make a database for it
		s.statement = append(s.statement, statement{shown: grant, sql: grant})
	}
	return nil
}

// knows reports whether a role comes in with the password that is known here. Its
// database may not be there yet.
func (s *installation) knows(ctx context.Context, conn *pgx.Conn, role string, f *secret) error {
	config, err := pgx.ParseConfig(f.text)
	if err != nil {
		return fmt.Errorf("%s: is no address of a database", f.path)
	}
	if config.User != role {
		return fmt.Errorf("%s is for the role %s, not %s: name it with --owner and --server", f.path, config.User, role)
	}
	there, err := pgx.ConnectConfig(ctx, config)
	if err == nil {
		return there.Close(ctx)
	}
	if codeOf(err) == invalidPassword {
		return fmt.Errorf("the role %s has another password than %s: correct the file, or give it a new one with --new-passwords", role, f.path)
	}
	if codeOf(err) == noDatabase {
		return nil
	}
	return fmt.Errorf("%s: %w", f.path, inWords(err, config))
}

// of is the address of a role.
func (c *cluster) of(role, password, database string) string {
	u := *c.address
	u.User, u.Path = url.UserPassword(role, password), "/"+database
	return u.String()
}

func passwordOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.User == nil {
		return ""
	}
	password, _ := u.User.Password()
	return password
}

// planDatabase plans the database, and in it what only a superuser may do.
func (s *installation) planDatabase(ctx context.Context, conn *pgx.Conn) error {
	var owner string
	err := conn.QueryRow(ctx, "SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = $1", s.Database).Scan(&owner)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		text := "CREATE DATABASE " + pgx.Identifier{s.Database}.Sanitize() + " OWNER " + pgx.Identifier{s.Owner}.Sanitize() +
			" ENCODING 'UTF8' TEMPLATE template0"
		s.statement = append(s.statement, statement{shown: text, sql: text})
	case err != nil:
		return err
	case owner != s.Owner:
		return fmt.Errorf("the database %s belongs to %s, not to %s: name another with --database, or its owner with --owner",
			s.Database, owner, s.Owner)
	}
	if s.admin.superuser { // else the server warns of it
		text := "REVOKE EXECUTE ON FUNCTION lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea) FROM PUBLIC"
		s.statement = append(s.statement, statement{database: s.Database, shown: text, sql: text})
	}
	return nil
}

func (s *installation) printSQL() {
	if len(s.statement) == 0 {
		fmt.Fprintln(s.out, "\n# Roles and database are there.")
		return
	}
	fmt.Fprintf(s.out, "\n# SQL, as %s:\n", s.admin.config.User)
	for _, one := range s.statement {
		text := one.shown
		if s.ShowSecrets {
			text = one.sql
		}
		if one.database != "" {
			text = "\\connect " + one.database + "\n" + text
		}
		fmt.Fprintln(s.out, text+";")
	}
}

func (s *installation) runSQL(ctx context.Context) error {
	for _, one := range s.statement {
		database := one.database
		if database == "" {
			database = s.admin.config.Database
		}
		if err := s.admin.run(ctx, database, one.sql); err != nil {
			return fmt.Errorf("%s: %w", one.shown, inWords(err, s.admin.config))
		}
		fmt.Fprintln(s.log, one.shown)
	}
	return s.answer(ctx)
}

func (c *cluster) run(ctx context.Context, database, sql string) error {
	conn, err := c.connect(ctx, database)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, sql)
	return errors.Join(err, conn.Close(ctx))
}

func (s *installation) printMigrate() {
	fmt.Fprintf(s.out, "\n# The schema, and the rights of the server's role:\nDATABASE_URL_FILE=%s veinte migrate up --app-role %s\n",
		s.urls[0].path, quote(s.Server))
}

func (s *installation) migrate(ctx context.Context) error {
	env := []string{"DATABASE_URL=" + s.urls[0].text, "INSECURE_DATABASE=" + os.Getenv("INSECURE_DATABASE")}
	if said, err := run(ctx, env, s.program, "migrate", "up", "--app-role", s.Server); err != nil {
		return fmt.Errorf("veinte migrate up: %s", said)
	}
	fmt.Fprintln(s.log, "the schema is up to date, and", s.Server, "has its rights")
	return nil
}
