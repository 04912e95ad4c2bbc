package samples

import (
	"github.com/a-h/templ"

	"veinte/models"
	auditview "veinte/views/audit"
	"veinte/views/export"
	"veinte/views/ui"
)

func sampleExports() *auditview.ExportsView {
	ended := sampleAt("19:50:30")
	export := func(id int64, f models.ExportFormat, s models.ExportState) models.Export {
		x := models.Export{
			ID: id, Format: f, State: s, ActorID: 7, ActorName: "Ana Torres Luna", Expected: 1200000, Entries: 431000, Bytes: 180 << 20,
			StartedAt: sampleAt("19:50:00"), SeenAt: sampleAt("19:50:09"),
		}
		if s != models.ExportRunning {
			x.EndedAt = &ended
		}
		return x
	}
	stopping, stopped := export(8, models.ExportXLSX, models.ExportRunning), export(7, models.ExportCSV, models.ExportStopped)
	stopping.StopBy, stopped.StopBy, stopped.Query = "Eva Ruiz", "Eva Ruiz", "outcome=denied&store=1"
	return &auditview.ExportsView{
		Page: samplePage(models.Supervisor, "/audit/exports", "19:52:03"), Query: "outcome=denied&store=1",
		Filters: []ui.FilterFact{{Label: "Sucursal", Value: "Roma Norte", Code: "1"}, {Label: "Resultado", Value: "Negado", Code: "denied"}}, Count: models.AuditCount{Entries: 1234, Exact: true},
		List: models.ExportPage{Next: "older", Exports: []models.Export{
			export(9, models.ExportCSV, models.ExportRunning), stopping, stopped, export(6, models.ExportJSONL, models.ExportAbandoned),
			export(5, models.ExportXLSX, models.ExportFailed), export(4, models.ExportCSV, models.ExportDone),
		}},
	}
}

func samplePrint() *auditview.AuditPrintView {
	p := samplePage(models.Supervisor, "/audit/print", "19:52:03")
	entries := SampleAudit().List.Entries
	entries[0].StoreName, entries[0].ActorName = "\u202eetroN amoR", `=HYPERLINK("http://example.com")`
	return &auditview.AuditPrintView{
		Page: p, Query: "store=1",
		Head: &export.ExportHead{At: p.Now, Zone: p.Zone(), By: p.Actor, Filters: []ui.FilterFact{{Label: "Sucursal", Value: "Roma Norte", Code: "1"}}},
		List: &models.AuditPrint{
			Entries: entries, Done: 1000, Count: models.AuditCount{Entries: 2345, Exact: true}, Next: "next",
			Checkpoint: &models.Checkpoint{Size: 2340, SealedAt: p.Now, Note: "tienda.example/bitacora\n2340\n"}, Unsealed: 2,
		},
	}
}

func addExportPages(pages map[string]templ.Component) {
	pages["exports"] = auditview.Exports(sampleExports())
	pages["part-exports"] = auditview.ExportsList(sampleExports())
	none := sampleExports()
	none.List, none.Filters, none.Query, none.Count = models.ExportPage{}, nil, "", models.AuditCount{Entries: 10000000}
	pages["exports-none"] = auditview.Exports(none)
	wrong := sampleExports()
	wrong.Errors = ui.Errors{"to": "auditFilter.toBeforeFrom"}
	pages["exports-wrong"] = auditview.Exports(wrong)
	pages["audit-print"] = auditview.AuditPrint(samplePrint())
	empty := samplePrint()
	empty.List = &models.AuditPrint{Count: models.AuditCount{Exact: true}}
	pages["audit-print-none"] = auditview.AuditPrint(empty)
}
