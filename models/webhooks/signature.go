package webhooks

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"veinte/models/database"
	"veinte/models/secretbox"
)

// Sign returns the value of webhook-signature: "v1," and the HMAC-SHA256 of
// "id.timestamp.body" in base64, once for each secret.
func Sign(secrets []secretbox.Secret, id string, at time.Time, body []byte) (string, error) {
	signed := make([]string, 0, len(secrets))
	for _, s := range secrets {
		key, err := s.Key()
		if err != nil {
			return "", fmt.Errorf("read secret: %w", err)
		}
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + strconv.FormatInt(at.Unix(), 10) + "."))
		mac.Write(body)
		signed = append(signed, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	return strings.Join(signed, " "), nil
}

// maxSignatureAge is how old a signature may be: somebody may be replaying it.
const maxSignatureAge = 5 * time.Minute

// Signed reports whether a message is one of our own deliveries: signed, by the three
// headers of Standard Webhooks, with the secret of an endpoint that is in use.
func (d *Service) Signed(ctx context.Context, id, timestamp, signature string, body []byte) (bool, error) {
	if d == nil || d.box == nil || id == "" || signature == "" {
		return false, nil
	}
	now := d.clock.Now()
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	at := time.Unix(seconds, 0)
	if err != nil || now.Sub(at).Abs() > maxSignatureAge {
		return false, nil
	}
	secrets, err := d.secrets(ctx, now)
	if err != nil {
		return false, err
	}
	given := strings.Fields(signature)
	for _, s := range secrets {
		want, err := Sign([]secretbox.Secret{s}, id, at, body)
		if err == nil && slices.ContainsFunc(given, func(g string) bool { return hmac.Equal([]byte(g), []byte(want)) }) {
			return true, nil
		}
	}
	return false, nil
}

// secrets are those with which deliveries are signed now, or were a moment ago.
func (d *Service) secrets(ctx context.Context, now time.Time) ([]secretbox.Secret, error) {
	type row struct{ Sealed []byte }
	rows, err := database.Rows[row](ctx, d.db.Pool(), `SELECT sealed FROM endpoints CROSS JOIN LATERAL unnest(
			ARRAY[sealed_secret, CASE WHEN old_secret_until > $1 THEN sealed_old_secret END]) AS sealed
		WHERE state <> `+endpointRetiredSQL+` AND sealed IS NOT NULL`, now)
	if err != nil {
		return nil, fmt.Errorf("read the secrets of endpoints: %w", err)
	}
	var secrets []secretbox.Secret
	for _, r := range rows {
		// One of another RELAY_KEY signs nothing.
		if plain, err := d.box.Decrypt(secretbox.PurposeSecret, r.Sealed); err == nil {
			secrets = append(secrets, secretbox.SecretOf(string(plain)))
		}
	}
	return secrets, nil
}
