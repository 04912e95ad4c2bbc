package exchange

import (
	"context"
	"slices"
	"strconv"
	"time"

	"veinte/models"
	"veinte/models/apikeys"
	"veinte/views/locale"
	"veinte/views/ui"
	"veinte/views/words"
)

// KeysView is the list of the API's keys.
type KeysView struct {
	ui.Page
	Keys   []apikeys.Key
	Stores []models.Store // to name the stores of each
}

// KeyFormView is the form of a new key, at GET /settings/keys/new.
type KeyFormView struct {
	ui.Page
	Stores []models.Store
	Form   KeyForm
}

// KeyForm is what was entered of a key.
type KeyForm struct {
	Name      string
	Scopes    []apikeys.Scope
	AllStores bool
	StoreIDs  []int64
	Pace      apikeys.Pace
	Days      int
	Errors    ui.Errors // name, scopes, stores, pace, days
}

// KeyView is one key: what it may do, its secrets, and what can be done to it.
type KeyView struct {
	ui.Page
	Key    apikeys.Key
	Stores []models.Store
	Rotate RotateForm
	Revoke ui.Errors
}

// RotateForm gives a key another secret.
type RotateForm struct {
	Days, Overlap int
	Errors        ui.Errors
}

// KeyShownView shows a secret, once.
type KeyShownView struct {
	ui.Page
	Key    apikeys.Key
	Secret string
	Server string // where the API is
}

// refused is what was wrong with whichever form was sent.
func (v *KeyView) refused() ui.Errors {
	if len(v.Revoke) > 0 {
		return v.Revoke
	}
	return v.Rotate.Errors
}

func keyPath(k *apikeys.Key) string { return "/settings/keys/" + ui.Itoa(k.ID) }

func (v *KeysView) storesOf(ctx context.Context, k *apikeys.Key) string {
	return keyStores(ctx, k, v.Stores)
}

// keyStores names the stores of a key by their codes.
func keyStores(ctx context.Context, k *apikeys.Key, stores []models.Store) string {
	return words.StoreCodes(ctx, &models.User{AllStores: k.AllStores, StoreIDs: k.StoreIDs}, stores)
}

func scopeWord(ctx context.Context, s apikeys.Scope) string {
	return locale.T(ctx, "scope."+string(s))
}

func paceOptions(ctx context.Context) []ui.Option {
	options := make([]ui.Option, 0, len(apikeys.Paces))
	for _, p := range apikeys.Paces {
		options = append(options, ui.Option{Value: string(p), Text: locale.T(ctx, "key.pace."+string(p))})
	}
	return options
}

func daysOptions(ctx context.Context) []ui.Option {
	options := make([]ui.Option, 0, len(apikeys.DayChoices))
	for _, d := range apikeys.DayChoices {
		options = append(options, ui.Option{Value: strconv.Itoa(d), Text: locale.T(ctx, "key.daysValue", "Days", d)})
	}
	return options
}

func overlapOptions(ctx context.Context) []ui.Option {
	options := make([]ui.Option, 0, len(apikeys.OverlapChoices))
	for _, hours := range apikeys.OverlapChoices {
		options = append(options, ui.Option{Value: strconv.Itoa(hours), Text: locale.T(ctx, "key.overlap."+strconv.Itoa(hours))})
	}
	return options
}

// keyStateLook colours a key's state as a sale's with the like meaning.
func keyStateLook(s apikeys.State) string {
	switch s {
	case apikeys.Active:
		return "confirmed"
	case apikeys.ExpiresSoon:
		return "unknown"
	}
	return "tooLate"
}

func keyStateIcon(s apikeys.State) string {
	switch s {
	case apikeys.Active:
		return "check"
	case apikeys.ExpiresSoon:
		return "triangle-alert"
	}
	return "ban"
}

// lastUsed says when a key was last used.
func lastUsed(ctx context.Context, p ui.Page, at *time.Time) string {
	if at == nil {
		return locale.T(ctx, "key.neverUsed")
	}
	return ui.Since(ctx, p, at)
}

func (f KeyForm) has(s apikeys.Scope) bool { return slices.Contains(f.Scopes, s) }

// try is a call that shows that the key opens something.
func (v *KeyShownView) try() string {
	return "curl -H \"Authorization: Bearer " + v.Secret + "\" \\\n  " + v.Server + "/api/v1/sales"
}
