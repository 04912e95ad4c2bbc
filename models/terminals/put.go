package terminals

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"veinte/models"
	"veinte/models/database"
)

// Seen is what a program has seen of the thing that it puts. The zero value has seen
// nothing, and replaces what is there.
type Seen struct {
	Version int  // nothing else may be there; 0: anything
	Nothing bool // it may not be there yet
}

// errSeen means that it is not any more what the program has seen.
var errSeen = models.ErrStale

// check reports whether what is there is what was seen; 0 is nothing.
func (s Seen) check(version int) error {
	if s.Nothing && version != 0 || s.Version != 0 && s.Version != version {
		return errSeen
	}
	return nil
}

// maxPuts is how often one is tried that has seen nothing, while others change the same.
const maxPuts = 3

// put tries until nobody changed the same meanwhile, which only matters to who has seen it.
func put[T any](seen Seen, try func() (T, bool, error)) (got T, made bool, err error) {
	for range maxPuts {
		if got, made, err = try(); seen != (Seen{}) || !errors.Is(err, models.ErrStale) {
			return got, made, err
		}
	}
	return got, made, err
}

// PutStore has a store of a code be so: it is made, changed, or left as it is. Its
// traceability stays. made reports whether it is new. A program of some stores changes
// those, and makes none.
//
// Errors: ErrForbidden, ErrNotFound of a store that the actor does not see, ErrStale, or a
// field.
func (s *Service) PutStore(ctx context.Context, actor models.Actor, seen Seen, in StoreInput) (store *models.Store, made bool, err error) {
	if !actor.May(models.ManageStores) {
		return nil, false, models.ErrForbidden
	}
	if in, err = in.check(); err != nil {
		return nil, false, err
	}
	return put(seen, func() (*models.Store, bool, error) { return s.putStore(ctx, actor, seen, in) })
}

func (s *Service) putStore(ctx context.Context, actor models.Actor, seen Seen, in StoreInput) (*models.Store, bool, error) {
	var store models.Store
	err := database.TakeRow(s.db.Gorm().WithContext(ctx).Where("code = ?", in.Code), &store)
	switch {
	case err != nil && err != models.ErrNotFound:
		return nil, false, fmt.Errorf("put store %s: %w", in.Code, err)
	case !actor.AllStores && (err != nil || !actor.Sees(store.ID)):
		return nil, false, models.ErrNotFound
	}
	if err := seen.check(store.Version); err != nil {
		return nil, false, err
	}
	if err != nil {
		made, err := s.CreateStore(ctx, actor, in)
		var known *models.Error
		if errors.As(err, &known) && known.Code == "storeCode.taken" { // meanwhile
			err = models.ErrStale
		}
		return made, err == nil, err
	}
	if store.Name == in.Name && store.TimeZone == in.TimeZone {
		return &store, false, nil
	}
	in.Traceability, in.BareTraceability = store.Traceability, store.BareTraceability
	if err := s.ChangeStore(ctx, actor, store.ID, store.Version, in); err != nil {
		return nil, false, err
	}
	store.Name, store.TimeZone, store.Version = in.Name, in.TimeZone, store.Version+1
	return &store, false, nil
}

// PutInput is a terminal as a program has it.
type PutInput struct {
	SerialNumber, Label, MerchantID string
	StoreCode                       string
	Retired                         *bool // nil: as it is, and in use when it is new
}

// PutTerminal has a terminal of a serial number be so, by what the pages do: it is
// registered, relabeled, moved from now on, retired or restored, all of it or nothing. made
// reports whether it is new.
//
// Errors: ErrForbidden, ErrNotFound of a terminal that stands outside the actor's stores,
// ErrStale, terminal.retired, terminal.busy, a field, or a *MoveRefusal.
func (s *Service) PutTerminal(ctx context.Context, actor models.Actor, seen Seen, in PutInput) (t *Listed, made bool, err error) {
	if !actor.May(models.ManageTerminals) {
		return nil, false, models.ErrForbidden
	}
	serial, err := models.ParseSerialNumber(in.SerialNumber)
	if err != nil {
		return nil, false, err
	}
	if in.Label, err = models.Text("label", in.Label, 60); err != nil {
		return nil, false, err
	}
	if in.MerchantID, err = models.ParseMerchantID(in.MerchantID); err != nil {
		return nil, false, err
	}
	version, made, err := put(seen, func() (int, bool, error) { return s.putTerminal(ctx, actor, seen, serial, in) })
	if err == nil {
		t, err = s.listed(ctx, serial)
	}
	if err != nil {
		return nil, false, fmt.Errorf("put terminal %s: %w", serial, err)
	}
	t.Version = version // of this change, whatever came after it
	return t, made, nil
}

