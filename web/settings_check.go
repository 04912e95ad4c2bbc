package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"veinte/models"
	"veinte/views"
	"veinte/web/cancelapi"
)

// checked are the settings once every one of them is known to be good.
type checked struct {
	databaseURL    string
	addr           string
	adminAddr      string
	baseURL        string // "" when it is not known
	secureCookies  bool
	trustedProxies []string
	window         models.Window
	waits          models.Waits
	resultsSecret  string
	setup          []views.Setting // how the service is reached, for administrators to read
	log            *slog.Logger
	cancelapi      cancelapi.Config // without its clock, token source and logger
	tokens         func(models.Clock) cancelapi.TokenSource
	sealer         *models.Sealer // nil: nothing can be forwarded
	allowPrivate   bool           // endpoints in private networks and on this machine
	credential     func() error   // reports why the key to the service cannot be read; nil: not known beforehand
}

// mistakes collects what is wrong, each with the variable's name.
type mistakes []string

func (m *mistakes) add(name, format string, args ...any) {
	*m = append(*m, name+": "+fmt.Sprintf(format, args...))
}

// err returns all mistakes as one error; nil when there are none.
func (m mistakes) err() error {
	if len(m) == 0 {
		return nil
	}
	return errors.New("the settings cannot be used:\n  - " + strings.Join(m, "\n  - "))
}

// minSecret is the least length of a secret that nobody guesses.
const minSecret = 24

// check reads every setting and lists all that is wrong at once.
func (s *settings) check(problems []string) (*checked, error) {
	m := mistakes(problems)
	c := &checked{
		databaseURL: s.DatabaseURL, adminAddr: s.AdminAddr, resultsSecret: s.ResultsSecret, baseURL: s.BaseURL, setup: s.setup(),
	}
	if s.DatabaseURL == "" {
		m.add("DATABASE_URL", "is required")
	}
	c.addr = s.address(&m)
	if s.AdminAddr != "" {
		checkAddress(&m, "ADMIN_ADDR", s.AdminAddr)
	}
	if s.BaseURL != "" {
		c.secureCookies = checkURL(&m, "BASE_URL", s.BaseURL, false)
	}
	c.trustedProxies = checkProxies(&m, s.TrustedProxies)
	s.checkService(&m, c)
	s.checkTokens(&m, c)
	s.checkTimes(&m, c)
	if len(s.ResultsSecret) < minSecret {
		m.add("RESULTS_SECRET", "needs at least %d characters that nobody can guess", minSecret)
	} else if url.PathEscape(s.ResultsSecret) != s.ResultsSecret {
		m.add("RESULTS_SECRET", "may hold only letters, digits, hyphens and underscores")
	}
	s.checkDeliveries(&m, c)
	if s.AuditKeyFile != "" {
		m.add("AUDIT_KEY_FILE", "sealing the trail is not in this version")
	}
	if s.AuditCheckpointDir != "" {
		m.add("AUDIT_CHECKPOINT_DIR", "sealing the trail is not in this version")
	}
	c.log = s.logger(&m)
	return c, m.err()
}

