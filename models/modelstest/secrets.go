package modelstest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"
)

// shortestSecret is the length of the shortest secret to search for: shorter text is
// found anywhere by chance.
const shortestSecret = 8

// CheckSecretsStored fails when an entry of the trail contains one of the secrets, which
// are given by name: in a column or in the canonical bytes, as plain text, in base64
// or as its hash.
func (o *Office) CheckSecretsStored(tb testing.TB, secrets map[string]string) {
	tb.Helper()
	rows, err := o.Owner.Query(`SELECT id, action, e::text || ' ' || convert_from(canonical, 'UTF8') FROM audit_entries e`)
	if err != nil {
		tb.Fatalf("read the trail: %v", err)
	}
	defer rows.Close()
	looked := 0
	for rows.Next() {
		var id int64
		var action, all string
		if err := rows.Scan(&id, &action, &all); err != nil {
			tb.Fatalf("read the trail: %v", err)
		}
		looked++
		for secret, what := range secrets {
			if len(secret) < shortestSecret {
				tb.Fatalf("%s is too short a secret: %q", what, secret)
			}
			for form, text := range formsOf(secret) {
				if strings.Contains(all, text) {
					tb.Errorf("entry %d (%s) holds %s%s: %s", id, action, what, form, all)
				}
			}
		}
	}
	if err := rows.Err(); err != nil {
		tb.Fatalf("read the trail: %v", err)
	}
	if looked == 0 || len(secrets) == 0 {
		tb.Errorf("%d secrets were looked for in %d entries", len(secrets), looked)
	}
}

// formsOf are the ways in which a secret may be written, by how a message ends.
func formsOf(secret string) map[string]string {
	sum := sha256.Sum256([]byte(secret))
	return map[string]string{
		"":            secret,
		" in base64":  base64.RawStdEncoding.EncodeToString([]byte(secret)),
		"'s hash":     hex.EncodeToString(sum[:]),
		"'s hash, 64": base64.RawURLEncoding.EncodeToString(sum[:]),
	}
}
