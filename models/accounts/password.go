package accounts

import (
	"context"
	"fmt"

	"veinte/models"
	"veinte/models/accounts/passwords"
	"veinte/models/database"
)

// NewHash is the one way to a stored password: it refuses those that others try first, of
// whose it is and of the stores, and hashes.
//
// Errors: those of a password, see passwords.Check.
func (s *Service) NewHash(ctx context.Context, name, email, password string) (string, error) {
	around := []string{name, email}
	stores, err := database.Rows[struct{ Code, Name string }](ctx, s.db, "SELECT code, name FROM stores")
	if err != nil {
		return "", fmt.Errorf("read the names of stores: %w", err)
	}
	for _, store := range stores {
		around = append(around, store.Code, store.Name)
	}
	if problem := passwords.Check(password, around...); problem != "" {
		return "", models.Invalid("password", string(problem))
	}
	return passwords.Hash(ctx, password)
}
