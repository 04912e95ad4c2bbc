package terminals

import (
	"context"
	"fmt"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// AddressUse is at which address a terminal last posted.
type AddressUse string

// The uses of addresses.
const (
	AddressOwn    AddressUse = "own"    // its own
	AddressOlder  AddressUse = "older"  // its own, made with a master key before the newest
	AddressShared AddressUse = "shared" // the one that all share
	AddressNotYet AddressUse = "notYet" // it has not posted since addresses are told apart
)

// AddressUses lists the uses, those that need a hand first.
var AddressUses = []AddressUse{AddressShared, AddressOlder, AddressNotYet, AddressOwn}

// HasAddresses reports whether terminals have addresses of their own.
func (s *Service) HasAddresses() bool { return s.addresses != nil }

// AddressUse returns at which address a terminal last posted.
func (s *Service) AddressUse(t *models.Terminal) AddressUse {
	switch {
	case t.SharedPosts > 0:
		return AddressShared
	case t.AddressKey == "":
		return AddressNotYet
	case t.AddressKey != s.addresses.Newest():
		return AddressOlder
	}
	return AddressOwn
}

// AddressCount is how many terminals in use post at one kind of address, and how many
// posts came in their names at the shared one.
type AddressCount struct {
	Use              AddressUse
	Terminals, Posts int64
}

// CountAddresses counts the terminals in use by the address at which they last posted,
// in the order of AddressUses.
func (s *Service) CountAddresses(ctx context.Context) ([]AddressCount, error) {
	rows, err := database.Rows[AddressCount](ctx, s.db, `SELECT CASE WHEN shared_posts > 0 THEN 'shared' WHEN address_key = ''
			THEN 'notYet' WHEN address_key = $1 THEN 'own' ELSE 'older' END AS use, count(*) AS terminals, sum(shared_posts)::bigint AS posts
		FROM terminals WHERE retired_at IS NULL GROUP BY 1`, s.addresses.Newest())
	if err != nil {
		return nil, fmt.Errorf("count terminals by address: %w", err)
	}
	counts := make([]AddressCount, len(AddressUses))
	for i, use := range AddressUses {
		counts[i].Use = use
		for _, r := range rows {
			if r.Use == use {
				counts[i] = r
			}
		}
	}
	return counts, nil
}

// errNoAddresses means that no master key is configured.
var errNoAddresses = &models.Error{Kind: models.KindConflict, Code: "address.noKeys"}

// OwnAddress returns the path of a terminal's own address on this server. It is a
// secret, so that somebody saw it is an act.
//
// Errors: ErrForbidden, ErrNotFound, address.noKeys or terminal.retired.
func (s *Service) OwnAddress(ctx context.Context, actor models.Actor, id int64) (t *models.Terminal, path string, err error) {
	now := s.clock.Now()
	if !actor.May(models.ManageTerminals) {
		return nil, "", models.ErrForbidden
	}
	if s.addresses == nil {
		return nil, "", errNoAddresses
	}
	t = &models.Terminal{}
	err = s.db.InTx(ctx, func(tx database.Tx) error {
		if err := database.TakeRow(tx.Where("id = ?", id), t); err != nil {
			return err
		}
		if t.RetiredAt != nil {
			return &models.Error{Kind: models.KindConflict, Code: "terminal.retired"}
		}
		return recordAt(tx, actor, now, models.ActionAddressShown, t, audit.About{})
	})
	if err != nil {
		return nil, "", fmt.Errorf("show the address of terminal %d: %w", id, err)
	}
	return t, s.addresses.Path(t.SerialNumber), nil
}

// AddressLine is a terminal in use, with its own address.
type AddressLine struct {
	SerialNumber models.SerialNumber
	Label        string
	StoreCode    string // "" when it is in no store
	StoreName    string
	Path         string `db:"-"`
}

// AllAddresses returns every terminal in use with its own address, by store and label,
// and records that somebody took them.
//
// Errors: ErrForbidden or address.noKeys.
func (s *Service) AllAddresses(ctx context.Context, actor models.Actor) ([]AddressLine, error) {
	now := s.clock.Now()
	if !actor.May(models.ManageTerminals) {
		return nil, models.ErrForbidden
	}
	if s.addresses == nil {
		return nil, errNoAddresses
	}
	lines, err := database.Rows[AddressLine](ctx, s.db, askedSQL+assignmentsSQL+`
		SELECT serial_number, label, store_code, store_name FROM places WHERE retired_at IS NULL ORDER BY store_code, label, id`,
		s.asked(now, DefaultDays)...)
	if err != nil {
		return nil, fmt.Errorf("list the addresses of terminals: %w", err)
	}
	for i := range lines {
		lines[i].Path = s.addresses.Path(lines[i].SerialNumber)
	}
	err = audit.RecordAlone(ctx, s.db, actor, now, models.ActionAddressesTaken, models.OutcomeSuccess, audit.About{
		After: map[string]any{"terminals": len(lines)},
	})
	if err != nil {
		return nil, fmt.Errorf("record that addresses are taken: %w", err)
	}
	return lines, nil
}
