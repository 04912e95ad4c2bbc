package sandbox

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// tokenStore stores the valid access tokens.
type tokenStore struct {
	static string
	now    func() time.Time

	mu      sync.Mutex
	expires map[string]time.Time
}

// issue makes a token. It also deletes expired ones, so that the store does not grow
// in a long run.
func (t *tokenStore) issue(lifetime time.Duration) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	maps.DeleteFunc(t.expires, func(_ string, until time.Time) bool { return !now.Before(until) })
	token := rand.Text() + rand.Text()
	t.expires[token] = now.Add(lifetime)
	return token
}

// good reports whether the token is valid now.
func (t *tokenStore) good(token string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if token == "" {
		return false
	}
	until, issued := t.expires[token]
	return token == t.static || issued && t.now().Before(until)
}

// revoke deletes one issued token; the static one stays valid.
func (t *tokenStore) revoke(token string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.expires, token)
}

func (t *tokenStore) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.expires)
}

// fingerprint identifies a token in the ledger without revealing it.
func fingerprint(token string) string {
	if token == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:6])
}

// serveToken handles the token operation: password grant or client credentials, with
// the application's credential as Basic authorization.
func (s *Sandbox) serveToken(x *exchange) {
	x.checkHeaders("application/x-www-form-urlencoded")
	form, err := url.ParseQuery(string(x.body))
	if err != nil {
		x.violate("body is not a form")
	}
	reply, ok := s.checkGrant(x, form)
	var p plan
	if ok {
		p = s.faults.take(operationToken, "", "")
		x.line.Fault = p.name
	}
	if x.record(s) != nil || x.broken || !wait(s.ctx, jitter(s.settings.get().Latency)) {
		s.sever(x)
		return
	}
	if ok {
		reply = s.grant(p)
		if p.name == faultSlow && !wait(s.ctx, p.delay) {
			s.sever(x)
			return
		}
	}
	s.answer(x, reply, p)
}

// checkGrant refuses as OAuth 2 does (RFC 6749, section 5.2).
func (s *Sandbox) checkGrant(x *exchange, form url.Values) (reply, bool) {
	id, secret, basic := x.r.BasicAuth()
	c := s.config
	grant := form.Get("grant_type")
	switch {
	case x.r.Method != http.MethodPost:
		return refused(http.StatusMethodNotAllowed, "method"), false
	case x.long:
		return refused(http.StatusRequestEntityTooLarge, "body is over 64 KB"), false
	case !basic || c.ClientID == "" || id != c.ClientID || secret != c.ClientSecret:
		return oauthError(http.StatusUnauthorized, "invalid_client", "Bad client credentials"), false
	case len(x.line.Violations) > 0:
		return oauthError(http.StatusBadRequest, "invalid_request", x.line.Violations[0]), false
	case grant == "client_credentials":
		return reply{}, true
	case grant != "password":
		return oauthError(http.StatusBadRequest, "unsupported_grant_type", "Unsupported grant type: "+grant), false
	case c.Username == "" || form.Get("username") != c.Username || form.Get("password") != c.Password:
		return oauthError(http.StatusBadRequest, "invalid_grant", "Bad credentials"), false
	}
	return reply{}, true
}

// grant issues a token. With the fault expiredToken it has already expired.
func (s *Sandbox) grant(p plan) reply {
	lifetime := time.Duration(s.settings.get().TokenLifetime)
	token := s.tokens.issue(lifetime)
	if p.name == faultExpiredToken {
		s.tokens.revoke(token)
	}
	r := jsonReply(http.StatusOK, map[string]any{
		"access_token": token, "token_type": "bearer", "refresh_token": rand.Text(),
		"expires_in": int(lifetime.Seconds()), "scope": "read write", "jti": rand.Text(),
	})
	r.header = map[string]string{"Cache-Control": "no-store"}
	r.secret = token
	return r
}

func oauthError(status int, code, description string) reply {
	return jsonReply(status, map[string]any{"error": code, "error_description": description})
}
