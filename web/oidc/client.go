package oidc

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"veinte/models"
)

// The refusals that people read.
var (
	// ErrUnreachable means that the provider does not answer, or says nothing that can be
	// used. Passwords go on.
	ErrUnreachable = &models.Error{Kind: models.KindConflict, Code: "sso.unreachable"}
	// ErrNotBelieved is of what the provider, or somebody in its name, says of a person.
	ErrNotBelieved = &models.Error{Kind: models.KindForbidden, Code: "sso.notBelieved"}
	// ErrNoSignOut is of a provider at which nobody can be led to sign out.
	ErrNoSignOut = &models.Error{Kind: models.KindConflict, Code: "sso.noSignOut"}
	// ErrTooManyGroups is of a provider that leaves the groups out because they are too many.
	ErrTooManyGroups = &models.Error{Kind: models.KindForbidden, Code: "sso.tooManyGroups"}
)

// skew is how far the provider's clock may be from ours.
const skew = time.Minute

// Config is how the provider is reached.
type Config struct {
	Issuer, ClientID, ClientSecret string
	Scopes                         []string // beside openid
	GroupsClaim                    string   // where the groups are; a dot leads into an object
	RedirectURL                    string   // where people come back to
	SignedOutURL                   string   // where they come back to after they have signed out there
	Clock                          models.Clock
	Log                            *slog.Logger
}

// Client is the client of one provider.
type Client struct {
	config Config
	http   *http.Client
	found  discovery
}

// New makes the client. It asks the provider nothing yet.
func New(c Config) *Client {
	client := &Client{config: c, http: newHTTP()}
	client.found.client = client
	return client
}

func (c *Client) context(ctx context.Context) context.Context { return oidc.ClientContext(ctx, c.http) }

func (p *provider) oauth(c *Client) *oauth2.Config {
	endpoint := p.Endpoint()
	endpoint.AuthStyle = p.authStyle(c.config.ClientSecret)
	return &oauth2.Config{
		ClientID: c.config.ClientID, ClientSecret: c.config.ClientSecret, RedirectURL: c.config.RedirectURL,
		Endpoint: endpoint, Scopes: append([]string{oidc.ScopeOpenID}, c.config.Scopes...),
	}
}

// Begin returns where somebody signs in at the provider.
//
// Errors: ErrUnreachable.
func (c *Client) Begin(ctx context.Context, r models.SSORequest) (string, error) {
	p, err := c.found.get(ctx)
	if err != nil {
		return "", err
	}
	return p.oauth(c).AuthCodeURL(r.State, oidc.Nonce(r.Nonce), oauth2.S256ChallengeOption(r.Verifier)), nil
}

// Finish exchanges the code that somebody came back with, and judges who they are. issuer
// is who says it gave the code (RFC 9207); "" when the address did not say.
//
// Errors: ErrUnreachable, ErrNotBelieved, ErrTooManyGroups.
func (c *Client) Finish(ctx context.Context, r models.SSORequest, code, issuer string) (*models.Identity, error) {
	p, err := c.found.get(ctx)
	if err != nil {
		return nil, err
	}
	if issuer != c.config.Issuer && (issuer != "" || p.SaysIssuer) {
		return nil, c.notBelieved("the answer names another issuer", nil)
	}
	ctx = c.context(ctx)
	token, err := p.oauth(c).Exchange(ctx, code, oauth2.VerifierOption(r.Verifier))
	if err != nil {
		return nil, c.exchangeFailed(err)
	}
	raw, _ := token.Extra("id_token").(string)
	verified, claims, err := c.verify(ctx, p, raw)
	if err != nil {
		return nil, err
	}
	if verified.Nonce == "" || subtle.ConstantTimeCompare([]byte(verified.Nonce), []byte(r.Nonce)) != 1 {
		return nil, c.notBelieved("the token has another nonce", nil)
	}
	if verified.AccessTokenHash != "" {
		if err := verified.VerifyAccessToken(token.AccessToken); err != nil {
			return nil, c.notBelieved("the access token is not the token's", err)
		}
	}
	if err := c.complete(ctx, p, token, claims); err != nil {
		return nil, err
	}
	return c.identity(claims)
}

