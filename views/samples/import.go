package samples

import (
	"github.com/a-h/templ"

	"veinte/models"
	exchangeview "veinte/views/exchange"
	"veinte/views/ui"
)

func sampleImport(state models.ImportState) *exchangeview.ImportView {
	v := &exchangeview.ImportView{Page: samplePage(models.Administrator, "/imports/7", "12:10:00")}
	v.Story.Import = models.Import{
		ID: 7, Kind: models.ImportOfSales, State: state, Version: 2, FileName: "ventas de noviembre.xlsx", FileSize: 7_340_032,
		Notes:    []byte(`[{"Code":"table.note.unknownColumns","Detail":"Cajero, Turno"},{"Code":"table.note.sheet","Detail":"Ventas"}]`),
		RowCount: 102_341, DoneCount: 43_000, NewCount: 101_200, KnownCount: 1_130, ConflictCount: 3, RefusedCount: 8, WarnedCount: 1,
		GivenBy: "Ada Ruiz", CreatedAt: sampleAt("12:08:11"), ChangedAt: sampleAt("12:09:00"),
	}
	if state != models.ImportChecked {
		return v
	}
	row := func(line int, order, amount string) models.ImportRow {
		return models.ImportRow{Line: line, Values: []string{"1234567890", "7401922", order, amount, "MXN", "2026-11-20T11:58:03-06:00", "4242", "VISA", "204913", "", "T-" + order[6:12]}}
	}
	v.Story.First = []models.ImportRow{row(2, "261120115803-1234567890", "1250.00"), row(3, "261120115941-1234567890", "85.50"), row(4, "261120120102-1234567890", "1,250")}
	v.Story.First[2].Problems = []models.ImportProblem{{Column: "amount", Code: "table.twoAmounts", Detail: "1,250"}}
	conflict, warned := row(9, "261120120700-1234567890", "90.00"), row(12, "261120080000-1234567890", "90.00")
	v.Story.First[2].Status, conflict.Status, warned.Status = models.SaleRefused, models.SaleConflict, models.SaleCreated
	conflict.Problems = []models.ImportProblem{{Column: "amount", Code: "sale.differs", Detail: "90.00"}, {Column: "last4", Code: "sale.differs", Detail: "4242"}}
	warned.Warnings = []string{"sale.orderTimeDiffers"}
	v.Story.Remarks = []models.ImportRow{v.Story.First[2], {Line: 7, Status: models.SaleRefused, Problems: []models.ImportProblem{{Code: "table.tooFewFields", N: 4, Most: 11}}}, conflict, warned}
	v.Story.Same = &models.Import{ID: 5, GivenBy: "Ada Ruiz", CreatedAt: sampleAt("09:00:00")}
	return v
}

func addImportPages(pages map[string]templ.Component) {
	admin := samplePage(models.Administrator, "/imports", "12:10:00")
	var list []models.Import
	for _, state := range []models.ImportState{models.ImportChecking, models.ImportChecked, models.ImportImporting, models.ImportImported, models.ImportDiscarded, models.ImportUndone} {
		v := sampleImport(state)
		pages["import-"+string(state)] = exchangeview.Import(v)
		list = append(list, v.Story.Import)
	}
	kinds := []models.ImportKind{models.ImportOfSales}
	pages["imports"] = exchangeview.Imports(&exchangeview.ImportsView{Page: admin, Imports: list, More: true, Kinds: kinds})
	pages["imports-none"] = exchangeview.Imports(&exchangeview.ImportsView{Page: admin, Kinds: kinds})
	pages["import-new"] = exchangeview.ImportNew(&exchangeview.ImportNewView{Page: admin, Kind: models.ImportOfSales})
	pages["import-new-terminals"] = exchangeview.ImportNew(&exchangeview.ImportNewView{Page: admin, Kind: models.ImportOfTerminals})
	pages["import-new-wrong"] = exchangeview.ImportNew(&exchangeview.ImportNewView{Page: admin, Kind: models.ImportOfSales, Problem: &models.FileError{Code: "table.missingColumns", Detail: "orderId, amount"}})
	used := sampleImport(models.ImportImported)
	used.Errors = ui.Errors{"": "import.inUse"}
	pages["import-inuse"] = exchangeview.Import(used)
	held := sampleImport(models.ImportChecked)
	held.Story.HeldBack = true
	pages["import-heldback"] = exchangeview.Import(held)
	pages["part-import"] = exchangeview.ImportBody(sampleImport(models.ImportChecking))
}
