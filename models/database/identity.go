package database

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
)

// Identity names a database among its copies, as the schema's database_identity()
// does: the identifier of its cluster, its number there, the timeline of the cluster,
// which a promotion or a recovery to a point in time changes, and how often it was
// found to be an older state of itself.
type Identity string

// The parts of an Identity.
const (
	timelinePart  = 2
	setBackPart   = 3
	identityParts = 4
)

// Hidden is a part that PostgreSQL keeps from its roles; Standby is the timeline of a
// database that does not take writes.
const (
	hiddenPart  = "-"
	standbyPart = "standby"
)

func (i Identity) parts() []string {
	if parts := strings.Split(string(i), "/"); len(parts) == identityParts {
		return parts
	}
	return make([]string, identityParts)
}

func (i Identity) with(part int, value string) Identity {
	parts := i.parts()
	return Identity(strings.Join(slices.Replace(parts, part, part+1, value), "/"))
}

// Place is the identity without how often the database was set back.
func (i Identity) Place() string { return strings.Join(i.parts()[:setBackPart], "/") }

// SetBack is the identity once the database was found to be an older state of itself
// another time.
func (i Identity) SetBack() Identity {
	n, _ := strconv.Atoi(i.parts()[setBackPart])
	return i.with(setBackPart, strconv.Itoa(n+1))
}

// Standby reports whether the database takes no writes: it has no timeline of its own
// yet.
func (i Identity) Standby() bool { return i.parts()[timelinePart] == standbyPart }

// Hidden reports whether PostgreSQL keeps a part of the identity from us, so that not
// every copy is recognized.
func (i Identity) Hidden() bool { return slices.Contains(i.parts(), hiddenPart) }

// PromotedTo reports whether the other differs by its timeline only: it is a standby
// that was promoted, or a recovery to a point in time.
func (i Identity) PromotedTo(other Identity) bool {
	return i != other && i.with(timelinePart, other.parts()[timelinePart]) == other
}

// servers counts the servers of PostgreSQL that a pool has met.
type servers struct {
	mu    sync.Mutex
	last  string
	count int64
}

// meet is called for each new connection, before it is used.
func (s *servers) meet(ctx context.Context, conn *pgx.Conn) error {
	var server string
	err := conn.QueryRow(ctx, `SELECT pg_postmaster_start_time()::text || pg_is_in_recovery()`).Scan(&server)
	if err != nil {
		return fmt.Errorf("ask which server this is: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if server != s.last {
		s.last, s.count = server, s.count+1
	}
	return nil
}

// Generation changes whenever a connection reaches another server of PostgreSQL than
// the last one, or the same after a restart: whatever was restored, promoted or set
// back, no connection from before goes on.
func (db *DB) Generation() int64 {
	db.servers.mu.Lock()
	defer db.servers.mu.Unlock()
	return db.servers.count
}
