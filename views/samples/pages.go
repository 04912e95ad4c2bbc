package samples

import (
	"github.com/a-h/templ"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/accounts/proposals"
	"veinte/models/entrance/factors"
	"veinte/models/intake"
	"veinte/models/terminals"
	auditview "veinte/views/audit"
	entranceview "veinte/views/entrance"
	exchangeview "veinte/views/exchange"
	placesview "veinte/views/places"
	salesview "veinte/views/sales"
	settingsview "veinte/views/settings"
	"veinte/views/ui"
	"veinte/views/words"
)

// OfficePages are the pages beside the main job's in their states, by name.
func (s Shop) OfficePages() map[string]templ.Component {
	pages := map[string]templ.Component{"audit": auditview.Audit(s.Audit()), "results": exchangeview.Results(s.Results())}
	for _, add := range []func(map[string]templ.Component){
		s.addTodayPages, s.addEntryPages, s.addBulkPages, s.addAuditPages, s.addExportPages, s.addVerificationPages,
		s.addOversightPages, s.addClosingPages, s.addReviewPages, s.addReconciliationPages, s.addImportPages, s.addForwardingPages,
		s.addAdministrationPages, s.addRulesPages, s.addConnectionPages, s.addKeyPages, s.addHelpPages,
	} {
		add(pages)
	}
	return pages
}

func (s Shop) addEntryPages(pages map[string]templ.Component) {
	entry := &salesview.SaleNewView{Page: s.Page(models.Manager, "/sales/new", "19:52:03"), Terminals: []intake.ManualTerminal{
		{ID: 1, SerialNumber: "1490000001", Label: "Caja 1", Store: s.Stores()[0]},
		{ID: 2, SerialNumber: "1490000002", Label: "Caja 2", Store: s.Stores()[1]},
	}}
	pages["sale-new"] = salesview.SaleNew(entry)
	odd := *entry
	odd.Form = salesview.SaleEntryForm{ManualSale: intake.ManualSale{
		TerminalID: 1, SaleInput: models.SaleInput{OrderID: "261120113000-1490000009", Amount: "1,250.00"}, Date: "2026-11-20", Time: "11:30",
	}}
	odd.Form.Warnings, odd.Form.Similar = []string{"sale.orderSerialDiffers", "sale.similar", "sale.notToday", "sale.muchMore"}, 7
	pages["sale-new-odd"] = salesview.SaleNew(&odd)
	wrong := odd
	wrong.Form.Warnings, wrong.Form.Errors = nil, ui.Errors{
		"terminal": "terminal.choose", "orderId": "field.required", "amount": "amount.invalid", "date": "date.invalid", "time": "time.invalid",
		"last4": "last4.invalid", "cardBrand": "field.tooLong", "authCode": "field.tooLong", "folio": "field.tooLong",
	}
	pages["sale-new-wrong"] = salesview.SaleNew(&wrong)
	pages["sale-new-nowhere"] = salesview.SaleNew(&salesview.SaleNewView{Page: entry.Page})
}

