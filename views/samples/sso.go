package samples

import (
	"github.com/a-h/templ"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/accounts/sso"
	settingsview "veinte/views/settings"
	"veinte/views/ui"
)

// addSSOPages adds the pages of the single sign-on.
func (s *Shop) addSSOPages(pages map[string]templ.Component) {
	p := s.Page(models.Administrator, "/settings/sso", "19:52:03")
	groups := []sso.Group{
		{ID: 1, Name: "tiendas-centro", Role: models.Manager, StoreIDs: []int64{1}, Version: 1},
		{ID: 2, Name: "0d9c1a52-6f0e-4b3f-8f6e-2b5b0a1c7d11", Role: models.Supervisor, AllStores: true, Version: 1},
	}
	setup := &settingsview.SSOSetup{
		Issuer: "login.example.com/realms/tiendas", ClientID: "veinte", Scopes: "openid profile email", GroupsClaim: "groups",
		Name: "Grupo Comercial", Callback: "veinte.example/login/oidc/callback", Logout: "veinte.example/login/oidc/logout",
	}
	people := []sso.Account{
		{ID: 7, Name: "Ana Torres Luna", Email: "ana@demo.mx"}, {ID: 8, Name: "Luis Pech", Email: "luis@demo.mx", Allowed: true},
	}
	pages["sso"] = settingsview.SSO(&settingsview.SSOView{
		Page: p, Setup: setup, Rules: &accounts.SSO{Groups: groups, Accounts: people}, Stores: s.Stores(),
		Form: settingsview.SSOGroupForm{Group: sso.Group{Role: models.Manager}},
	})
	pages["sso-off"] = settingsview.SSO(&settingsview.SSOView{
		Page: p, Rules: &accounts.SSO{}, Stores: s.Stores(),
		Form: settingsview.SSOGroupForm{Errors: ui.Errors{"name": "field.required", "role": "sso.roleInvalid", "stores": "store.required"}},
	})
	pages["sso-group"] = settingsview.SSOGroup(&settingsview.SSOGroupView{
		Page: p, Group: groups[1], Form: settingsview.SSOGroupForm{Group: groups[1]}, Stores: s.Stores(),
	})
}
