package samples

import (
	"github.com/a-h/templ"

	"veinte/models"
	"veinte/models/imports"
	"veinte/models/intake"
	exchangeview "veinte/views/exchange"
	"veinte/views/ui"
)

func (s Shop) imported(state imports.State) *exchangeview.ImportView {
	v := &exchangeview.ImportView{Page: s.Page(models.Administrator, "/imports/7", "12:10:00")}
	v.Detail.Import = imports.Import{
		ID: 7, Kind: imports.OfSales, State: state, Version: 2, FileName: "ventas de noviembre.xlsx", FileSize: 7_340_032,
		Notes:    []byte(`[{"Code":"table.note.unknownColumns","Detail":"Cajero, Turno"},{"Code":"table.note.sheet","Detail":"Ventas"}]`),
		RowCount: 102_341, DoneCount: 43_000, NewCount: 101_200, KnownCount: 1_130, ConflictCount: 3, RefusedCount: 8, WarnedCount: 1,
		UploadedBy: "Ada Ruiz", CreatedAt: s.At("12:08:11"), ChangedAt: s.At("12:09:00"),
	}
	if state != imports.Checked {
		return v
	}
	row := func(line int, order, amount string) imports.Row {
		return imports.Row{Line: line, Values: []string{
			"1234567890", "7401922", order, amount, "MXN", "2026-11-20T11:58:03-06:00", "4242", "VISA", "204913", "", "T-" + order[6:12],
		}}
	}
	v.Detail.First = []imports.Row{
		row(2, "261120115803-1234567890", "1250.00"), row(3, "261120115941-1234567890", "85.50"), row(4, "261120120102-1234567890", "1,250"),
	}
	v.Detail.First[2].Problems = []imports.Problem{{Column: "amount", Code: "table.twoAmounts", Detail: "1,250"}}
	conflict, warned := row(9, "261120120700-1234567890", "90.00"), row(12, "261120080000-1234567890", "90.00")
	v.Detail.First[2].Status, conflict.Status, warned.Status = intake.Refused, intake.Conflict, intake.Created
	conflict.Problems = []imports.Problem{{Column: "amount", Code: "sale.differs", Detail: "90.00"}, {
		Column: "last4", Code: "sale.differs", Detail: "4242",
	}}
	warned.Warnings = []string{"sale.orderTimeDiffers"}
	v.Detail.Remarks = []imports.Row{
		v.Detail.First[2],
		{Line: 7, Status: intake.Refused, Problems: []imports.Problem{{Code: "table.tooFewFields", N: 4, Max: 11}}},
		conflict, warned,
	}
	warned.Notes = []imports.Problem{{Column: "amount", Code: "row.formula", Detail: "=D12*1.16"}}
	v.Detail.Remarks[3] = warned
	v.Detail.First[1].Zone, v.Detail.First[1].Values[5] = "America/Tijuana", "2026-11-20T09:59:41-08:00"
	v.Detail.LeftOutCount = 34
	v.Detail.LeftOut = []imports.Row{
		{Line: 15, Status: imports.LeftOut, Problems: []imports.Problem{{Column: "status", Code: "status.declined", Detail: "Declinada"}}},
		{Line: 21, Status: imports.LeftOut, Problems: []imports.Problem{{Code: "status.canceledElsewhere"}}},
	}
	v.Detail.Statuses = []byte(`[{"column":"status","word":"Aprobada","rows":102300,"meaning":"sale"},
		{"column":"status","word":"Declinada","rows":34,"meaning":"declined"},{"column":"status","word":"En proceso","rows":7,"meaning":""}]`)
	v.Detail.Same = &imports.Import{ID: 5, UploadedBy: "Ada Ruiz", CreatedAt: s.At("09:00:00")}
	return v
}

func (s Shop) addImportPages(pages map[string]templ.Component) {
	admin := s.Page(models.Administrator, "/imports", "12:10:00")
	var list []imports.Import
	for _, state := range []imports.State{
		imports.Checking, imports.Checked, imports.Importing, imports.Imported, imports.Discarded, imports.Undone,
	} {
		v := s.imported(state)
		pages["import-"+string(state)] = exchangeview.Import(v)
		list = append(list, v.Detail.Import)
	}
	kinds := []imports.Kind{imports.OfSales}
	pages["imports"] = exchangeview.Imports(&exchangeview.ImportsView{Page: admin, Imports: list, More: true, Kinds: kinds})
	pages["imports-none"] = exchangeview.Imports(&exchangeview.ImportsView{Page: admin, Kinds: kinds})
	pages["import-new"] = exchangeview.ImportNew(&exchangeview.ImportNewView{Page: admin, Kind: imports.OfSales})
	pages["import-new-terminals"] = exchangeview.ImportNew(&exchangeview.ImportNewView{Page: admin, Kind: imports.OfTerminals})
	pages["import-new-wrong"] = exchangeview.ImportNew(&exchangeview.ImportNewView{
		Page: admin, Kind: imports.OfSales,
		Problem: &imports.FileError{Code: "table.missingColumns", Detail: "orderId, amount", Line: 3, Head: "Serie, Fecha, Precio"},
	})
	used := s.imported(imports.Imported)
	used.Errors = ui.Errors{"": "import.inUse"}
	pages["import-inuse"] = exchangeview.Import(used)
	held := s.imported(imports.Checked)
	held.Detail.HeldBack = true
	pages["import-heldback"] = exchangeview.Import(held)
	pages["part-import"] = exchangeview.ImportBody(s.imported(imports.Checking))
}
