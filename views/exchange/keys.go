package exchange

import (
	"context"
	"slices"
	"strconv"
	"time"

	"veinte/models"
	"veinte/models/accounts/proposals"
	"veinte/models/apikeys"
	"veinte/views/locale"
	"veinte/views/ui"
	"veinte/views/words"
)

// KeysView is the list of the API's keys.
type KeysView struct {
	ui.Page
	Keys      []apikeys.Key
	Stores    []models.Store       // to name the stores of each
	Proposals []proposals.Proposal // what waits for another administrator
}

// KeyFormView is the form of a new key, at GET /settings/keys/new.
type KeyFormView struct {
	ui.Page
	Stores []models.Store
	Form   KeyForm
	Second bool // another administrator confirms a scope that moves money
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
	// Waiting is how many requests of the key's program have not left.
	Waiting int64
	// Proposal is what waits for another administrator; nil: nothing. Answered is why an
	// answer to it was refused.
	Proposal *proposals.Proposal
	Answered ui.Errors
	Rotate   RotateForm
	Revoke   ui.Errors
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

// keyStores names the stores of a key by their codes.
func keyStores(ctx context.Context, k *apikeys.Key, stores []models.Store) string {
	return words.StoreCodes(ctx, &models.User{AllStores: k.AllStores, StoreIDs: k.StoreIDs}, stores)
}

func scopeWord(ctx context.Context, s apikeys.Scope) string {
	return locale.T(ctx, "scope."+string(s))
}

func daysOptions(ctx context.Context) []ui.Option {
	return ui.NumberOptions(apikeys.DayChoices, func(n int) string { return locale.T(ctx, "key.daysValue", "Days", n) })
}

func overlapOptions(ctx context.Context) []ui.Option {
	return ui.NumberOptions(apikeys.OverlapChoices, func(n int) string { return locale.T(ctx, "key.overlap."+strconv.Itoa(n)) })
}

// keyLooks are the colours of a key's states, those of sales with the like
// meaning, and their icons.
var keyLooks = map[apikeys.State][2]string{
	apikeys.Active: {"confirmed", "check"}, apikeys.ExpiresSoon: {"unknown", "triangle-alert"},
	apikeys.Expired: {"tooLate", "ban"}, apikeys.Revoked: {"tooLate", "ban"},
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
