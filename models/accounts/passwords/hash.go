package passwords

import (
	"context"
	"fmt"

	"github.com/alexedwards/argon2id"
)

// params follow the OWASP recommendation for argon2id: 19 MiB, two passes, one lane.
var params = &argon2id.Params{Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// hashing limits how many new passwords are hashed at the same time, beside those of
// sign-ins: each takes 19 MiB.
var hashing = make(chan struct{}, 1)

// Hash returns what is stored of a password.
func Hash(ctx context.Context, password string) (string, error) {
	select {
	case hashing <- struct{}{}:
		defer func() { <-hashing }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	return argon2id.CreateHash(password, params)
}

// Dummy is compared when there is no such account, so that the response takes as long as
// for an account that exists.
const Dummy = "$argon2id$v=19$m=19456,t=2,p=1$YWFhYWFhYWFhYWFhYWFhYQ$7wDzWzYXJcVUWqDBQDVvXPcNDJfmdgOHJ1rYDHvhUAU"

// maxBytes is what the longest password takes.
const maxBytes = 4 * Max

// Matches reports whether a hash is the password's. It takes 19 MiB and most of a core:
// whoever signs in waits for their turn before.
func Matches(password, hash string) (bool, error) {
	if len(password) > maxBytes {
		return false, nil
	}
	ok, err := argon2id.ComparePasswordAndHash(password, hash)
	if err != nil {
		return false, fmt.Errorf("compare password: %w", err)
	}
	return ok, nil
}
