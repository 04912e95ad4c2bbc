package accounts

import (
	"context"
	"fmt"

	"veinte/models"
	"veinte/models/accounts/passwords"
	"veinte/models/database"
)

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
	return passwords.Hash(ctx, password)
}

// person is whose password it is.
type person struct{ name, email string }
