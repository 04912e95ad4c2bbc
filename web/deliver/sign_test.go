package deliver

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"veinte/models/secretbox"
	"veinte/models/webhooks"
)

// verifies checks a message as its receiver would. It is written from the text of
// Standard Webhooks and not from our signer: the secret is base64 after whsec_, the
// signed content is id, timestamp and body separated by dots, the header is a list,
// separated by spaces, of version, comma and base64.
func verifies(tb testing.TB, secret string, h http.Header, body []byte) bool {
	tb.Helper()
	if !strings.HasPrefix(secret, "whsec_") {
		tb.Fatalf("a secret that does not begin with whsec_")
	}
	key, err := base64.StdEncoding.DecodeString(secret[len("whsec_"):])
	if err != nil || len(key) < 24 || len(key) > 64 {
		tb.Fatalf("a secret of %d bytes (%v), want 24 to 64", len(key), err)
	}
	id, timestamp := h.Get("webhook-id"), h.Get("webhook-timestamp")
	if seconds, err := strconv.ParseInt(timestamp, 10, 64); err != nil || seconds <= 0 || strings.Contains(id, ".") || id == "" {
		tb.Fatalf("webhook-id %q, webhook-timestamp %q", id, timestamp)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id))
	mac.Write([]byte{'.'})
	mac.Write([]byte(timestamp))
	mac.Write([]byte{'.'})
	mac.Write(body)
	for _, candidate := range strings.Split(h.Get("webhook-signature"), " ") {
		version, text, ok := strings.Cut(candidate, ",")
		given, err := base64.StdEncoding.DecodeString(text)
		if ok && version == "v1" && err == nil && hmac.Equal(given, mac.Sum(nil)) {
			return true
		}
	}
	return false
}

// The example of the specification's own libraries.
func TestSignAsTheSpecification(t *testing.T) {
	t.Parallel()
	secret := secretbox.SecretOf("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	at, body := time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`)
	got, err := webhooks.Sign([]secretbox.Secret{secret}, "msg_p5jXN8AQM9LWM0D4loKWxJek", at, body)
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want || err != nil {
		t.Errorf("Sign = %q, %v, want %q", got, err, want)
	}
}

func TestBothSecretsSign(t *testing.T) {
	t.Parallel()
	first, second := secretbox.SecretOf("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
		secretbox.SecretOf("whsec_"+base64.StdEncoding.EncodeToString(make([]byte, 32)))
	at, body := time.Unix(1614265330, 0), []byte("no JSON\x00 at all")
	signature, err := webhooks.Sign([]secretbox.Secret{first, second}, "msg_1", at, body)
	if err != nil {
		t.Fatal(err)
	}
	h := http.Header{}
	h.Set("webhook-id", "msg_1")
	h.Set("webhook-timestamp", "1614265330")
	h.Set("webhook-signature", signature)
	for _, s := range []secretbox.Secret{first, second} {
		if !verifies(t, s.Reveal(), h, body) {
			t.Error("one of both secrets does not verify")
		}
		if verifies(t, s.Reveal(), h, append(body, ' ')) {
			t.Error("a changed body verifies")
		}
	}
	h.Set("webhook-timestamp", "1614265331")
	if verifies(t, first.Reveal(), h, body) {
		t.Error("another time verifies")
	}
}
