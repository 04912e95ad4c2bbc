package samples

import (
	"slices"

	"github.com/a-h/templ"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/audit/sealing"
	"veinte/models/audit/verify"
	"veinte/models/savedviews"
	auditview "veinte/views/audit"
	"veinte/views/ui"
)

func (s Shop) seals() auditview.Seals {
	return auditview.Seals{
		Checkpoint: &sealing.Checkpoint{Size: 1234567, Root: [32]byte{60, 6, 249, 166, 87, 37, 175, 100, 74, 18}, SealedAt: s.At("19:52:01")},
		Standings: map[int64]verify.Standing{
			1: {Sealed: true}, 2: {Sealed: true}, 3: {Sealed: true}, 4: {Sealed: true}, 5: {Sealed: true}, 6: {Sealed: true}, 7: {Sealed: true},
		},
	}
}

func (s Shop) addAuditPages(pages map[string]templ.Component) {
	amount := models.Money(100000)
	filtered := s.Audit()
	filtered.Filter = audit.Filter{
		StoreID: 1, ActorID: 7, Action: models.ActionCancellationMoved, Outcome: models.OutcomeSuccess, Min: &amount, From: "2026-11-01",
		To: "2026-11-20", Query: "tarjeta", Cursor: "x",
	}
	filtered.List.Newer = "-newer"
	pages["audit-filtered"] = auditview.Audit(filtered)
	far := s.Audit()
	far.Filter.Query, far.List.Next, far.List.SearchedTo = "zanahoria", "further", s.At("04:00:00").AddDate(0, -8, 0)
	far.List.Entries = far.List.Entries[:1]
	pages["audit-looked"] = auditview.Audit(far)
	nothing := s.Audit()
	nothing.Filter.Query, nothing.List = "zanahoria", audit.Page{}
	pages["audit-none"] = auditview.Audit(nothing)
	wrong := s.Audit()
	wrong.Typed = map[string]string{
		"min": "mil", "max": "20", "address": "300.1.1.1", "from": "2026-11-20", "to": "2026-11-01", "q": "x", "action": "nada",
	}
	wrong.List, wrong.Errors = audit.Page{}, ui.Errors{
		"min": "auditFilter.amount", "address": "auditFilter.address", "to": "auditFilter.toBeforeFrom", "action": "filter.invalid",
	}
	pages["audit-wrong"] = auditview.Audit(wrong)
	sale := s.Audit()
	sale.Filter.SaleID, sale.List.Next = 100, ""
	sale.List.Entries = sale.List.Entries[:3]
	pages["audit-sale"] = auditview.Audit(sale)
	unsealed := s.Audit()
	unsealed.Seals = auditview.Seals{}
	pages["audit-unsealed"] = auditview.Audit(unsealed)
	requests := s.Audit()
	requests.Filter.Action, requests.List.Next = models.ActionCancellationRequested, ""
	requests.Steps = map[int64][]models.AuditEntry{5: slices.Clone(requests.List.Entries[:3])}
	requests.List.Entries = slices.DeleteFunc(requests.List.Entries, func(e models.AuditEntry) bool {
		return e.Action != requests.Filter.Action
	})
	requests.Came = map[int64]audit.CurrentState{5: {State: models.Unknown, Since: s.At("19:43:30")}}
	pages["audit-requests"] = auditview.Audit(requests)
	altered := s.Audit()
	altered.Standings[4] = verify.Standing{Sealed: true, Columns: "amount"}
	pages["audit-altered"] = auditview.Audit(altered)
	found := s.Audit()
	found.Verdict = &s.verification().List[1]
	pages["audit-found-altered"] = auditview.Audit(found)
	for state, story := range s.entries() {
		v := &auditview.EntryView{
			Page: s.Page(models.Supervisor, "/audit/4", "19:52:03"), Detail: story, Stores: s.Stores(), People: filtered.People,
			Address: "tienda.example/audit/4", Seals: s.seals(), Terminals: filtered.Terminals,
		}
		if state == "never" {
			v.Seals = auditview.Seals{}
		}
		pages["audit-entry-"+state] = auditview.EntryDetail(v)
	}
	s.addViewPages(pages)
}

// entries are pages of an entry by what is known of its proof.
func (s Shop) entries() map[string]verify.EntryDetail {
	proof := func() *sealing.Proof {
		p := &sealing.Proof{N: 1233900, Checkpoint: s.seals().Checkpoint}
		for range 21 {
			p.Proof = append(p.Proof, p.Hash)
		}
		return p
	}
	story := s.Audit()
	of := verify.EntryDetail{Entry: story.List.Entries[1], Same: story.OldestFirst()[3:], Proof: proof(), Intact: true}
	of.Proof.Leaf = another(of.Proof.Leaf)
	of.Proof.Leaf.ID = of.Entry.ID
	is := of.Entry
	amount, changed := models.Money(100), []byte(`{"state": "rejected"}`)
	is.Amount, is.ActorName, is.After = &amount, "Nadie", changed
	altered := of
	altered.Altered, altered.Entry, altered.Was, altered.Is = "actor_name, amount, after", is, &of.Entry, &is
	restored := of
	restored.Intact, restored.Was, restored.Is = false, &of.Entry, &is
	return map[string]verify.EntryDetail{
		"restored": restored,
		"moved":    {Entry: s.change(), Proof: proof()},
		"sale":     of,
		"broken":   {Entry: of.Entry, Same: of.Same, Proof: of.Proof},
		"altered":  altered,
		"notYet":   {Entry: story.List.Entries[len(story.List.Entries)-1]},
		"never":    {Entry: s.change()},
	}
}

