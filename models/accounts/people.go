package accounts

import (
	"context"
	"fmt"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// PeopleFilter narrows the list of people. Zero values do not filter.
type PeopleFilter struct {
	Query  string // part of a name or an address, or of the name or code of a store of theirs
	Role   models.Role
	Store  int64 // whose stores are named and have this one among them
	Cursor string
}

// Person is a line of the list of people.
type Person struct {
	ID          int64
	Email       string
	Name        string
	Role        models.Role
	AllStores   bool
	DisabledAt  *time.Time
	AccessUntil *models.Day
	SignedInAt  *time.Time // the last time; nil: never, or too long ago to be known
	StoreIDs    []int64
}

// PeoplePage is a page of the list, by name.
type PeoplePage struct {
	People []Person
	Next   string // cursor of the next page; "" at the end
	Count  int64  // of everybody whom the filter matches
}

// personCursor is where the next page begins.
type personCursor struct {
	Name string
	ID   int64
}

const matchingPeople = ` FROM users u
	WHERE ($2 = '' OR u.role = $2)
	AND ($3 = 0 OR EXISTS (SELECT FROM user_stores us WHERE us.user_id = u.id AND us.store_id = $3))
	AND ($1 = '' OR position($1 in lower(u.name)) > 0 OR position($1 in u.email) > 0 OR EXISTS (
		SELECT FROM user_stores us JOIN stores s ON s.id = us.store_id
		WHERE us.user_id = u.id AND (position($1 in lower(s.name)) > 0 OR position($1 in lower(s.code)) > 0)))`

// lastSignIn is when person u last signed in: what is known of their devices, and of a
// session on none that is known.
const lastSignIn = `greatest((SELECT max(k.signed_in_at) FROM known_devices k WHERE k.user_id = u.id),
	(SELECT max(s.created_at) FROM sessions s WHERE s.user_id = u.id))`

// People returns a page of the people that the filter matches.
//
// Errors: ErrForbidden or cursor.invalid.
func (s *Service) People(ctx context.Context, actor models.Actor, f PeopleFilter) (*PeoplePage, error) {
	if !actor.May(models.ManageUsers) {
		return nil, models.ErrForbidden
	}
	var after personCursor
	if f.Cursor != "" {
		if err := database.DecodeCursor(f.Cursor, &after); err != nil {
			return nil, err
		}
	}
	text := strings.ToLower(strings.TrimSpace(f.Query))
	if !models.Storable(after.Name) || !models.Storable(text) {
		return &PeoplePage{}, nil // text that cannot be stored matches nobody
	}
	page := &PeoplePage{}
	if err := s.db.QueryRow(ctx, `SELECT count(*)`+matchingPeople, text, f.Role, f.Store).Scan(&page.Count); err != nil {
		return nil, fmt.Errorf("count people: %w", err)
	}
	var err error
	page.People, err = database.Rows[Person](ctx, s.db, `
		SELECT u.id, u.email, u.name, u.role, u.all_stores, u.disabled_at, u.access_until::text AS access_until,
			`+lastSignIn+` AS signed_in_at,
			ARRAY(SELECT us.store_id FROM user_stores us WHERE us.user_id = u.id) AS store_ids`+matchingPeople+`
			AND ($5 = 0 OR (lower(u.name), u.id) > (lower($4), $5))
		ORDER BY lower(u.name), u.id LIMIT $6`, text, f.Role, f.Store, after.Name, after.ID, models.PageSize+1)
	if err != nil {
		return nil, fmt.Errorf("list people: %w", err)
	}
	if len(page.People) > models.PageSize {
		page.People = page.People[:models.PageSize]
		last := &page.People[models.PageSize-1]
		page.Next = database.EncodeCursor(personCursor{last.Name, last.ID})
	}
	return page, nil
}

// LastSignIn is when a person last signed in; nil: never, or too long ago to be known.
//
// Errors: ErrForbidden.
func (s *Service) LastSignIn(ctx context.Context, actor models.Actor, id int64) (at *time.Time, err error) {
	if !actor.May(models.ManageUsers) {
		return nil, models.ErrForbidden
	}
	if err = s.db.QueryRow(ctx, `SELECT `+lastSignIn+` FROM users u WHERE u.id = $1`, id).Scan(&at); err != nil {
		return nil, fmt.Errorf("find the last sign-in of person %d: %w", id, err)
	}
	return at, nil
}
