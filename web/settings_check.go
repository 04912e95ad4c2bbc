package web

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net"
	netmail "net/mail"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/audit/attest"
	"veinte/models/audit/trailfile"
	"veinte/models/secretbox"
	settingsview "veinte/views/settings"
	"veinte/web/cancelapi"
	"veinte/web/mail"
	"veinte/web/oidc"
	"veinte/web/tunnel"
)

// checked holds the settings after all of them were checked.
type checked struct {
	databaseURL      string
	pagesURL         string // through a pooler; "": none stands between
	addr             string
	adminAddr        string
	drainDelay       time.Duration // between a red /readyz and the end of the listener
	baseURL          string        // without a trailing slash
	secureCookies    bool
	proxies          []netip.Prefix // whose X-Forwarded-For is believed
	insecure         bool           // served without https, although others reach it
	window           models.Window
	waits            models.Waits
	results          resultsConfig
	setup            []settingsview.Setting // how the service is reached, for administrators
	log              *slog.Logger
	cancelapi        cancelapi.Config // without its clock, token source and logger
	tokens           func(models.Clock) cancelapi.TokenSource
	sealer           *secretbox.Box  // nil: deliveries are off
	mail             *mail.Config    // nil: no mail is sent
	deliveryProxy    *tunnel.Proxy   // nil: receivers are reached directly
	allowPrivate     bool            // endpoints in private networks and on this machine
	sso              *oidc.Config    // nil: there is no provider of the single sign-on
	ssoName          string          // as its button calls it
	auditKeys        *trailfile.Keys // nil: the trail is not sealed
	checkpointDir    string          // "": checkpoints are stored in the database only
	attesters        []attest.Asked  // who is asked to sign checkpoints
	traces           string          // the collector's address; "": nothing is traced
	keepsCommits     bool            // every commit waits for a standby
	ownerServes      bool            // the database's role may own the tables
	practice         bool            // no money is moved
	securityContacts []string        // whom to tell of a weakness
	practiceURL      string          // of the practice installation; "" when there is none
	testWaits        bool            // waits may be shorter than in life
	credential       func() error    // reports why the service's key cannot be read; nil: unknown in advance
}

// mistakes collects what is wrong, each with the variable's name.
type mistakes []string

// add adds one, unless the file with the setting could not be read, which says more.
func (m *mistakes) add(name, format string, args ...any) {
	if slices.ContainsFunc(*m, func(said string) bool { return strings.HasPrefix(said, name+"_FILE: ") }) {
		return
	}
	*m = append(*m, name+": "+fmt.Sprintf(format, args...))
}

// either reports whether a setting has the first of two values.
func (m *mistakes) either(name, value, first, second string) bool {
	if value != first && value != second {
		m.add(name, "%q is neither %s nor %s", value, first, second)
	}
	return value == first
}

// err returns all mistakes as one error; nil when there are none.
func (m mistakes) err() error {
	if len(m) == 0 {
		return nil
	}
	return errors.New("the settings cannot be used:\n  - " + strings.Join(m, "\n  - "))
}

// minSecret is the minimum length of a secret, so that it cannot be guessed.
const minSecret = 24

// check parses every setting and lists all mistakes at once.
func (s *settings) check(problems []string) (*checked, error) {
	c, m := s.checkAll(problems)
	return c, m.err()
}

func (s *settings) checkAll(problems []string) (*checked, mistakes) {
	m := mistakes(problems)
	c := &checked{
		databaseURL: s.DatabaseURL, pagesURL: s.PagesURL, adminAddr: s.AdminAddr,
	}
	if s.DatabaseURL == "" {
		m.add("DATABASE_URL", "is required")
	}
	c.addr = s.address(&m)
	if s.AdminAddr != "" {
		checkAddress(&m, "ADMIN_ADDR", s.AdminAddr)
	}
	c.drainDelay = s.checkDrain(&m)
	if s.BaseURL != "" {
		c.secureCookies = checkURL(&m, "BASE_URL", s.BaseURL, false)
	}
	c.baseURL = strings.TrimRight(cmp.Or(s.BaseURL, reachedAt(c.addr)), "/")
	c.setup = s.setup(c.baseURL)
	s.checkProxies(&m, c)
	c.insecure = m.either("INSECURE_HTTP", cmp.Or(s.InsecureHTTP, "off"), "on", "off")
	c.securityContacts = checkContacts(&m, s.SecurityContact)
	s.checkTestWaits(&m, c)
	s.checkService(&m, c)
	s.checkTokens(&m, c)
	s.checkTimes(&m, c)
	s.checkResults(&m, c)
	s.checkDeliveries(&m, c)
	s.checkMail(&m, c)
	s.checkSSO(&m, c)
	s.checkSealing(&m, c)
	c.keepsCommits = m.either("FAILOVER_KEEPS_COMMITS", cmp.Or(s.FailoverKeepsCommits, "off"), "on", "off")
	c.ownerServes = m.either("SERVE_AS_OWNER", cmp.Or(s.ServeAsOwner, "off"), "on", "off")
	s.checkPractice(&m, c)
	if c.traces = strings.TrimRight(s.TracesEndpoint, "/"); c.traces != "" {
		checkURL(&m, "OTEL_EXPORTER_OTLP_ENDPOINT", c.traces, false)
	}
	c.log = s.logger(&m)
	return c, m
}