func (s *settings) checkDeliveries(m *mistakes, c *checked) {
	var err error
	if c.sealer, err = models.NewSealer(s.RelayKey); err != nil {
		m.add("RELAY_KEY", "%v", err)
	}
	switch s.DeliveryAllowPrivate {
	case "true":
		c.allowPrivate = true
	case "false", "":
	default:
		m.add("DELIVERY_ALLOW_PRIVATE", "%q is neither true nor false", s.DeliveryAllowPrivate)
	}
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
// guarded, plain http is for this machine only: it would show a token to
// everybody on the way.
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

func checkProxies(m *mistakes, list string) []string {
	var proxies []string
	for _, p := range strings.Split(list, ",") {
		p = strings.TrimSpace(p)
		if p == "" {
			continue
		}
		if _, _, err := net.ParseCIDR(p); err != nil && net.ParseIP(p) == nil {
			m.add("TRUSTED_PROXIES", "%q is neither an address nor a network", p)
		}
		proxies = append(proxies, p)
	}
	return proxies
}

func (s *settings) checkService(m *mistakes, c *checked) {
	if s.CancelBaseURL == "" {
		m.add("CANCEL_BASE_URL", "is required")
	} else {
		checkURL(m, "CANCEL_BASE_URL", s.CancelBaseURL, true)
	}
	for name, path := range map[string]string{"CANCEL_PATH": s.CancelPath, "INQUIRY_PATH": s.InquiryPath} {
		if path != "" && !strings.HasPrefix(path, "/") {
			m.add(name, "must begin with /")
		}
	}
	if s.CancelPath == "" {
		m.add("CANCEL_PATH", "is required")
	}
	switch s.CancelAck {
	case "sent":
	case "canceled":
		c.waits.AckMeansCanceled = true
	default:
		m.add("CANCEL_ACK_MEANS", "%q is neither sent nor canceled", s.CancelAck)
	}
	c.waits.Answer = duration(m, "CANCEL_TIMEOUT", s.CancelTimeout, time.Second, 2*time.Minute)
	c.cancelapi = cancelapi.Config{
		BaseURL: s.CancelBaseURL, CancelPath: s.CancelPath, InquiryPath: s.InquiryPath,
		// Each request ends by the wait that the rules gave it; this is the most
		// that they can give.
		Timeout: max(c.waits.Answer, models.MaxAnswerWait),
	}
}

// tokenURL is the token operation: as set, or beside the service's others.
func (s *settings) tokenURL() string {
	if s.TokenURL != "" || s.CancelBaseURL == "" {
		return s.TokenURL
	}
	return strings.TrimRight(s.CancelBaseURL, "/") + "/oauth-service/oauth/token"
}

func (s *settings) checkTokens(m *mistakes, c *checked) {
	need := func(name, value string) {
		if value == "" {
			m.add(name, "is required with TOKEN_MODE=%s", s.TokenMode)
		}
	}
	if s.TokenURL != "" {
		checkURL(m, "TOKEN_URL", s.TokenURL, true)
	}
	config := cancelapi.TokenConfig{
		URL: s.tokenURL(), Username: s.TokenUsername, Password: s.TokenPassword,
		ClientID: s.TokenClientID, ClientSecret: s.TokenClientSecret,
	}
	switch s.TokenMode {
	case "static":
		need("ACCESS_TOKEN", s.AccessToken)
		c.tokens = func(models.Clock) cancelapi.TokenSource { return cancelapi.StaticToken(s.AccessToken) }
		if path := os.Getenv("ACCESS_TOKEN_FILE"); path != "" && os.Getenv("ACCESS_TOKEN") == "" {
			c.tokens = func(models.Clock) cancelapi.TokenSource { return cancelapi.StaticTokenFile(path) }
			c.credential = func() error { return readable(path) }
		}
		return
	case "password":
		need("TOKEN_USERNAME", s.TokenUsername)
		need("TOKEN_PASSWORD", s.TokenPassword)
		c.tokens = func(clock models.Clock) cancelapi.TokenSource {
			config.Clock = clock
			return cancelapi.PasswordToken(config)
		}
	case "client_credentials":
		c.tokens = func(clock models.Clock) cancelapi.TokenSource {
			config.Clock = clock
			return cancelapi.ClientCredentialsToken(config)
		}
	default:
		m.add("TOKEN_MODE", "%q is none of static, password, client_credentials", s.TokenMode)
		return
	}
	need("TOKEN_CLIENT_ID", s.TokenClientID)
	need("TOKEN_CLIENT_SECRET", s.TokenClientSecret)
}

func (s *settings) checkTimes(m *mistakes, c *checked) {
	c.waits.Result = duration(m, "RESULT_WAIT", s.ResultWait, time.Second, time.Hour)
	c.waits.Quiet = duration(m, "QUIET_TIME", s.QuietTime, time.Second, time.Hour)
	c.window.Margin = duration(m, "CUTOFF_MARGIN", s.CutoffMargin, 0, time.Hour)
	if _, err := models.NewCalendar(s.Cutoff, "UTC"); err != nil {
		m.add("CUTOFF", "%v", err)
	}
	if _, err := models.NewCalendar("20:00", s.CutoffZone); err != nil {
		m.add("CUTOFF_ZONE", "%v", err)
	}
	c.window.Calendar, _ = models.NewCalendar(s.Cutoff, s.CutoffZone) // judged above
}

// readable reports why a file that must hold something cannot be used.
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

func duration(m *mistakes, name, value string, least, most time.Duration) time.Duration {
	d, err := time.ParseDuration(value)
	if err != nil || d < least || d > most {
		m.add(name, "%q is no time between %s and %s, such as 30s", value, least, most)
	}
	return d
}

func (s *settings) logger(m *mistakes) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(s.LogLevel)); err != nil {
		m.add("LOG_LEVEL", "%q is none of debug, info, warn, error", s.LogLevel)
	}
	options := &slog.HandlerOptions{Level: level}
	switch s.LogFormat {
	case "json":
		return slog.New(slog.NewJSONHandler(os.Stderr, options))
	case "text":
	default:
		m.add("LOG_FORMAT", "%q is neither text nor json", s.LogFormat)
	}
	return slog.New(slog.NewTextHandler(os.Stderr, options))
}
