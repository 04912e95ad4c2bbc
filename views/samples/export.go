package samples

import (
	"github.com/a-h/templ"

	"veinte/models"
	trailexport "veinte/models/audit/export"
	"veinte/models/audit/sealing"
	"veinte/models/sales"
	auditview "veinte/views/audit"
	"veinte/views/export"
	"veinte/views/ui"
)

func (s Shop) exports() *auditview.ExportsView {
	ended := s.At("19:50:30")
	file := func(id int64, f trailexport.Format, state trailexport.State) trailexport.Export {
		x := trailexport.Export{
			ID: id, Subject: trailexport.Trail, Format: f, State: state, ActorID: 7, ActorName: "Ana Torres Luna",
			Expected: 1200000, Entries: 431000, Bytes: 180 << 20,
			StartedAt: s.At("19:50:00"), SeenAt: s.At("19:50:09"),
		}
		if state != trailexport.Running {
			x.EndedAt = &ended
		}
		return x
	}
	stopping, stopped := file(8, trailexport.XLSX, trailexport.Running), file(7, trailexport.CSV, trailexport.Stopped)
	sold := file(3, trailexport.CSV, trailexport.Done)
	sold.Subject, sold.Query, sold.Entries, sold.Bytes = trailexport.Sales, "from=2026-11-01&to=2026-11-20", 4310, 1250<<10
	stopping.StopBy, stopped.StopBy, stopped.Query = "Eva Ruiz", "Eva Ruiz", "outcome=denied&store=1"
	return &auditview.ExportsView{
		Page: s.Page(models.Supervisor, "/audit/exports", "19:52:03"), Query: "outcome=denied&store=1",
		Filters: []ui.FilterFact{{Label: "Sucursal", Value: "Roma Norte", Code: "1"}, {Label: "Resultado", Value: "Negado", Code: "denied"}},
		Count:   trailexport.Count{Entries: 1234, Exact: true},
		List: trailexport.Page{Next: "older", Exports: []trailexport.Export{
			file(9, trailexport.CSV, trailexport.Running), stopping, stopped, file(6, trailexport.JSONL, trailexport.Abandoned),
			file(5, trailexport.XLSX, trailexport.Failed), file(4, trailexport.CSV, trailexport.Done),
			sold,
		}},
	}
}

// exportDetails are one export in each state that its page knows.
func (s Shop) exportDetails() map[string]*auditview.ExportView {
	const sum = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
	detail := func(of int, end bool) *auditview.ExportView {
		x := s.exports().List.Exports[of]
		p := s.Page(models.Supervisor, "/audit/exports/"+ui.Itoa(x.ID), "19:52:03")
		v := &auditview.ExportView{Page: p, Detail: trailexport.Detail{Export: x}}
		if end {
			v.Detail.End = &trailexport.Entry{AuditEntry: models.AuditEntry{ID: 981, Action: models.ActionAuditExported, At: p.Now}}
			v.Detail.End.Sealed = true
			v.Detail.Said = trailexport.Said{SHA256: sum, Bytes: x.Bytes, Root: "CQ"}
		}
		return v
	}
	same, other, wrong, altered := detail(5, true), detail(5, true), detail(5, true), detail(5, true)
	same.Typed, same.Compared, other.Typed, other.Compared = sum, sum, sum[1:]+"0", sum[1:]+"0"
	wrong.Typed, wrong.Errors, altered.Altered = "abc", ui.Errors{"sha256": "sha256.invalid"}, true
	older := detail(5, true)
	older.Detail.Said = trailexport.Said{}
	cut := detail(2, true)
	cut.Detail.Said = trailexport.Said{}
	return map[string]*auditview.ExportView{
		"export": detail(5, true), "export-same": same, "export-other": other, "export-wrong": wrong, "export-altered": altered,
		"export-running": detail(0, false), "export-cut": cut, "export-older": older, "export-no-entry": detail(5, false),
	}
}

func (s Shop) print() *auditview.AuditPrintView {
	p := s.Page(models.Supervisor, "/audit/print", "19:52:03")
	entries := s.Audit().List.Entries
	entries[0].StoreName, entries[0].ActorName = "\u202eetroN amoR", `=HYPERLINK("http://example.com")`
	return &auditview.AuditPrintView{
		Page: p, Query: "store=1",
		Head: &export.ExportHead{At: p.Now, Zone: p.Zone(), By: p.Actor, Filters: []ui.FilterFact{{
			Label: "Sucursal", Value: "Roma Norte", Code: "1",
		}}},
		List: &trailexport.Print{
			Entries: entries, Done: 1000, Count: trailexport.Count{Entries: 2345, Exact: true}, Next: "next",
			Checkpoint: &sealing.Checkpoint{Size: 2340, SealedAt: p.Now, Note: "tienda.example/bitacora\n2340\n"}, Unsealed: 2,
		},
	}
}

func (s Shop) salesExport() *auditview.SalesExportView {
	v := &auditview.SalesExportView{
		ExportsView: *s.exports(), Filter: sales.ExportFilter{From: "2026-11-01", To: "2026-11-20"}, Stores: s.AllStores("19:52:03").Stores,
	}
	v.Page, v.Of, v.Query = s.Page(models.Supervisor, "/sales/export", "19:52:03"), trailexport.Sales, "from=2026-11-01&to=2026-11-20"
	v.Filters = []ui.FilterFact{{Label: "Desde", Value: "2026-11-01"}, {Label: "Hasta", Value: "2026-11-20"}}
	return v
}

func (s Shop) addExportPages(pages map[string]templ.Component) {
	pages["exports"] = auditview.Exports(s.exports())
	for name, v := range s.exportDetails() {
		pages[name] = auditview.ExportDetail(v)
	}
	pages["part-exports"] = auditview.ExportsList(s.exports())
	none := s.exports()
	none.List, none.Filters, none.Query, none.Count = trailexport.Page{}, nil, "", trailexport.Count{Entries: 10000000}
	pages["exports-none"] = auditview.Exports(none)
	wrong := s.exports()
	wrong.Errors = ui.Errors{"to": "auditFilter.toBeforeFrom"}
	pages["exports-wrong"] = auditview.Exports(wrong)
	pages["sales-export"] = auditview.SalesExport(s.salesExport())
	pages["audit-print"] = auditview.AuditPrint(s.print())
	empty := s.print()
	empty.List = &trailexport.Print{Count: trailexport.Count{Exact: true}}
	pages["audit-print-none"] = auditview.AuditPrint(empty)
}