func (s Shop) addAdministrationPages(pages map[string]templ.Component) {
	first := s.Audit()
	first.Page, first.First = s.Page(models.Auditor, "/audit", "19:52:03"), &salesview.Onboarding{}
	pages["audit-first"] = auditview.Audit(first)
	p := s.Page(models.Administrator, "/terminals", "19:52:03")
	since, ended := s.At("09:00:00"), s.At("12:00:00")
	place := models.TerminalPlace{Terminal: s.Terminals()[1], StoreID: 1, StoreName: "Roma Norte", MerchantID: "7401922", Since: &since}
	loose := models.TerminalPlace{Terminal: s.Terminals()[3]}
	loose.RetiredAt = &ended
	s.addTerminalPages(pages, p, place, loose)
	p = s.Page(models.Administrator, "/stores", "19:52:03")
	pages["stores"] = placesview.Stores(&placesview.StoresView{Page: p, List: terminals.StorePage{
		Stores: []terminals.StoreLine{{Store: s.Stores()[0], Terminals: 4}, {Store: s.Stores()[1]}}, Count: 120, Next: "CUN-01",
	}})
	pages["store-wrong"] = placesview.StoreEdit(&placesview.StoreFormView{Page: p, Form: placesview.StoreForm{
		Errors: ui.Errors{"code": "storeCode.invalid", "name": "field.required", "timeZone": "timeZone.invalid"},
	}})
	pages["store"] = placesview.StoreEdit(&placesview.StoreFormView{Page: p, ID: 2, Form: placesview.StoreForm{
		Code: "CUN-01", Name: "Cancún Centro", TimeZone: "America/Cancun", Version: 1,
	}})
	p = s.Page(models.Administrator, "/users", "19:52:03")
	users := []accounts.Person{
		{ID: 7, Name: "Ana Torres Luna", Email: "ana@demo.mx", Role: models.Manager, StoreIDs: []int64{1}, SignedInAt: &since},
		{ID: 8, Name: "Luis Pech", Email: "luis@demo.mx", Role: models.Supervisor, AllStores: true, DisabledAt: &ended},
		{ID: 9, Name: "Rosa Méndez", Email: "rosa@demo.mx", Role: models.Supervisor, AllStores: true, DisabledAt: &ended},
	}
	pages["users"] = settingsview.Users(&settingsview.UsersView{
		Page: p, List: accounts.PeoplePage{People: users, Count: 1000, Next: "next-page"}, Stores: s.Stores(),
		Proposals: []proposals.Proposal{*s.Proposal()},
	})
	s.addSSOPages(pages)
	pages["user-new"] = settingsview.UserEdit(&settingsview.UserFormView{
		Page: p, Stores: s.Stores(), Form: settingsview.UserForm{Role: models.Manager}, Second: true,
	})
	rosa := settingsview.UserView{Page: p, Stores: s.Stores(), Proposal: s.Proposal(), User: models.User{
		ID: 9, Name: "Rosa Méndez", Email: "rosa@demo.mx", Role: models.Supervisor, AllStores: true, Version: 1, DisabledAt: &ended,
	}}
	own := rosa
	own.Proposal, own.Errors = s.Proposal(), ui.Errors{"": "proposal.own"}
	own.Proposal.AskedBy, own.Proposal.AskedByName = p.Actor.UserID, p.Actor.Name
	pages["user-waits"], pages["user-waits-own"] = settingsview.User(&rosa), settingsview.User(&own)
	wrong := settingsview.UserForm{Role: models.Manager, Errors: ui.Errors{
		"name": "field.required", "email": "email.invalid", "role": "role.invalid", "accessUntil": "access.past", "stores": "store.required",
	}}
	pages["user-wrong"] = settingsview.UserEdit(&settingsview.UserFormView{Page: p, Stores: s.Stores(), Form: wrong})
	pages["user-auditor"] = settingsview.UserEdit(&settingsview.UserFormView{Page: p, ID: 9, Stores: s.Stores(), Form: settingsview.UserForm{
		Name: "Aurora Audita", Email: "aurora@demo.mx", Role: models.Auditor, AllStores: true, Until: "2026-12-31", Version: 1,
	}})
	luis := models.User{ID: 8, Name: "Luis Pech", Email: "luis@demo.mx", Role: models.Supervisor, StoreIDs: []int64{1, 2}, Version: 2}
	pages["user"] = settingsview.User(&settingsview.UserView{
		Page: p, Stores: s.Stores(), User: luis, SignedInAt: &since, Acts: s.Audit().List.Entries[:3],
		Names: words.NewAuditNames(s.Stores(), nil, p.Zone()), HasPassword: true,
		Link: s.Link(), LinkErrors: ui.Errors{"": "link.disabled"}, Factors: factors.State{Since: &ended, Left: 9}, Waiting: 2,
	})
	pages["user-edit"] = settingsview.UserEdit(&settingsview.UserFormView{Page: p, ID: 8, Stores: s.Stores(), Form: settingsview.UserForm{
		Name: luis.Name, Email: luis.Email, Role: luis.Role, StoreIDs: luis.StoreIDs, Version: 2,
	}})
	p.Path = "/users/8/link"
	pages["user-link"] = settingsview.UserLink(&settingsview.UserLinkView{
		Page: p, Link: s.Link(), Address: "veinte.example/password/QJ3W6T5R4E3W2Q1AZSXDCFVGBH",
		Waits: true,
	})
}

// Proposal is a supervisor who waits for a second administrator.
func (s Shop) Proposal() *proposals.Proposal {
	asked, id := s.Page(models.Administrator, "/", "18:30:00").Now, int64(9)
	r := models.Rights{Role: models.Supervisor, AllStores: true}
	without := r
	without.Disabled = true
	return &proposals.Proposal{
		ID: 4, UserID: &id, Name: "Rosa Méndez", Email: "rosa@demo.mx", Before: without, After: r,
		AskedBy: 99, AskedByName: "Diego Luna", AskedAt: asked, ExpiresAt: asked.Add(proposals.Life),
	}
}

// Link is one by which a person chooses their password.
func (s Shop) Link() *accounts.Link {
	made := s.Page(models.Administrator, "/", "19:30:00").Now
	return &accounts.Link{
		UserID: 8, Kind: accounts.Invitation, CreatedAt: made, ExpiresAt: made.Add(accounts.LinkLife), Name: "Luis Pech",
		Email: "luis@demo.mx", Mailed: true,
	}
}

func (s Shop) addHelpPages(pages map[string]templ.Component) {
	for _, name := range ui.Guides() {
		pages["help-"+name] = entranceview.Help(s.Help(name))
	}
}

func (s Shop) Help(name string) *entranceview.HelpView {
	return &entranceview.HelpView{Page: s.Page(models.Role(name), "/help/"+name, "19:20:03"), Name: name}
}
