package accounts

import (
	"slices"
	"time"

	"veinte/models"
)

// Input is a user as entered in a form.
type Input struct {
	Email, Name string
	Role        models.Role
	AllStores   bool
	StoreIDs    []int64
	AccessUntil string // the last day of access, as typed; "" for no end
	Password    string // on creation by the command line, which nobody else does
}

func (in Input) check() (Input, error) {
	var err error
	if in.Email, err = models.ParseEmail(in.Email); err != nil {
		return in, err
	}
	if in.Name, err = models.Text("name", in.Name, 80); err != nil {
		return in, err
	}
	if _, err = models.ParseRole(string(in.Role)); err != nil {
		return in, err
	}
	switch in.Role.Row().Stores {
	case models.StoresAll:
		in.AllStores = true
	case models.StoresSome:
		in.AllStores = false
	}
	if in.AllStores {
		in.StoreIDs = nil
	} else if len(in.StoreIDs) == 0 {
		return in, models.Invalid("stores", "store.required")
	}
	slices.Sort(in.StoreIDs)
	in.StoreIDs = slices.Compact(in.StoreIDs)
	return in, in.checkEnd()
}

// checkEnd refuses an end of access that is not a date, and none where the role's
// access must end.
func (in Input) checkEnd() error {
	if in.AccessUntil == "" {
		if in.Role.Row().MustEnd {
			return models.Invalid("accessUntil", "access.required")
		}
		return nil
	}
	if _, err := models.ParseDay(in.AccessUntil); err != nil {
		return models.Invalid("accessUntil", "date.invalid")
	}
	return nil
}

// end is the last day of access, or nil for none. The input has been checked.
func (in Input) end() *models.Day {
	if in.AccessUntil == "" {
		return nil
	}
	d := models.Day(in.AccessUntil)
	return &d
}

// judgeEnd refuses an end that has passed or is too far away. An unchanged end is
// not checked: a user may be renamed after their last day.
func (in Input) judgeEnd(now time.Time, was *models.Day) error {
	end := in.end()
	if end == nil || was != nil && *was == *end {
		return nil
	}
	if *end < models.AccessDay(now) {
		return models.Invalid("accessUntil", "access.past")
	}
	if *end > models.AccessDay(now.In(models.MexicoCity).AddDate(models.MaxAccess, 0, 0)) {
		return models.Invalid("accessUntil", "access.tooFar")
	}
	return nil
}
