package views

import (
	"github.com/a-h/templ"

	"veinte/models"
)

// officePages are the pages beside the main job's in their states, by name.
func officePages() map[string]templ.Component {
	pages := map[string]templ.Component{"audit": Audit(sampleAudit()), "results": Results(sampleResults())}
	for _, add := range []func(map[string]templ.Component){
		addEntryPages, addSeveralPages, addAuditPages, addExportPages, addVerificationPages, addOversightPages, addClosingPages,
		addReviewPages, addReconciliationPages, addImportPages, addForwardingPages,
		addAdministrationPages, addRulesPages, addConnectionPages, addKeyPages, addHelpPages,
	} {
		add(pages)
	}
	return pages
}

func addEntryPages(pages map[string]templ.Component) {
	entry := &SaleNewView{Page: samplePage(models.Manager, "/sales/new", "19:52:03"), Terminals: []models.EntryTerminal{
		{ID: 1, SerialNumber: "1490000001", Label: "Caja 1", Store: sampleStores()[0]},
		{ID: 2, SerialNumber: "1490000002", Label: "Caja 2", Store: sampleStores()[1]},
	}}
	pages["sale-new"] = SaleNew(entry)
	odd := *entry
	odd.Form = SaleEntryForm{SaleEntry: models.SaleEntry{
		TerminalID: 1, SaleInput: models.SaleInput{OrderID: "261120113000-1490000009", Amount: "1,250.00"}, Date: "2026-11-20", Time: "11:30",
	}}
	odd.Form.Warnings, odd.Form.Similar = []string{"sale.orderSerialDiffers", "sale.similar", "sale.notToday", "sale.muchMore"}, 7
	pages["sale-new-odd"] = SaleNew(&odd)
	wrong := odd
	wrong.Form.Warnings, wrong.Form.Errors = nil, Errors{
		"terminal": "terminal.choose", "orderId": "field.required", "amount": "amount.invalid", "date": "date.invalid", "time": "time.invalid",
		"last4": "last4.invalid", "cardBrand": "field.tooLong", "authCode": "field.tooLong", "folio": "field.tooLong",
	}
	pages["sale-new-wrong"] = SaleNew(&wrong)
	pages["sale-new-nowhere"] = SaleNew(&SaleNewView{Page: entry.Page})
}

func addAdministrationPages(pages map[string]templ.Component) {
	first := sampleAudit()
	first.Page, first.First = samplePage(models.Auditor, "/audit", "19:52:03"), &FirstSteps{}
	pages["audit-first"] = Audit(first)
	p := samplePage(models.Administrator, "/terminals", "19:52:03")
	since, ended := sampleAt("09:00:00"), sampleAt("12:00:00")
	place := models.TerminalPlace{Terminal: sampleTerminals()[1], StoreID: 1, StoreName: "Roma Norte", MerchantID: "7401922", Since: &since}
	loose := models.TerminalPlace{Terminal: sampleTerminals()[3]}
	loose.RetiredAt = &ended
	addTerminalPages(pages, p, place, loose)
	p.Path = "/stores"
	pages["stores"] = Stores(&StoresView{Page: p, List: models.StorePage{Stores: []models.StoreLine{{Store: sampleStores()[0], Terminals: 4}, {Store: sampleStores()[1]}}, Count: 120, Next: "CUN-01"}})
	pages["store-wrong"] = StoreEdit(&StoreFormView{Page: p, Form: StoreForm{Errors: Errors{"code": "storeCode.invalid", "name": "field.required", "timeZone": "timeZone.invalid"}}})
	pages["store"] = StoreEdit(&StoreFormView{Page: p, ID: 2, Form: StoreForm{Code: "CUN-01", Name: "Cancún Centro", TimeZone: "America/Cancun", Version: 1}})
	p.Path = "/users"
	users := []models.User{
		{ID: 7, Name: "Ana Torres Luna", Email: "ana@demo.mx", Role: models.Manager, StoreIDs: []int64{1}},
		{ID: 8, Name: "Luis Pech", Email: "luis@demo.mx", Role: models.Supervisor, AllStores: true, DisabledAt: &ended},
	}
	pages["users"] = Users(&UsersView{Page: p, Users: users, Stores: sampleStores()})
	pages["user-new"] = UserEdit(&UserFormView{Page: p, Stores: sampleStores(), Form: UserForm{Role: models.Manager}})
	pages["user-wrong"] = UserEdit(&UserFormView{Page: p, Stores: sampleStores(), Form: UserForm{Role: models.Manager, Errors: Errors{
		"name": "field.required", "email": "email.invalid", "role": "role.invalid", "accessUntil": "access.past", "stores": "store.required", "password": "field.tooLong",
	}}})
	pages["user-auditor"] = UserEdit(&UserFormView{Page: p, ID: 9, Stores: sampleStores(), Form: UserForm{
		Name: "Aurora Audita", Email: "aurora@demo.mx", Role: models.Auditor, AllStores: true, Until: "2026-12-31", Version: 1,
	}})
	pages["user"] = UserEdit(&UserFormView{Page: p, ID: 8, Stores: sampleStores(), Form: UserForm{Name: "Luis Pech", Email: "luis@demo.mx", Role: models.Supervisor, AllStores: true, Version: 2}})
}