// exchangeFailed tells a provider that refuses a code from one that cannot be asked. Its
// answer is not logged: it may repeat what was sent.
func (c *Client) exchangeFailed(err error) error {
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) && refused.Response != nil && refused.Response.StatusCode < http.StatusInternalServerError {
		return c.notBelieved("the provider does not take the code", fmt.Errorf("status %d", refused.Response.StatusCode))
	}
	if refused != nil && refused.Response != nil {
		err = fmt.Errorf("status %d", refused.Response.StatusCode)
	}
	return c.unreachable("the code could not be exchanged", err)
}

// verify judges an ID token: signature, issuer, audience and times.
func (c *Client) verify(ctx context.Context, p *provider, raw string) (*oidc.IDToken, *claims, error) {
	token, err := p.verifier(c).Verify(ctx, raw)
	if err != nil {
		return nil, nil, c.notBelieved("the token is not good", err)
	}
	claims := &claims{}
	if err := token.Claims(claims); err != nil {
		return nil, nil, c.notBelieved("the token's claims cannot be read", err)
	}
	now := c.config.Clock.Now()
	switch {
	case token.Issuer != c.config.Issuer:
		return nil, nil, c.notBelieved("the token is of another issuer", nil)
	case claims.AuthorizedParty != "" && claims.AuthorizedParty != c.config.ClientID,
		claims.AuthorizedParty == "" && len(token.Audience) > 1:
		return nil, nil, c.notBelieved("the token is for another client", nil)
	case !now.Before(token.Expiry.Add(skew)), token.IssuedAt.IsZero(), token.IssuedAt.After(now.Add(skew)), claims.early(now):
		return nil, nil, c.notBelieved("the token is too old, or of the future: compare the clocks", nil)
	}
	return token, claims, nil
}

// SignOut returns where somebody signs out at the provider (OpenID Connect RP-Initiated
// Logout). It is told who asks for it, but not of whom: no token of a person is stored here.
// So it may ask them whether they mean it.
//
// Errors: ErrUnreachable, ErrNoSignOut.
func (c *Client) SignOut(ctx context.Context) (string, error) {
	p, err := c.found.get(ctx)
	if err != nil {
		return "", err
	}
	u, err := url.Parse(p.SignOutURL)
	if p.SignOutURL == "" || err != nil {
		return "", ErrNoSignOut
	}
	q := u.Query()
	q.Set("client_id", c.config.ClientID)
	q.Set("post_logout_redirect_uri", c.config.SignedOutURL)
	u.RawQuery = q.Encode()
	return u.String(), nil
}

// logoutAge is how old the word of a logout may be.
const logoutAge = 5 * time.Minute

// Logout judges a logout token that the provider sends.
//
// Errors: ErrUnreachable, ErrNotBelieved.
func (c *Client) Logout(ctx context.Context, raw string) (*models.ProviderLogout, error) {
	p, err := c.found.get(ctx)
	if err != nil {
		return nil, err
	}
	token, err := p.verifier(c).VerifyLogout(c.context(ctx), raw)
	if err != nil {
		return nil, c.notBelieved("the logout token is not good", err)
	}
	now := c.config.Clock.Now()
	switch {
	case !now.Before(token.Expiry.Add(skew)), token.IssuedAt.After(now.Add(skew)), token.IssuedAt.Before(now.Add(-logoutAge)):
		return nil, c.notBelieved("the logout token is too old, or of the future: compare the clocks", nil)
	case !slices.ContainsFunc([]string{token.Subject, token.SessionID}, func(s string) bool { return s != "" }),
		!name(token.Subject, true), !name(token.SessionID, true), !name(token.TokenID, false):
		return nil, c.notBelieved("the logout token names nobody", nil)
	}
	return &models.ProviderLogout{
		Issuer: token.Issuer, Subject: token.Subject, SessionID: token.SessionID, TokenID: token.TokenID,
		Expiry: token.Expiry.Add(2 * logoutAge),
	}, nil
}

// notBelieved logs why, for whoever operates the server: people read only that it was not
// believed.
func (c *Client) notBelieved(what string, err error) error {
	c.config.Log.Warn("single sign-on refused: "+what, "error", err)
	return ErrNotBelieved
}

func (c *Client) unreachable(what string, err error) error {
	c.config.Log.Warn("single sign-on: "+what, "issuer", c.config.Issuer, "error", err)
	return ErrUnreachable
}
