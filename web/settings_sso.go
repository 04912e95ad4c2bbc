package web

import (
	"cmp"
	"strings"

	"veinte/handlers"
	"veinte/handlers/entrance"
	"veinte/models"
	settingsview "veinte/views/settings"
	"veinte/web/oidc"
)

// The addresses at which the provider of the single sign-on reaches this server.
const (
	ssoCallback  = "/login/oidc/callback"
	ssoLogout    = "/login/oidc/logout"
	ssoSignedOut = "/login"
)

// checkSSO reads how the provider of the single sign-on is reached.
func (s *settings) checkSSO(m *mistakes, c *checked) {
	if s.OIDCIssuer == "" {
		if s.OIDCClientID != "" || s.OIDCClientSecret != "" {
			m.add("OIDC_ISSUER", "name the provider of OIDC_CLIENT_ID, such as https://login.example.com")
		}
		return
	}
	if err := oidc.CheckAddress(s.OIDCIssuer); err != nil {
		m.add("OIDC_ISSUER", "%v", err)
	}
	if s.OIDCClientID == "" {
		m.add("OIDC_CLIENT_ID", "what does the provider call this server?")
	}
	if s.BaseURL == "" {
		m.add("BASE_URL", "the provider leads people back to it, so OIDC_ISSUER needs it")
	}
	c.ssoName = strings.TrimSpace(s.OIDCName)
	if c.ssoName != "" {
		if _, err := models.Text("name", c.ssoName, 40); err != nil {
			m.add("OIDC_NAME", "want a name of at most 40 characters")
		}
	}
	c.sso = &oidc.Config{
		Issuer: s.OIDCIssuer, ClientID: s.OIDCClientID, ClientSecret: s.OIDCClientSecret,
		Scopes: strings.Fields(s.OIDCScopes), GroupsClaim: cmp.Or(strings.TrimSpace(s.OIDCGroupsClaim), "groups"),
		RedirectURL: c.baseURL + ssoCallback, SignedOutURL: c.baseURL + ssoSignedOut,
	}
}

// wireSSO gives the pages the provider of the single sign-on. Its tokens carry the real
// time, also where the server's clock was shifted.
func (s *server) wireSSO(c *checked, config *handlers.Config) {
	if c.sso == nil {
		return
	}
	provider := *c.sso
	provider.Clock, provider.Log = models.ShiftedClock(0), s.log
	config.SSO = entrance.NewSSO(oidc.New(provider), c.ssoName)
	config.SSOSetup = &settingsview.SSOSetup{
		Issuer: provider.Issuer, ClientID: provider.ClientID, Scopes: strings.Join(append([]string{"openid"}, provider.Scopes...), " "),
		GroupsClaim: provider.GroupsClaim, Name: c.ssoName, Callback: provider.RedirectURL,
		Logout: c.baseURL + ssoLogout, SignedOut: provider.SignedOutURL,
	}
}
