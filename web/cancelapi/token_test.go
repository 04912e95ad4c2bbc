package cancelapi

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func TestStaticTokenFileFollowsTheFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "token")
	source := StaticTokenFile(path)
	if token, err := source.Token(t.Context()); err == nil {
		t.Errorf("Token() without a file = %q, want an error", token)
	}
	for _, want := range []string{"first", "other"} { // same length, same modification time
		if err := os.WriteFile(path, []byte(" "+want+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := source.Token(t.Context()); got != want || err != nil {
			t.Errorf("Token() = %q, %v; want %q", got, err, want)
		}
	}
}

func TestTokensDoNotPrint(t *testing.T) {
	t.Parallel()
	cfg := TokenConfig{Password: "secret-word", ClientSecret: "secret-word"}
	cache := &tokenCache{token: "secret-word"}
	for _, v := range []any{StaticToken("secret-word"), cfg, &cfg, cache, Config{Tokens: cache}} {
		log := new(logged)
		log.logger().Info("x", "value", v)
		wantNoSecret(t, fmt.Sprintf("%v %+v %#v %s", v, v, v, v)+log.String(), "secret-word")
	}
}
