package cancelapi

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"veinte/models"
	"veinte/web/tunnel"
)

// TokenConfig is the configuration of a token operation. It prints as "***".
type TokenConfig struct {
	unprinted
	URL          string // of the token operation, whole
	Username     string // of the password grant
	Password     string
	ClientID     string // with ClientSecret the Basic credentials of both grants
	ClientSecret string
	Timeout      time.Duration // of one request; 0 means DefaultTimeout
	Clock        models.Clock  // nil means the real time
	TLS          *tls.Config   // nil means the system's roots
	Proxy        *tunnel.Proxy // nil means that the token operation is reached directly
}

// PasswordToken fetches tokens with a user's name and password. Refresh tokens are
// not used; a new token is requested instead.
func PasswordToken(cfg TokenConfig) TokenSource {
	grant := oauth2.Config{
		ClientID:     cfg.ClientID,
		ClientSecret: cfg.ClientSecret,
		Endpoint:     oauth2.Endpoint{TokenURL: cfg.URL, AuthStyle: oauth2.AuthStyleInHeader},
	}
	return cfg.source(func(ctx context.Context) (*oauth2.Token, error) {
		return grant.PasswordCredentialsToken(ctx, cfg.Username, cfg.Password)
	})
}

// ClientCredentialsToken fetches tokens for the application itself.
func ClientCredentialsToken(cfg TokenConfig) TokenSource {
	grant := clientcredentials.Config{
		ClientID:     cfg.ClientID,
		ClientSecret: cfg.ClientSecret,
		TokenURL:     cfg.URL,
		AuthStyle:    oauth2.AuthStyleInHeader,
	}
	return cfg.source(grant.Token)
}

// source caches the tokens that grant fetches.
func (cfg TokenConfig) source(grant func(context.Context) (*oauth2.Token, error)) TokenSource {
	transport := newTransport(cfg.Proxy)
	transport.TLSClientConfig = cfg.TLS.Clone()
	cache := &tokenCache{clock: cmp.Or(cfg.Clock, models.Clock(models.ShiftedClock(0))), timeout: cmp.Or(cfg.Timeout, DefaultTimeout)}
	if u, err := url.Parse(cfg.URL); err == nil {
		cache.host = u.Hostname()
	}
	client := &http.Client{
		Transport: datedTransport{transport, cache},
		// A redirect would send the password to another address.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	cache.fetch = func(ctx context.Context) (fetched, error) {
		token, err := grant(context.WithValue(ctx, oauth2.HTTPClient, client))
		if err != nil {
			return fetched{}, cfg.tokenError(err)
		}
		got := fetched{token: token.AccessToken}
		if !token.Expiry.IsZero() {
			// The library uses the real time, but our clock may be
			// shifted.
			got.life = max(time.Until(token.Expiry), time.Nanosecond)
		}
		return got, nil
	}
	return cache
}

// tokenErrors are the errors of RFC 6749, section 5.2: the only text of a token
// operation that is repeated. The rest of its response may contain secrets.
var tokenErrors = []string{
	"invalid_request", "invalid_client", "invalid_grant",
	"unauthorized_client", "unsupported_grant_type", "invalid_scope",
}

// tokenError describes what went wrong without quoting the response.
func (cfg TokenConfig) tokenError(err error) error {
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) {
		code := "without a known error"
		if slices.Contains(tokenErrors, refused.ErrorCode) {
			code = refused.ErrorCode
		}
		return fmt.Errorf("the token operation answered %d, %s", refused.Response.StatusCode, code)
	}
	var network *url.Error // its text contains the URL, perhaps with a password
	if errors.As(err, &network) {
		reason := clean(network.Err.Error(), maxMessage, cfg.Password, cfg.ClientSecret, cfg.Username)
		return fmt.Errorf("the token operation was not reached: %s", reason)
	}
	return errors.New("the token operation's answer is not a token")
}