func (s Shop) addViewPages(pages map[string]templ.Component) {
	p := s.Page(models.Supervisor, "/audit/views", "19:52:03")
	names := s.Audit()
	views := []savedviews.View{
		{
			ID: 1, OwnerID: 7, OwnerName: "Ana Torres Luna", Name: "Rechazadas de Roma", Filter: "store=1&outcome=denied&from=2026-11-01",
			Version: 1,
		},
		{
			ID: 2, OwnerID: 7, OwnerName: "Ana Torres Luna", Name: "Montos grandes", Filter: "min=5000.00&action=cancellation.requested",
			Shared: true, Version: 3,
		},
		{
			ID: 3, OwnerID: 8, OwnerName: "Luis Pech", Name: "Entradas fallidas", Filter: "action=session.started&outcome=failure", Shared: true,
			Version: 1,
		},
	}
	frame := auditview.SavedViewsFrame{Page: p, List: models.ViewsOfAudit, Base: "/audit", InWords: names.InWords, Seals: s.seals()}
	pages["audit-views"] = auditview.SavedViews(&auditview.SavedViewsView{SavedViewsFrame: frame, Views: views})
	pages["audit-views-none"] = auditview.SavedViews(&auditview.SavedViewsView{SavedViewsFrame: frame})
	frame.Page = s.Page(models.Supervisor, "/audit/views/new", "19:52:03")
	pages["audit-view-new"] = auditview.SavedViewEdit(&auditview.SavedViewForm{SavedViewsFrame: frame, Query: "store=1&outcome=denied"})
	pages["audit-view-wrong"] = auditview.SavedViewEdit(&auditview.SavedViewForm{
		SavedViewsFrame: frame, ID: 1, Version: 1, Name: "Montos grandes", Shared: true, Query: "store=1",
		Errors: ui.Errors{"name": "auditView.taken"},
	})
	s.addSaleViewPages(pages)
}

// change has every kind of difference: nested, lists, what came and went.
func (s Shop) change() models.AuditEntry {
	store := int64(1)
	return models.AuditEntry{
		ID: 4, At: s.At("18:01:00"), ActorName: "Eva Ruiz", ActorRole: models.Administrator, Action: models.ActionUserChanged,
		Outcome: models.OutcomeSuccess,
		StoreID: &store, StoreName: "Roma Norte", Address: "189.203.10.9", UserAgent: "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36",
		RequestID: "4f2a9c81d0",
		Before: []byte(`{"name":"Luis Pech","role":"manager","stores":[1],"allStores":false,` +
			`"mapping":{"headerRow":1,"columns":{"orderId":"Orden","amount":"Importe"}}}`),
		After: []byte(`{"name":"Luis Pech Canul","role":"supervisor","stores":[2],"allStores":false,"email":"luis@demo.mx",` +
			`"mapping":{"headerRow":2,"columns":{"orderId":"Orden","amount":"Monto","folio":"Folio"}}}`),
	}
}

// SavedViews are filters of sales that Ana keeps, and one that is shared with her.
func (s Shop) SavedViews() []savedviews.View {
	return []savedviews.View{
		{
			ID: 4, List: models.ViewsOfSales, OwnerID: 7, OwnerName: "Ana Torres Luna", Name: "Caja 2 por verificar",
			Filter: "state=unknown&terminal=2", Version: 1,
		},
		{
			ID: 5, List: models.ViewsOfSales, OwnerID: 7, OwnerName: "Ana Torres Luna", Name: "El día del inventario", Filter: "date=2026-11-16",
			Version: 1,
		},
		{
			ID: 6, List: models.ViewsOfSales, OwnerID: 8, OwnerName: "Luis Pech", Name: "Canceladas", Filter: "state=confirmed", Shared: true,
			Version: 2,
		},
	}
}

func (s Shop) addSaleViewPages(pages map[string]templ.Component) {
	sales := s.Sales("19:52:03")
	sales.Page = s.Page(models.Supervisor, "/sales/views", "19:52:03")
	frame := auditview.SavedViewsFrame{Page: sales.Page, List: models.ViewsOfSales, Base: "/sales", InWords: sales.InWords}
	pages["sale-views"] = auditview.SavedViews(&auditview.SavedViewsView{SavedViewsFrame: frame, Views: s.SavedViews()})
	pages["sale-views-none"] = auditview.SavedViews(&auditview.SavedViewsView{SavedViewsFrame: frame})
	frame.Page = s.Page(models.Supervisor, "/sales/views/new", "19:52:03")
	pages["sale-view-new"] = auditview.SavedViewEdit(&auditview.SavedViewForm{
		SavedViewsFrame: frame, Query: "date=2026-11-16&terminal=2", Day: "2026-11-16",
	})
	pages["sale-view-wrong"] = auditview.SavedViewEdit(&auditview.SavedViewForm{
		SavedViewsFrame: frame, Query: "terminal=2", Errors: ui.Errors{"name": "auditView.taken"},
	})
	pages["shortcuts"] = ui.Shortcuts(s.Page(models.Manager, "/shortcuts", "19:52:03"))
}

// another is an empty one of a type whose package the views need not know.
func another[T any](*T) *T { return new(T) }
