package oidc

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

const (
	// discoveryLife is how long what was found of the provider is used.
	discoveryLife = time.Hour
	// keyLife is how long a key that the provider has taken back may still be believed. One
	// that it has added is fetched at once.
	keyLife = time.Minute

	firstPause, longestPause = time.Second, time.Minute // after a failure
)

// provider is what discovery has found.
type provider struct {
	*oidc.Provider
	SaysIssuer  bool     `json:"authorization_response_iss_parameter_supported"`
	AuthMethods []string `json:"token_endpoint_auth_methods_supported"`
	KeysURL     string   `json:"jwks_uri"`
	SignOutURL  string   `json:"end_session_endpoint"` // "": nobody can be led there
	Algorithms  []string `json:"id_token_signing_alg_values_supported"`
	keys        *keys
	signsWith   []string
}

// discovery finds the provider when somebody wants to sign in, so a server starts and
// serves while the provider is down. While it is, one request a while asks for it.
type discovery struct {
	client *Client

	mu    sync.Mutex
	found *provider
	until time.Time // found is used; or, after a failure, nobody asks
	pause time.Duration
}

func (d *discovery) get(ctx context.Context) (*provider, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.client.config.Clock.Now()
	if now.Before(d.until) {
		if d.found == nil {
			return nil, ErrUnreachable
		}
		return d.found, nil
	}
	// Whoever hangs up does not spoil it for those who wait for the same.
	found, err := d.client.discover(context.WithoutCancel(ctx))
	if err != nil {
		d.pause = min(max(2*d.pause, firstPause), longestPause)
		d.until = now.Add(d.pause)
		why := d.client.unreachable("the provider was not found", err)
		if d.found != nil { // what was known of it is as good as before
			return d.found, nil
		}
		return nil, why
	}
	d.found, d.until, d.pause = found, now.Add(discoveryLife), 0
	return found, nil
}

// signatures are the algorithms that are believed; none and shared secrets are not among
// them.
var signatures = []string{
	oidc.RS256, oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.EdDSA,
}

func (c *Client) discover(ctx context.Context) (*provider, error) {
	ctx, cancel := context.WithTimeout(c.context(ctx), timeout)
	defer cancel()
	found, err := oidc.NewProvider(ctx, c.config.Issuer)
	if err != nil {
		var other *oidc.IssuerMismatchError
		if errors.As(err, &other) {
			return nil, fmt.Errorf("it calls itself %q", clip(other.Discovered))
		}
		return nil, errors.New(clip(err.Error()))
	}
	p := &provider{Provider: found}
	if err := found.Claims(p); err != nil {
		return nil, fmt.Errorf("read its configuration: %w", err)
	}
	addresses := []string{found.Endpoint().AuthURL, found.Endpoint().TokenURL, p.KeysURL}
	if user := found.UserInfoEndpoint(); user != "" {
		addresses = append(addresses, user)
	}
	for _, address := range addresses {
		if err := CheckAddress(address); err != nil {
			return nil, fmt.Errorf("its configuration names %q: %w", clip(address), err)
		}
	}
	if p.SignOutURL != "" {
		if err := CheckAddress(p.SignOutURL); err != nil { // one signs in without it
			c.config.Log.Warn("single sign-on: nobody can be led to sign out", "address", clip(p.SignOutURL), "error", err)
			p.SignOutURL = ""
		}
	}
	for _, s := range p.Algorithms {
		if slices.Contains(signatures, s) {
			p.signsWith = append(p.signsWith, s)
		}
	}
	if len(p.signsWith) == 0 {
		p.signsWith = []string{oidc.RS256} // which every provider must know
	}
	p.keys = &keys{client: c, url: p.KeysURL}
	return p, nil
}

// authStyle is how the client says who it is. The first that fits is used, so that a code
// is never sent twice.
func (p *provider) authStyle(secret string) oauth2.AuthStyle {
	if secret == "" || slices.Contains(p.AuthMethods, "client_secret_post") && !slices.Contains(p.AuthMethods, "client_secret_basic") {
		return oauth2.AuthStyleInParams
	}
	return oauth2.AuthStyleInHeader
}

func (p *provider) verifier(c *Client) *oidc.IDTokenVerifier {
	return oidc.NewVerifier(c.config.Issuer, p.keys, &oidc.Config{
		ClientID: c.config.ClientID, SupportedSigningAlgs: p.signsWith, SkipExpiryCheck: true, // we judge times ourselves
	})
}

// keys are the provider's public keys. A key that is not known is fetched at once; all are
// fetched anew now and then, because the library never forgets one.
type keys struct {
	client *Client
	url    string

	mu    sync.Mutex
	set   *oidc.RemoteKeySet
	until time.Time
}

// VerifySignature implements oidc.KeySet.
func (k *keys) VerifySignature(ctx context.Context, jwt string) ([]byte, error) {
	return k.current().VerifySignature(ctx, jwt)
}

func (k *keys) current() *oidc.RemoteKeySet {
	k.mu.Lock()
	defer k.mu.Unlock()
	if now := k.client.config.Clock.Now(); k.set == nil || !now.Before(k.until) {
		k.set, k.until = oidc.NewRemoteKeySet(k.client.context(context.Background()), k.url), now.Add(keyLife)
	}
	return k.set
}

// clip shortens what the provider says for the log.
func clip(s string) string {
	if len(s) > 200 {
		s = s[:200]
	}
	return s
}
