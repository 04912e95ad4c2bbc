package compare

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/jackc/pgx/v5"

	"veinte/models"
)

// The tables of what opens doors.
const (
	tableSecrets  = "api_secrets"
	tablePasskeys = "passkeys"
)

// credentials are the secrets of programs, or the passkeys of people, as their entries leave
// them: of each the hash of what is stored of it.
type credentials struct {
	bound map[string]*credential // by that hash
	// unbound counts those that entries of older releases name without a hash.
	unbound map[named]int
}

// credential is one of them, as its entry has it.
type credential struct {
	named
	entry, month int64
	seen         bool
}

// named is by what an entry calls one: the name of the key and the first characters of the
// secret, or the person's address and the name of the passkey.
type named struct{ owner, name string }

func (n named) String() string { return n.owner + " · " + n.name }

// is reports whether the trail may mean this one: it masks what may be a card's number, and
// leaves the letters.
func (n named) is(told named) bool {
	return n == told || n.masked() && letters(n.owner) == letters(told.owner) && letters(n.name) == letters(told.name)
}

func (n named) masked() bool { return hidden(n.owner) || hidden(n.name) }

func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return r
		}
		return -1
	}, s)
}

func newCredentials() credentials {
	return credentials{bound: map[string]*credential{}, unbound: map[named]int{}}
}

func (c *credentials) add(e *recordEntry, n named, hash string) {
	if hash == "" {
		c.unbound[n]++
		return
	}
	c.bound[hash] = &credential{named: n, entry: e.id, month: monthOf(e.at)}
}

// remove forgets one. An older server beside a newer one does not say which of two of the
// same name it was.
func (c *credentials) remove(n named, hash string) {
	if c.bound[hash] != nil {
		delete(c.bound, hash)
		return
	}
	if c.unbound[n] > 0 {
		c.unbound[n]--
		return
	}
	for hash, x := range c.bound {
		if x.named == n {
			delete(c.bound, hash)
			return
		}
	}
}

func (c *credentials) removeOf(owner string) {
	maps.DeleteFunc(c.bound, func(_ string, x *credential) bool { return x.owner == owner })
	maps.DeleteFunc(c.unbound, func(n named, _ int) bool { return n.owner == owner })
}

// rename follows a person to another address.
func (c *credentials) rename(was, is string) {
	for _, x := range c.bound {
		if x.owner == was {
			x.owner = is
		}
	}
	for n, count := range c.unbound {
		if n.owner == was {
			delete(c.unbound, n)
			c.unbound[named{is, n.name}] += count
		}
	}
}

func (f *records) foldPasskey(e *recordEntry) {
	told := e.after
	if e.action == models.ActionPasskeyRemoved {
		told = e.before
	}
	n, hash := named{text(told["email"]), text(told["passkey"])}, text(told["publicKeySha256"])
	switch e.action {
	case models.ActionPasskeyAdded:
		f.passkeys.add(e, n, hash)
	case models.ActionPasskeyRemoved:
		f.passkeys.remove(n, hash)
	case models.ActionFactorReset:
		f.passkeys.removeOf(n.owner)
	}
}

// held is a row of a credential.
type held struct {
	named
	hash string
	made int64 // month
}

const (
	secretsSQL = `SELECT k.name, s.prefix, encode(sha256(s.hash), 'hex'), s.created_at
		FROM api_secrets s JOIN api_keys k ON k.id = s.key_id ORDER BY s.id`
	passkeysSQL = `SELECT u.email, p.name, encode(sha256(p.public_key), 'hex'), p.created_at
		FROM passkeys p JOIN users u ON u.id = p.user_id ORDER BY p.id`
)

// compareCredentials compares what opens doors: whoever puts a secret or a key of their own
// into a row comes in as somebody else.
func (r *run) compareCredentials(ctx context.Context, tx pgx.Tx) error {
	var x held
	var made time.Time
	var rows []held
	into := []any{&x.owner, &x.name, &x.hash, &made}
	take := func() error {
		x.made = monthOf(made)
		rows = append(rows, x)
		return nil
	}
	if err := each(ctx, tx, secretsSQL, into, take); err != nil {
		return fmt.Errorf("compare secrets of keys: %w", err)
	}
	r.credentials(r.table(tableSecrets), "hash", &r.records.secrets, rows)
	rows = nil
	if err := each(ctx, tx, passkeysSQL, into, take); err != nil {
		return fmt.Errorf("compare passkeys: %w", err)
	}
	r.credentials(r.table(tablePasskeys), "public_key", &r.records.passkeys, rows)
	return nil
}

func (r *run) credentials(table *Table, column string, of *credentials, rows []held) {
	rest := slices.DeleteFunc(rows, func(x held) bool {
		c := of.bound[x.hash]
		if c == nil || c.seen {
			return false
		}
		c.seen = true
		table.Compared++
		if table.Since == 0 || c.entry < table.Since {
			table.Since = c.entry
		}
		if !x.is(c.named) {
			r.add(Difference{
				Kind: Changed, Table: table.Name, Row: x.String(), Field: "owner", Recorded: c.String(), Found: x.String(), EntryID: c.entry,
			})
		}
		return true
	})
	for i := range rest {
		r.strange(table, column, of, &rest[i])
	}
	for _, hash := range slices.SortedFunc(maps.Keys(of.bound), func(a, b string) int { return int(of.bound[a].entry - of.bound[b].entry) }) {
		if c := of.bound[hash]; !c.seen && c.month >= r.lastArchived {
			table.Compared++
			r.add(Difference{Kind: Missing, Table: table.Name, Row: c.String(), Recorded: hash, EntryID: c.entry})
		}
	}
}

// strange judges a row of which no entry has the hash.
func (r *run) strange(table *Table, column string, of *credentials, x *held) {
	if of.unbound[x.named] > 0 {
		of.unbound[x.named]--
		table.NotBound++
		return
	}
	for hash, c := range of.bound {
		if c.named == x.named && !c.seen {
			c.seen = true
			table.Compared++
			r.add(Difference{
				Kind: Changed, Table: table.Name, Row: x.String(), Field: column, Recorded: hash, Found: x.hash, EntryID: c.entry,
			})
			return
		}
	}
	switch {
	case r.isArchived(x.made):
		table.Archived++
	case x.masked() && len(of.unbound) > 0:
		table.NotBound++
	default:
		r.add(Difference{Kind: Unrecorded, Table: table.Name, Row: x.String(), Found: x.hash})
	}
}
