package accounts

import (
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"

	"veinte/models"
)

// passwordParams follow the OWASP recommendation for argon2id: 19 MiB, two
// passes, one lane.
var passwordParams = &argon2id.Params{Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// hashing limits how many new passwords are hashed at the same time, beside those of
// sign-ins: each takes 19 MiB.
var hashing = make(chan struct{}, 1)

// Limits of a password's length, in characters.
const (
	minPassword = 12
	maxPassword = 128
)

func hashPassword(ctx context.Context, password string) (string, error) {
	if n := utf8.RuneCountInString(password); n < minPassword {
		return "", models.Invalid("password", "password.tooShort")
	} else if n > maxPassword {
		return "", models.Invalid("password", "field.tooLong")
	}
	select {
	case hashing <- struct{}{}:
		defer func() { <-hashing }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	return argon2id.CreateHash(password, passwordParams)
}

// dummyHash is compared when there is no such account, so that the response takes as
// long as for an account that exists.
const dummyHash = "$argon2id$v=19$m=19456,t=2,p=1$YWFhYWFhYWFhYWFhYWFhYQ$7wDzWzYXJcVUWqDBQDVvXPcNDJfmdgOHJ1rYDHvhUAU"

// passwordMatches is called in its turn, see Place.
func passwordMatches(password, hash string) (bool, error) {
	if len(password) > 4*maxPassword {
		return false, nil
	}
	ok, err := argon2id.ComparePasswordAndHash(password, hash)
	if err != nil {
		return false, fmt.Errorf("compare password: %w", err)
	}
	return ok, nil
}
