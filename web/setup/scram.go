package setup

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
)

// scramRounds is how often PostgreSQL itself hashes a password.
const scramRounds = 4096

// scram is what PostgreSQL stores of a password (RFC 5803), so that neither a statement
// nor the database's log has the password.
func scram(password string) (string, error) {
	salt := make([]byte, 16)
	_, _ = rand.Read(salt)
	return scramWith(password, salt)
}

func scramWith(password string, salt []byte) (string, error) {
	salted, err := pbkdf2.Key(sha256.New, password, salt, scramRounds, sha256.Size)
	if err != nil {
		return "", err
	}
	sum := func(text string) []byte {
		h := hmac.New(sha256.New, salted)
		h.Write([]byte(text))
		return h.Sum(nil)
	}
	stored := sha256.Sum256(sum("Client Key"))
	encode := base64.StdEncoding.EncodeToString
	return fmt.Sprintf("SCRAM-SHA-256$%d:%s$%s:%s", scramRounds, encode(salt), encode(stored[:]), encode(sum("Server Key"))), nil
}
