package audit

import (
	"fmt"
	"slices"

	"veinte/models"
	"veinte/models/database"
)

// NameFree refuses a name in which that of a person stands whom no page names any more:
// pages would show a neutral word in its place.
func NameFree(t database.Tx, field, name string) error {
	blocked, err := BlockedIn(t, name)
	if err == nil && len(blocked) > 0 {
		return models.Invalid(field, "user.nameTaken")
	}
	return err
}

// BlockedIn returns those of the names in which a blocked one stands, in words of its own.
func BlockedIn(t database.Tx, names ...string) (blocked []string, err error) {
	for some := range slices.Chunk(names, 5000) {
		var of []string
		err := t.Raw(`SELECT given.name FROM unnest(?::text[]) AS given(name) WHERE EXISTS (SELECT FROM blocked_names b
			WHERE strpos(' ' || regexp_replace(given.name, '[^[:alnum:]]+', ' ', 'g') || ' ',
				' ' || regexp_replace(b.name, '[^[:alnum:]]+', ' ', 'g') || ' ') > 0)`, models.Texts(some)).Scan(&of).Error
		if err != nil {
			return nil, fmt.Errorf("look for blocked names: %w", err)
		}
		blocked = append(blocked, of...)
	}
	return blocked, nil
}