func (s *Service) putTerminal(
	ctx context.Context, actor models.Actor, seen Seen, serial models.SerialNumber, in PutInput,
) (version int, made bool, err error) {
	there, err := s.listed(ctx, serial)
	if err != nil && err != models.ErrNotFound {
		return 0, false, err
	}
	if err == nil && !seesTerminal(actor, there.StoreID) {
		return 0, false, models.ErrNotFound
	}
	store, wrong := s.storeOfCode(ctx, actor, in.StoreCode)
	switch {
	case wrong != nil:
		return 0, false, wrong
	case err == models.ErrNotFound:
		return s.putNewTerminal(ctx, actor, seen, store, in)
	}
	var terminal models.Terminal
	moved := false
	err = s.db.InTx(ctx, func(t database.Tx) error {
		locked, err := lockTerminal(t, there.ID)
		if err != nil {
			return err
		}
		terminal, moved, err = s.putLocked(t, actor, seen, locked, store, in)
		return err
	})
	if err != nil {
		return 0, false, err
	}
	s.forgetDirectory()
	if moved {
		s.onPlaced(ctx, serial)
	}
	return terminal.Version, false, nil
}

// storeOfCode is the store of a code that the actor sees.
func (s *Service) storeOfCode(ctx context.Context, actor models.Actor, code string) (*models.Store, error) {
	code, err := models.ParseStoreCode(code)
	if err != nil {
		return nil, models.Invalid("store", cmp.Or(codeOf(err), "store.unknown"))
	}
	var store models.Store
	err = database.TakeRow(s.db.Gorm().WithContext(ctx).Where("code = ?", code), &store)
	if err == models.ErrNotFound || err == nil && !actor.Sees(store.ID) {
		return nil, models.Invalid("store", "store.unknown")
	}
	return &store, err
}

// codeOf is the code of a refusal; "" of any other error.
func codeOf(err error) string {
	var known *models.Error
	if errors.As(err, &known) {
		return known.Code
	}
	return ""
}

func (s *Service) putNewTerminal(
	ctx context.Context, actor models.Actor, seen Seen, store *models.Store, in PutInput,
) (version int, made bool, err error) {
	if err := seen.check(0); err != nil {
		return 0, false, err
	}
	if in.Retired != nil && *in.Retired {
		return 0, false, models.Invalid("retired", "terminal.newRetired")
	}
	t, err := s.CreateTerminal(ctx, actor, Input{
		SerialNumber: in.SerialNumber, Label: in.Label, MerchantID: in.MerchantID, StoreID: store.ID,
	})
	switch {
	case codeOf(err) == "serial.taken": // meanwhile
		return 0, false, models.ErrStale
	case err != nil:
		return 0, false, err
	}
	return t.Version, true, nil
}

// seesTerminal reports whether a terminal that stands in a store, or in none, is one of the
// actor's.
func seesTerminal(actor models.Actor, storeID int64) bool {
	return actor.AllStores || storeID != 0 && actor.Sees(storeID)
}

func storeOfAssignment(a *models.Assignment) int64 {
	if a == nil {
		return 0
	}
	return a.StoreID
}

// putLocked does what differs. A terminal that is taken into use again is so before it
// moves, and one that is retired afterwards.
func (s *Service) putLocked(
	t database.Tx, actor models.Actor, seen Seen, terminal *models.Terminal, store *models.Store, in PutInput,
) (now models.Terminal, moved bool, err error) {
	at := s.clock.Now()
	lines, err := assignmentsOf(t.DB, terminal.ID)
	if err != nil {
		return *terminal, false, err
	}
	// A move of a server whose clock is ahead may begin in a moment: it stands there.
	var stands *models.Assignment
	for i := range lines {
		planned := lines[i].PlannedAt != nil && lines[i].ValidFrom.After(at)
		if !planned && lines[i].Tense(at) != models.TensePast && (stands == nil || lines[i].ValidFrom.After(stands.ValidFrom)) {
			stands = &lines[i].Assignment
		}
	}
	if !seesTerminal(actor, storeOfAssignment(stands)) {
		return *terminal, false, models.ErrNotFound
	}
	if err := seen.check(terminal.Version); err != nil {
		return *terminal, false, err
	}
	moves := stands == nil || stands.StoreID != store.ID || stands.MerchantID != in.MerchantID
	retires := in.Retired != nil && *in.Retired && terminal.RetiredAt == nil
	restores := in.Retired != nil && !*in.Retired && terminal.RetiredAt != nil
	columns := map[string]any{}
	if terminal.Label != in.Label {
		columns["label"] = in.Label
	}
	if retires {
		columns["retired_at"] = at
	} else if restores {
		columns["retired_at"] = nil
	}
	if len(columns) == 0 && !moves {
		return *terminal, false, nil
	}
	if err := t.Replace(&models.Terminal{}, terminal.ID, terminal.Version, columns); err != nil {
		return *terminal, false, err
	}
	was := *terminal
	terminal.Version++
	if restores {
		if err := recordRetired(t, actor, at, terminal, false); err != nil {
			return was, false, err
		}
		terminal.RetiredAt = nil
	}
	if was.Label != in.Label {
		if err := recordLabel(t, actor, at, terminal, in.Label); err != nil {
			return was, false, err
		}
	}
	if moves {
		if err := moveTerminal(t, actor, at, terminal, parsedMove{store: store, merchant: in.MerchantID}); err != nil {
			return was, false, err
		}
	}
	if retires {
		if _, err := withdrawPlan(t, actor, at, terminal); err != nil {
			return was, false, err
		}
		if err := recordRetired(t, actor, at, terminal, true); err != nil {
			return was, false, err
		}
	}
	return *terminal, moves, nil
}
