package settings

import (
	"context"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/accounts/sso"
	"veinte/views/locale"
	"veinte/views/ui"
	"veinte/views/words"
)

// SSOSetup is how the provider of the single sign-on is reached, as the environment says.
type SSOSetup struct {
	Issuer, ClientID, Scopes, GroupsClaim string
	// Name is what its button says; "" for words of ours.
	Name string
	// Callback, Logout and SignedOut are the addresses to register there: where people come
	// back to, where it says that a session is over, and where people come back to after they
	// have signed out there.
	Callback, Logout, SignedOut string
}

// SSOView is the page of the single sign-on.
type SSOView struct {
	ui.Page
	Setup  *SSOSetup // nil: there is no provider
	Rules  *accounts.SSO
	Stores []models.Store
	Form   SSOGroupForm // of a new group
	Errors ui.Errors    // of the account to be linked
	// PasswordErrors are of the rule that people come in by the provider alone.
	PasswordErrors ui.Errors
	Keeper         string // as it was chosen for it
}

// SSOGroupView is the page of a group.
type SSOGroupView struct {
	ui.Page
	Group  sso.Group // as it is stored
	Form   SSOGroupForm
	Stores []models.Store
}

// SSOGroupForm is what was entered of a group.
type SSOGroupForm struct {
	sso.Group
	Errors ui.Errors // name, role, stores
}

// stores are the codes of the stores of a group.
func (v *SSOView) stores(ctx context.Context, g *sso.Group) string {
	return words.StoreCodes(ctx, &models.User{AllStores: g.AllStores, StoreIDs: g.StoreIDs}, v.Stores)
}

// unlinked offers the people whose account the provider has not taken over.
func (v *SSOView) unlinked() []ui.Option {
	var options []ui.Option
	for _, a := range v.Rules.Accounts {
		if !a.Linked && !a.Allowed {
			options = append(options, ui.Option{Value: ui.Itoa(a.ID), Text: a.Name + " (" + a.Email + ")"})
		}
	}
	return options
}

// allowed are those whose account it may take over.
func (v *SSOView) allowed() (all []sso.Account) {
	for _, a := range v.Rules.Accounts {
		if a.Allowed && !a.Linked {
			all = append(all, a)
		}
	}
	return all
}

// keepers offers the administrators whose password could go on counting.
func (v *SSOView) keepers(ctx context.Context) []ui.Option {
	options := []ui.Option{{Text: locale.T(ctx, "sso.chooseKeeper")}}
	for i := range v.Rules.Keepers {
		u := &v.Rules.Keepers[i]
		options = append(options, ui.Option{Value: ui.Itoa(u.ID), Text: u.Name + " (" + u.Email + ")"})
	}
	return options
}
