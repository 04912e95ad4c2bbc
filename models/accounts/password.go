package accounts

import (
	"context"
	"fmt"

	"github.com/alexedwards/argon2id"

	"veinte/models"
	"veinte/models/accounts/passwords"
	"veinte/models/database"
)

// passwordParams follow the OWASP recommendation for argon2id: 19 MiB, two
// passes, one lane.
var passwordParams = &argon2id.Params{Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// hashing limits how many new passwords are hashed at the same time, beside those of
// sign-ins: each takes 19 MiB.
var hashing = make(chan struct{}, 1)

// newHash is the one way to a stored password: it refuses those that others try first, of
// whom it is and of the stores, and hashes.
func (s *Service) newHash(ctx context.Context, of person, password string) (string, error) {
	around := []string{of.name, of.email}
	stores, err := database.Rows[struct{ Code, Name string }](ctx, s.db.Pool(), "SELECT code, name FROM stores")
	if err != nil {
		return "", fmt.Errorf("read the names of stores: %w", err)
	}
	for _, store := range stores {
		around = append(around, store.Code, store.Name)
	}
	if problem := passwords.Check(password, around...); problem != "" {
		return "", models.Invalid("password", string(problem))
	}
	return hashPassword(ctx, password)
}

// person is whose password it is.
type person struct{ name, email string }

func hashPassword(ctx context.Context, password string) (string, error) {
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

// maxBytes is what the longest password takes.
const maxBytes = 4 * passwords.Max

// passwordMatches is called in its turn, see Place.
func passwordMatches(password, hash string) (bool, error) {
	if len(password) > maxBytes {
		return false, nil
	}
	ok, err := argon2id.ComparePasswordAndHash(password, hash)
	if err != nil {
		return false, fmt.Errorf("compare password: %w", err)
	}
	return ok, nil
}
