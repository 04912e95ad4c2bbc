package web

import (
	"os"
	"strings"

	"veinte/models"
	"veinte/models/rules"
	"veinte/web/cancelapi"
	"veinte/web/tunnel"
)

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
	c.waits.AckMeansCanceled = !m.either("CANCEL_ACK_MEANS", s.CancelAck, "sent", "canceled")
	c.waits.Answer = c.duration(m, "CANCEL_TIMEOUT", s.CancelTimeout, rules.AnswerBounds)
	c.cancelapi = cancelapi.Config{
		BaseURL: s.CancelBaseURL, CancelPath: s.CancelPath, InquiryPath: s.InquiryPath,
		// The rules set the timeout of each request; this is the maximum they allow.
		Timeout: max(c.waits.Answer, rules.MaxAnswerWait),
		Proxy:   m.proxy("CANCEL_PROXY", s.CancelProxy),
	}
}

// proxy reads a proxy; "" is none.
func (m *mistakes) proxy(name, value string) *tunnel.Proxy {
	p, err := tunnel.Parse(value)
	if err != nil {
		m.add(name, "%v", err)
	}
	return p
}

// tokenURL is the address of the token operation: as set, or beside the service's
// other operations.
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
		ClientID: s.TokenClientID, ClientSecret: s.TokenClientSecret, Proxy: c.cancelapi.Proxy,
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