// checkSealing reads the keys that seal the trail. Without keys the trail may stay
// unsealed, unless it was sealed before, which is checked against the database
// later.
func (s *settings) checkSealing(m *mistakes, c *checked) {
	c.attesters = attest.Read(s.AuditTSA, s.AuditWitnesses, s.AuditKeyFile != "", func(name, what string) { m.add(name, "%s", what) })
	var err error
	switch {
	case s.AuditKeyFile == "" && s.AuditCheckpointDir != "":
		m.add("AUDIT_CHECKPOINT_DIR", "there is nothing to write to it without AUDIT_KEY_FILE")
		return
	case s.AuditKeyFile == "":
		return
	case s.AuditCheckpointDir != "" && !filepath.IsAbs(s.AuditCheckpointDir):
		m.add("AUDIT_CHECKPOINT_DIR", "%q is no absolute path", s.AuditCheckpointDir)
	}
	if c.auditKeys, err = trailfile.LoadKeys(s.AuditKeyFile); err != nil {
		m.add("AUDIT_KEY_FILE", "%v", err)
	}
	c.checkpointDir = s.AuditCheckpointDir
}

func (s *settings) checkDeliveries(m *mistakes, c *checked) {
	var err error
	if c.sealer, err = secretbox.New(s.RelayKey); err != nil {
		m.add("RELAY_KEY", "%v", err)
	}
	c.deliveryProxy = m.proxy("DELIVERY_PROXY", s.DeliveryProxy)
	c.allowPrivate = m.either("DELIVERY_ALLOW_PRIVATE", cmp.Or(s.DeliveryAllowPrivate, "false"), "true", "false")
}

func (s *settings) checkMail(m *mistakes, c *checked) {
	if s.SMTPHost == "" {
		if s.SMTPFrom != "" || s.SMTPUsername != "" || s.SMTPPassword != "" {
			m.add("SMTP_HOST", "is required with the other SMTP settings")
		}
		return
	}
	port, err := strconv.Atoi(s.SMTPPort)
	if err != nil || port < 1 || port > 65535 {
		m.add("SMTP_PORT", "%q is no port", s.SMTPPort)
	}
	if strings.ContainsAny(s.SMTPHost, " /:@") && net.ParseIP(s.SMTPHost) == nil {
		m.add("SMTP_HOST", "want a host alone, such as smtp.tienda.example")
	}
	if _, err := netmail.ParseAddress(s.SMTPFrom); err != nil {
		m.add("SMTP_FROM", "want an address, such as Veinte <veinte@tienda.example>")
	}
	if (s.SMTPUsername == "") != (s.SMTPPassword == "") {
		m.add("SMTP_PASSWORD", "SMTP_USERNAME and SMTP_PASSWORD go together")
	}
	c.mail = &mail.Config{
		Host: s.SMTPHost, Port: port, Username: s.SMTPUsername, Password: s.SMTPPassword, From: s.SMTPFrom, Plain: loopback(s.SMTPHost),
	}
}

// maxDrain is the longest DRAIN_DELAY.
const maxDrain = time.Minute

// checkDrain reads DRAIN_DELAY, which the demo does without.
func (s *settings) checkDrain(m *mistakes) time.Duration {
	d, err := time.ParseDuration(cmp.Or(s.DrainDelay, "0s"))
	if err != nil || d < 0 || d > maxDrain {
		m.add("DRAIN_DELAY", "%q is no time between 0s and %s, such as 3s", s.DrainDelay, maxDrain)
	}
	return d
}

func (s *settings) address(m *mistakes) string {
	addr, name := s.Addr, "ADDR"
	switch {
	case addr == "" && s.Port != "":
		addr, name = ":"+s.Port, "PORT"
	case addr == "":
		addr = ":8020"
	}
	checkAddress(m, name, addr)
	return addr
}

// reachedAt is how a server without BASE_URL is reached: by this machine, or by the name
// that this machine has. What a request says of it is never believed.
func reachedAt(addr string) string {
	host, port, _ := net.SplitHostPort(addr)
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host, _ = os.Hostname()
	}
	return "http://" + net.JoinHostPort(cmp.Or(host, "localhost"), port)
}

func checkAddress(m *mistakes, name, addr string) {
	_, port, err := net.SplitHostPort(addr)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		m.add(name, "%q is no address to listen on; want host:port or :port", addr)
	}
}

// checkURL accepts an absolute address and reports whether it is https. With
// guarded, plain http is allowed for this machine only, because it would expose a
// token on the network.
func checkURL(m *mistakes, name, value string, guarded bool) bool {
	u, err := url.Parse(value)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		m.add(name, "want an address such as https://host/prefix")
		return false
	}
	if guarded && u.Scheme == "http" && !loopback(u.Hostname()) {
		m.add(name, "must be https: a plain connection shows the access token on the way")
	}
	return u.Scheme == "https"
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}

// readable reports why a file cannot be read or is empty.
func readable(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return errors.Join(errors.New("it is empty or no file"), err)
	}
	return nil
}

func (s *settings) logger(m *mistakes) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(s.LogLevel)); err != nil {
		m.add("LOG_LEVEL", "%q is none of debug, info, warn, error", s.LogLevel)
	}
	options := &slog.HandlerOptions{Level: level}
	if m.either("LOG_FORMAT", s.LogFormat, "text", "json") {
		return slog.New(slog.NewTextHandler(os.Stderr, options))
	}
	return slog.New(slog.NewJSONHandler(os.Stderr, options))
}
