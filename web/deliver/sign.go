package deliver

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"veinte/models/secretbox"
)

// sign returns the value of webhook-signature: "v1," and the HMAC-SHA256 of
// "id.timestamp.body" in base64, once for each secret.
func sign(secrets []secretbox.Secret, id string, at time.Time, body []byte) (string, error) {
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
