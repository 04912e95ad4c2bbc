package operations

import (
	"context"
	"fmt"
	"slices"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// AccessRefused states that the service does not accept our access: an error of the
// configuration that only somebody at the server can end.
type AccessRefused struct {
	Since time.Time // of the first request of the unbroken series
	Doubt bool      // a refusal of the series left a cancellation in doubt
	Call  []string  // administrators, by name: whom to tell
}

// maxCall is how many administrators are named.
const maxCall = 3

// accessRefused reads the series of refusals from the last replies, newest first.
// What did not reach the service neither begins nor ends one. It lasts until the
// service answers otherwise, however long nobody asks: only that proves that the
// error has ended.
func accessRefused(last []lastReply) *AccessRefused {
	var a AccessRefused
	for _, x := range last {
		switch {
		case x.Detail == models.DetailInvalidToken, x.Detail == models.DetailAccessRefused:
			a.Since = x.At
			a.Doubt = a.Doubt || x.Detail == models.DetailAccessRefused && x.Operation == "cancel"
		case x.Meaning == "" || slices.Contains(silences, x.Detail):
		case a.Since.IsZero():
			return nil
		default:
			return &a
		}
	}
	if a.Since.IsZero() {
		return nil
	}
	return &a
}

// administrators names those who can do something about it.
func (s *Service) administrators(ctx context.Context) ([]string, error) {
	names, err := database.Rows[struct{ Name string }](ctx, s.db,
		`SELECT name FROM users WHERE role = $1 AND disabled_at IS NULL ORDER BY name, id LIMIT $2`, models.Administrator, maxCall)
	if err != nil {
		return nil, fmt.Errorf("list administrators: %w", err)
	}
	call := make([]string, len(names))
	for i, n := range names {
		call[i] = n.Name
	}
	return call, nil
}
