package web

import (
	"cmp"
	"errors"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/jackc/pgx/v5/pgconn"

	"veinte/models/addresses"
)

// checkServed is check for a server that others reach. The demo and practice move no
// money, and start without these rules.
func (s *settings) checkServed(problems []string) (*checked, error) {
	c, m := s.checkAll(problems)
	if !c.practice {
		s.checkOpenness(&m, c)
		s.checkDatabaseTLS(&m)
	}
	return c, m.err()
}

// noProxies is TRUSTED_PROXIES where people and terminals connect directly.
const noProxies = "none"

// checkProxies reads whose X-Forwarded-For is believed.
func (s *settings) checkProxies(m *mistakes, c *checked) {
	if s.TrustedProxies == noProxies {
		return
	}
	c.proxies = addresses.Networks(strings.Split(s.TrustedProxies, ","), func(wrong string) {
		m.add("TRUSTED_PROXIES", "%q is neither an address nor a network, nor is the whole of it none", wrong)
	})
}

// checkOpenness refuses a server that others reach without https, or without knowing
// who says truly where a request comes from: passwords would cross the network in the
// clear, and everybody could write another address into the trail and the limits.
func (s *settings) checkOpenness(m *mistakes, c *checked) {
	host, _, err := net.SplitHostPort(c.addr)
	if err != nil || loopback(host) || c.insecure {
		return
	}
	if !c.secureCookies && (s.BaseURL == "" || strings.HasPrefix(s.BaseURL, "http:")) {
		m.add("BASE_URL", "other machines reach %s, so it must be the https address that people type; ADDR=127.0.0.1:8020 serves this "+
			"machine alone, and INSECURE_HTTP=on serves without https all the same", c.addr)
	}
	if s.TrustedProxies != noProxies && strings.Trim(s.TrustedProxies, " ,") == "" {
		m.add("TRUSTED_PROXIES", "name the proxies in front of this server, or say none: without them the address of a client is not known")
	}
}

// checkDatabaseTLS refuses a connection without TLS to a database on another machine:
// whoever listens there reads and changes everything.
func (s *settings) checkDatabaseTLS(m *mistakes) {
	insecure := m.either("INSECURE_DATABASE", cmp.Or(s.InsecureDatabase, "off"), "on", "off")
	if wrong := plainDatabase(s.DatabaseURL, insecure); wrong != "" {
		m.add("DATABASE_URL", "%s", wrong)
	}
	if wrong := plainDatabase(s.PagesURL, insecure); wrong != "" {
		m.add("DATABASE_PAGES_URL", "%s", wrong)
	}
}

// plainDatabase returns what is wrong with an address of a database; "" for nothing.
func plainDatabase(address string, insecure bool) string {
	if address == "" {
		return ""
	}
	config, err := pgconn.ParseConfig(address)
	if err != nil {
		return "is no address of a database, such as postgres://user@host/database"
	}
	plain := config.TLSConfig == nil && elsewhere(config.Host)
	for _, f := range config.Fallbacks {
		plain = plain || f.TLSConfig == nil && elsewhere(f.Host)
	}
	if plain && !insecure {
		return "the database is on another machine, so add sslmode=verify-full (or require); INSECURE_DATABASE=on connects " +
			"without TLS all the same"
	}
	return ""
}

// judgeThemselves are the commands that check their database among their other settings,
// or have one of their own.
var judgeThemselves = []string{"serve", "practice", "demo", "seal", "config"}

// addressFlags are the secret flags that take a database, and what a mistake is called by.
var addressFlags = map[string]string{"database-url": "DATABASE_URL", "into": "--into", "database": "--database"}

// checkDatabaseOf is the rule of checkDatabaseTLS for every other command that is given a
// database: they send its owner's password, and people's.
func checkDatabaseOf(parsed *kong.Context, insecure string) error {
	command, _, _ := strings.Cut(parsed.Command(), " ")
	if slices.Contains(judgeThemselves, command) {
		return nil
	}
	for _, f := range parsed.Flags() {
		name := addressFlags[f.Name]
		if name == "" || !f.Tag.Has("secret") {
			continue
		}
		address, _ := parsed.FlagValue(f).(string)
		if wrong := plainDatabase(address, insecure == "on"); wrong != "" {
			return errors.New(name + ": " + wrong)
		}
	}
	return nil
}

// elsewhere reports whether a database's host is another machine.
func elsewhere(host string) bool { return !strings.HasPrefix(host, "/") && !loopback(host) }

// checkContacts reads whom to tell of a weakness: addresses as RFC 9116 wants them.
func checkContacts(m *mistakes, value string) []string {
	var contacts []string
	for part := range strings.SplitSeq(value, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		u, err := url.Parse(part)
		known := err == nil && (u.Scheme == "https" && u.Host != "" || (u.Scheme == "mailto" || u.Scheme == "tel") && u.Opaque != "")
		if !known || strings.ContainsAny(part, " \t\r\n") {
			m.add("SECURITY_CONTACT", "%q is no address such as mailto:seguridad@tienda.example, https://tienda.example/seguridad "+
				"or tel:+525550000000", part)
			continue
		}
		contacts = append(contacts, part)
	}
	return contacts
}
