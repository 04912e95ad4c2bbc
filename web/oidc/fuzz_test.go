package oidc

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"testing"

	"veinte/models"
	"veinte/models/modelstest/mutated"
)

// FuzzProvider has a provider say anything: of itself, of a person, of a session that is
// over. Whatever it is, nothing panics, and who comes in is named by the provider.
func FuzzProvider(f *testing.F) {
	seeds := [][]byte{
		[]byte(`{"issuer":"ISSUER","authorization_endpoint":"ISSUER/a","token_endpoint":"ISSUER/t","jwks_uri":"ISSUER/k"}`),
		[]byte(`{"iss":"ISSUER","aud":["veinte"],"sub":"1","exp":4102444800,"iat":1,"nonce":"n","email":"a@b.mx","email_verified":"true"}`),
		[]byte(`{"issuer":"ISSUER","authorization_endpoint":"ISSUER/a","token_endpoint":"ISSUER/t","jwks_uri":"ISSUER/k",` +
			`"end_session_endpoint":"ISSUER/o?a=b"}`),
		[]byte(`{"sub":"1","groups":["a",1,null],"realm_access":{"roles":["x"]},"azp":"veinte","nbf":1e3,"sid":"s"}`),
		[]byte(`{"iss":"ISSUER","aud":"veinte","jti":"j","sid":"s","iat":1,"exp":2,` +
			`"events":{"http://schemas.openid.net/event/backchannel-logout":{}}}`),
		[]byte(`{"_claim_names":{"groups":"s"},"_claim_sources":{"s":{"endpoint":"http://x/"}},"hasgroups":true}`),
		[]byte(`{"keys":[{"kty":"RSA","kid":"1","n":"AQAB","e":"AQAB"},{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}]}`),
		[]byte(`eyJhbGciOiJSUzI1NiIsImtpZCI6Im9uZSJ9.eyJzdWIiOiIxIn0.AAAA`), []byte(`{"a.b":{"c":["d"]},"a":{"b":{"c":"e"}}}`),
	}
	mutated.Add(f, seeds, func(b []byte) { f.Add(b) })
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	f.Fuzz(func(t *testing.T, said []byte) {
		c := New(Config{
			Issuer: "https://login.example.com", ClientID: "veinte", GroupsClaim: "realm_access.roles", Clock: models.ShiftedClock(0), Log: log,
		})
		c.http = &http.Client{Transport: saying{said, len(said)%2 == 0}}
		if to, err := c.Begin(t.Context(), request); err == nil && to == "" {
			t.Error("the provider's page has no address")
		}
		if to, err := c.SignOut(t.Context()); err == nil && CheckAddress(to) != nil {
			t.Errorf("SignOut() = %q, which is no page of a provider", to)
		}
		if id, err := c.Finish(t.Context(), request, "code", ""); err == nil {
			t.Errorf("Finish() = %+v of an answer that nobody signed", id)
		}
		if over, err := c.Logout(t.Context(), string(said)); err == nil {
			t.Errorf("Logout() = %+v of an answer that nobody signed", over)
		}
		var of claims
		if json.Unmarshal(said, &of) != nil || of.all == nil {
			return
		}
		id, err := c.identity(&of)
		if err == nil && (id.Subject == "" || id.Issuer != c.config.Issuer || len(id.Groups) > maxGroups || id.EmailVerified && id.EmailDenied) {
			t.Errorf("identity() = %+v", id)
		}
	})
}

// saying answers every request with the same, but may say truly where it is.
type saying struct {
	what []byte
	true bool
}

func (s saying) RoundTrip(r *http.Request) (*http.Response, error) {
	what := s.what
	if s.true && r.URL.Path == "/.well-known/openid-configuration" {
		what = []byte(`{"issuer":"ISSUER","authorization_endpoint":"ISSUER/a","token_endpoint":"ISSUER/t","jwks_uri":"ISSUER/k"}`)
	} else if s.true && r.URL.Path == "/t" {
		token, _ := json.Marshal(string(what))
		what = []byte(`{"access_token":"a","token_type":"Bearer","id_token":` + string(token) + `}`)
	}
	what = bytes.ReplaceAll(what, []byte("ISSUER"), []byte("https://login.example.com"))
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Request: r,
		Body: io.NopCloser(bytes.NewReader(what)),
	}, nil
}
