package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// The codes of PostgreSQL that have an explanation of their own.
const (
	notAuthorized   = "28000"
	invalidPassword = "28P01"
	noDatabase      = "3D000"
)

func codeOf(err error) string {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return refused.Code
	}
	return ""
}

// inWords says what to do about a connection that did not come about. No message of it
// holds a password.
func inWords(err error, config *pgx.ConnConfig) error {
	at := fmt.Sprintf("%s:%d", config.Host, config.Port)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOENT):
		return fmt.Errorf("no PostgreSQL answers at %s: is it installed and running (pg_lsclusters), "+
			"and does it listen there (listen_addresses, port)?", at)
	case codeOf(err) == invalidPassword:
		return fmt.Errorf("%s refuses the password of %s", at, config.User)
	case codeOf(err) == notAuthorized && strings.Contains(err.Error(), "pg_hba.conf"):
		return fmt.Errorf("%s lets %s not into the database %s: pg_hba.conf needs a line such as: host %s %s samenet scram-sha-256",
			at, config.User, config.Database, config.Database, config.User)
	case codeOf(err) == notAuthorized:
		return fmt.Errorf("%s does not let this user of the system in as %s: run this as root, "+
			"or name an address with a password in --superuser-url",
			at, config.User)
	case codeOf(err) == noDatabase:
		return fmt.Errorf("there is no database %s at %s", config.Database, at)
	}
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return fmt.Errorf("%s says: %s (%s)", at, refused.Message, refused.Code)
	}
	return fmt.Errorf("%s cannot be reached: %w", at, errors.Unwrap(err))
}
