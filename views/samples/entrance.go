package samples

import (
	"time"

	"github.com/a-h/templ"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/accounts/sso"
	"veinte/models/counters"
	"veinte/models/entrance"
	"veinte/models/entrance/factors"
	"veinte/models/entrance/passkeys"
	entranceview "veinte/views/entrance"
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
		SignedOut: "veinte.example/login",
	}
	people := []sso.Account{
		{ID: 7, Name: "Ana Torres Luna", Email: "ana@demo.mx"}, {ID: 8, Name: "Luis Pech", Email: "luis@demo.mx", Allowed: true},
	}
	pages["sso"] = settingsview.SSO(&settingsview.SSOView{
		Page: p, Setup: setup, Stores: s.Stores(),
		Rules: &accounts.SSO{
			Groups: groups, Accounts: people, Came: true, Keepers: []models.User{{ID: 9, Name: "Emergencia", Email: "emergencia@demo.mx"}},
		},
		Form: settingsview.SSOGroupForm{Group: sso.Group{Role: models.Manager}},
	})
	pages["sso-password-off"] = settingsview.SSO(&settingsview.SSOView{
		Page: p, Setup: setup, Stores: s.Stores(), Rules: &accounts.SSO{
			Groups: groups, Accounts: people,
			Rules: sso.Rules{PasswordOff: true, BreakGlass: 9, Name: "Emergencia", Email: "emergencia@demo.mx", TrustAddresses: true},
		},
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

// NoFactors is the page of somebody who has no second step yet.
func (s Shop) NoFactors() *entranceview.FactorsView {
	return &entranceview.FactorsView{
		Page:       s.Page(models.Manager, "/account/factors", "19:52:03"),
		OwnFactors: &entrance.OwnFactors{Email: "ana@tiendas.example", Sure: true},
		Passkeys:   entranceview.Passkeys{Here: true, Site: "veinte.tiendas.example"},
	}
}

// Factors is that of somebody who has every kind of factor, with a passkey that was copied
// and one of another address.
func (s Shop) Factors() *entranceview.FactorsView {
	v := s.NoFactors()
	since := v.Now.AddDate(0, -3, 0)
	used, found := v.Now.Add(-2*time.Hour), v.Now.Add(-20*time.Minute)
	v.State, v.Asked = factors.State{Since: &since, Passkeys: 3, Left: 7}, true
	v.Keys = []passkeys.Key{
		{ID: s.First + 1, Name: "Teléfono de Ana", Site: v.Passkeys.Site, Synced: true, CreatedAt: since, UsedAt: &used},
		{ID: s.First + 2, Name: "Llave USB", Site: v.Passkeys.Site, CreatedAt: since, UsedAt: &used, ClonedAt: &found},
		{ID: s.First + 3, Name: "Tablet del mostrador", Site: "veinte.example", CreatedAt: since},
	}
	return v
}

// FactorsRefused is that page after a proof that was wrong.
func (s Shop) FactorsRefused() *entranceview.FactorsView {
	v := s.Factors()
	v.Where, v.Name, v.Errors = "add", "Tablet", ui.Errors{"proof": "factor.clockBehind"}
	return v
}

// Counter is the page of a counter device.
func (s Shop) Counter() *entranceview.CounterView {
	v := &entranceview.CounterView{Here: &counters.Here{
		ID: 1, StoreID: 1, StoreName: "Roma Norte", Name: "Caja 1",
		People: []counters.Person{{ID: 7, Name: "Ana Robles"}, {ID: 8, Name: "Luis Pech"}, {ID: 9, Name: "María de la Concepción Hernández"}},
	}}
	v.Page = s.Page("", "/counter", "19:52:03")
	return v
}

// CounterRested is that page after a rest, with what was typed waiting for its person.
func (s Shop) CounterRested() *entranceview.CounterView {
	v := s.Counter()
	v.Chosen, v.Of, v.Ended, v.Next = 8, 8, "form", "/sales/7/cancellation/new"
	return v
}

// CounterWrong is that page after a wrong PIN, where somebody else's is shut.
func (s Shop) CounterWrong() *entranceview.CounterView {
	v := s.Counter()
	v.People[1].Shut = true
	v.Chosen, v.Left, v.Errors = 7, 3, ui.Errors{"pin": "pin.wrong"}
	return v
}

// FactorsPIN is the page of the factors of somebody who has a PIN for counters.
func (s Shop) FactorsPIN() *entranceview.FactorsView {
	v := s.NoFactors()
	since := v.Now.AddDate(0, -3, 0)
	v.PIN = counters.OwnPIN{Since: &since, Useful: true, Shut: true}
	v.Where, v.Errors = "pin", ui.Errors{"pin": "pin.obvious"}
	return v
}

// AccountCounters is the account of a manager of stores with counters.
func (s Shop) AccountCounters() *entranceview.AccountView {
	v := &entranceview.AccountView{Page: s.Page(models.Manager, "/account", "19:52:03"), Password: true}
	const agent = "Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0"
	v.Counters = &entranceview.CountersView{
		Stores: s.Stores()[:2],
		Lines: []counters.Counter{
			{ID: 1, Name: "Caja 1", StoreName: "Roma Norte", MadeAt: v.Now.AddDate(0, -1, 0), MadeBy: "Ana Robles", UserAgent: agent},
			{ID: 2, Name: "Tablet de la entrada", StoreName: "Roma Norte", MadeAt: v.Now.AddDate(0, 0, -2), MadeBy: "Diego Luna"},
		},
		Name: "Caja 2", Errors: ui.Errors{"store": "store.unknown"},
	}
	return v
}
