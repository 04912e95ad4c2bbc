package sandbox

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
)

// app:app-s3creto
var tokenHeaders = map[string]string{"Content-Type": "application/x-www-form-urlencoded", "Authorization": "Basic YXBwOmFwcC1zM2NyZXRv"}

// token requests a token that must be issued.
func (b *bundle) token(form string) string {
	b.tb.Helper()
	status, text := b.do("POST", "/gateway"+tokenPath, form, tokenHeaders)
	var got struct {
		AccessToken string `json:"access_token"`
		TokenType   string `json:"token_type"`
		ExpiresIn   int    `json:"expires_in"`
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil || status != 200 || got.TokenType != "bearer" || got.ExpiresIn != 43199 ||
		got.AccessToken == "" {
		b.tb.Fatalf("token for %s = %d %s", form, status, text)
	}
	return got.AccessToken
}

// opens reports whether a token is accepted for a cancellation.
func (b *bundle) opens(token string) bool {
	b.tb.Helper()
	h := maps.Clone(orderHeaders)
	h["Authorization"] = "bearer " + token
	status, _ := b.do("POST", reprintPath, body("o-1"), h)
	return status == 200
}

func TestTokensOpen(t *testing.T) {
	t.Parallel()
	b := start(t, noon)
	one := b.token("grant_type=password&username=tienda&password=s3creto")
	two := b.token("grant_type=client_credentials")
	if one == two || !b.opens(one) || !b.opens(two) {
		t.Error("issued tokens do not open the service, or are the same")
	}
}

func TestTokenLifetime(t *testing.T) {
	t.Parallel()
	b := start(t, noon)
	b.control("PUT", "/control/config", `{"tokenLifetime":"50ms"}`, 200)
	_, text := b.do("POST", tokenPath, "grant_type=client_credentials", tokenHeaders)
	var got struct {
		AccessToken string `json:"access_token"`
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the token expires", func() bool { return !b.opens(got.AccessToken) })
}

func TestTokenRefusals(t *testing.T) {
	t.Parallel()
	b := start(t, noon)
	good := "grant_type=password&username=tienda&password=s3creto"
	for _, tt := range []struct {
		name, form, authorization string
		status                    int
		want                      string
	}{
		{"wrong password", "grant_type=password&username=tienda&password=x", tokenHeaders["Authorization"], 400, "invalid_grant"},
		{"unknown grant", "grant_type=refresh_token", tokenHeaders["Authorization"], 400, "unsupported_grant_type"},
		{"no application", good, "", 401, "invalid_client"},
		{"wrong application", good, "Basic YXBwOng=", 401, "invalid_client"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := map[string]string{"Content-Type": tokenHeaders["Content-Type"], "Authorization": tt.authorization}
			if status, got := b.do("POST", tokenPath, tt.form, h); status != tt.status || !strings.Contains(got, tt.want) {
				t.Errorf("token for %s = %d %s, want %d %s", tt.form, status, got, tt.status, tt.want)
			}
		})
	}
	t.Run("JSON instead of a form", func(t *testing.T) {
		t.Parallel()
		h := map[string]string{"Content-Type": "application/json", "Authorization": tokenHeaders["Authorization"]}
		if status, got := b.do("POST", tokenPath, `{}`, h); status != 400 || !strings.Contains(got, "invalid_request") {
			t.Errorf("token for JSON = %d %s, want 400 invalid_request", status, got)
		}
	})
	t.Run("a sandbox without credentials refuses everyone", func(t *testing.T) {
		t.Parallel()
		b := start(t, noon, func(c *Config) { c.ClientID, c.ClientSecret = "", "" })
		h := map[string]string{"Content-Type": tokenHeaders["Content-Type"], "Authorization": "Basic Og=="}
		if status, got := b.do("POST", tokenPath, good, h); status != 401 {
			t.Errorf("token = %d %s, want 401", status, got)
		}
	})
}
