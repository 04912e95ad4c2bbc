package cancelapi

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"veinte/models"
)

// TokenConfig is how to ask a token operation for a token. It prints as "***".
type TokenConfig struct {
	URL          string // of the token operation, whole
	Username     string // of the password grant
	Password     string
	ClientID     string // with ClientSecret the Basic credential, in both grants
	ClientSecret string
	Scopes       []string
	Timeout      time.Duration // of one request; 0 means DefaultTimeout
	Clock        models.Clock  // nil means the real time
	TLS          *tls.Config   // nil means the system's roots
}

// String hides the secrets.
func (TokenConfig) String() string { return mask }

// GoString hides the secrets from %#v.
func (TokenConfig) GoString() string { return mask }

// LogValue hides the secrets from structured logs.
func (TokenConfig) LogValue() slog.Value { return slog.StringValue(mask) }

// PasswordToken fetches tokens with a user's name and password. A refresh token
// that comes along is not used; a new token is asked for.
func PasswordToken(cfg TokenConfig) TokenSource {
	grant := oauth2.Config{
		ClientID:     cfg.ClientID,
		ClientSecret: cfg.ClientSecret,
		Scopes:       cfg.Scopes,
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
		Scopes:       cfg.Scopes,
		TokenURL:     cfg.URL,
		AuthStyle:    oauth2.AuthStyleInHeader,
	}
	return cfg.source(grant.Token)
}

// source caches what grant fetches.
func (cfg TokenConfig) source(grant func(context.Context) (*oauth2.Token, error)) TokenSource {
	transport := newTransport()
	transport.TLSClientConfig = cfg.TLS.Clone()
	cache := &tokenCache{clock: cfg.Clock, timeout: cmp.Or(cfg.Timeout, DefaultTimeout)}
	if cache.clock == nil {
		cache.clock = models.ShiftedClock(0)
	}
	if u, err := url.Parse(cfg.URL); err == nil {
		cache.host = u.Hostname()
	}
	client := &http.Client{
		Transport: datedTransport{transport, cache},
		// A redirect would carry the password wherever it points.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	cache.fetch = func(ctx context.Context) (fetched, error) {
		token, err := grant(context.WithValue(ctx, oauth2.HTTPClient, client))
		if err != nil {
			return fetched{}, cfg.tokenError(err)
		}
		got := fetched{token: token.AccessToken}
		if !token.Expiry.IsZero() {
			// The library counts in real time, our clock may be shifted.
			got.life = max(time.Until(token.Expiry), time.Nanosecond)
		}
		return got, nil
	}
	return cache
}

// tokenErrors are the errors of RFC 6749, section 5.2: the only words of a token
// operation that are repeated. The rest of its answer may hold anything.
var tokenErrors = []string{
	"invalid_request", "invalid_client", "invalid_grant",
	"unauthorized_client", "unsupported_grant_type", "invalid_scope",
}

// tokenError says what went wrong in words of our own.
func (cfg TokenConfig) tokenError(err error) error {
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) {
		code := "without a known error"
		if slices.Contains(tokenErrors, refused.ErrorCode) {
			code = refused.ErrorCode
		}
		return fmt.Errorf("the token operation answered %d, %s", refused.Response.StatusCode, code)
	}
	var network *url.Error // its own text holds the URL, and with it perhaps a password
	if errors.As(err, &network) {
		reason := clean(network.Err.Error(), maxMessage, cfg.Password, cfg.ClientSecret, cfg.Username)
		return fmt.Errorf("the token operation was not reached: %s", reason)
	}
	return errors.New("the token operation's answer is not a token")
}
