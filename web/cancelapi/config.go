package cancelapi

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"veinte/models"
	"veinte/web/tunnel"
)

// Default paths of the operations below the base URL. The first is from the
// service's specification; the second is from public integration guides of terminals
// of its family.
const (
	DefaultCancelPath  = "/integration-service/transactions/cancel"
	DefaultInquiryPath = "/integration-service/transactions/reprint"
)

// DefaultTimeout is how long a response is awaited: 5 s fails in practice, 20 to 30
// s works.
const DefaultTimeout = 30 * time.Second

// Config is the configuration of a Client.
type Config struct {
	BaseURL     string               // address of the service; a path prefix is preserved
	CancelPath  string               // below BaseURL; "" means DefaultCancelPath
	InquiryPath string               // below BaseURL; "" means that there are no inquiries
	Timeout     time.Duration        // from having a token to the end of the response; 0 means DefaultTimeout
	Clock       models.Clock         // nil means the real time
	Early       func() time.Duration // how much sooner nothing is sent any more, because our clock is wrong; nil: never
	Tokens      TokenSource          // required
	Logger      *slog.Logger         // nil means no log; no token, attempt key or body is logged
	// Seen is told of each answer, or that there was none; nil: nobody is.
	Seen  func(operation string, meaning models.Meaning, took time.Duration)
	TLS   *tls.Config   // nil means the system's roots
	Proxy *tunnel.Proxy // nil means that the service is reached directly
}

// New checks the whole configuration and returns a client. It does not connect.
func New(cfg Config) (*Client, error) {
	base, problem := endpoint(cfg.BaseURL, "")
	problems := []error{problem}
	join := func(path string) *url.URL {
		u, err := endpoint(cfg.BaseURL, path)
		if problem == nil {
			problems = append(problems, err)
		}
		return u
	}
	c := &Client{
		base:      base,
		cancel:    join(cmp.Or(cfg.CancelPath, DefaultCancelPath)),
		timeout:   cmp.Or(cfg.Timeout, DefaultTimeout),
		clock:     cmp.Or(cfg.Clock, models.Clock(models.ShiftedClock(0))),
		early:     cfg.Early,
		seen:      cfg.Seen,
		tokens:    cfg.Tokens,
		log:       cmp.Or(cfg.Logger, slog.New(slog.DiscardHandler)),
		transport: newWireTransport(),
	}
	if cfg.InquiryPath != "" {
		c.inquiry = join(cfg.InquiryPath)
	}
	if cfg.Tokens == nil {
		problems = append(problems, errors.New("a token source is required"))
	}
	if cfg.Timeout < 0 {
		problems = append(problems, fmt.Errorf("timeout %s is negative", cfg.Timeout))
	}
	if err := errors.Join(problems...); err != nil {
		return nil, fmt.Errorf("cancellation service: %w", err)
	}
	c.dialer = newDialer(base, cfg.TLS, cfg.Proxy)
	c.listenForDates()
	return c, nil
}

// endpoint joins base and path as text. Resolving the path against the base, like a
// link, would lose the prefix of https://host/gateway.
func endpoint(base, path string) (*url.URL, error) {
	joined := strings.TrimRight(base, "/") + "/" + strings.TrimLeft(path, "/")
	u, err := url.Parse(joined)
	if err != nil {
		// The parser's error quotes the URL, which may contain a password.
		return nil, errors.New("the base URL or a path is not a valid URL")
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("the base URL must begin with https:// or http://")
	case u.Hostname() == "":
		return nil, errors.New("the base URL names no host")
	case u.User != nil:
		return nil, errors.New("the base URL must not carry a user or password")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return nil, errors.New("neither the base URL nor a path may carry a query or fragment")
	}
	return u, nil
}
