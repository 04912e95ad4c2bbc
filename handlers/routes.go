package handlers

import (
	"github.com/gofiber/fiber/v2"

	"veinte/models"
	"veinte/models/audit/export"
)

// route is one line of the route table.
type route struct {
	method string
	path   string
	can    models.Permission
	answer fiber.Handler
}

// Three needs that are no permission.
const (
	machine  models.Permission = "machine"  // terminals, probes, files: no session is even looked for
	anyone   models.Permission = "anyone"   // also without a session
	signedIn models.Permission = "signedIn" // any person
)

// routes is the one place that says who may ask for what. Whether a sale, a
// case or a store is within a person's scope is decided by the query itself. What
// programs may ask for is said in handlers/api, in the same way.
func (h *Handlers) routes() []route {
	table := []route{
		{"GET", "/livez", machine, h.live},
		{"GET", "/readyz", machine, h.ready},
		{"GET", "/static/*", machine, h.static},
		{"GET", "/favicon.ico", machine, h.favicon},
		{"POST", "/results/:secret", machine, h.takeResult},

		{"GET", "/login", anyone, h.showLogin},
		{"POST", "/login", anyone, h.login},
		{"POST", "/logout", signedIn, h.logout},
		{"POST", "/language", anyone, h.chooseLanguage},
		{"GET", "/", signedIn, h.home},
		{"GET", "/events", signedIn, h.events},
		{"GET", "/shortcuts", signedIn, h.showShortcuts},
		{"GET", "/gallery", anyone, h.showGallery}, // of the demo
		{"GET", "/help", signedIn, h.ownGuide},
		{"GET", "/help/:guide", signedIn, h.showGuide},
		{"POST", "/help/first/dismissal", signedIn, h.dismissFirstSteps},
		{"POST", "/help/first/restoration", signedIn, h.restoreFirstSteps},

		{"GET", "/sales", models.ViewSales, h.listSales},
		{"GET", "/sales/day", models.ViewSales, h.showDay},
		{"GET", "/sales/new", models.AddManualSales, h.newSale},
		{"GET", "/sales/pending", models.ViewSales, h.listPending},
		{"POST", "/sales", models.AddManualSales, h.enterSale},
		{"GET", severalPath + "/new", models.CancelInBulk, h.confirmSeveral},
		{"POST", severalPath, models.CancelInBulk, h.cancelSeveral},
		{"GET", severalPath + "/:click", models.CancelInBulk, h.showSeveral},
		{"GET", "/sales/:id", models.ViewSales, h.showSale},
		{"GET", "/sales/:id/slip", models.ViewSales, h.showSlip},
		{"GET", "/sales/:id/cancellation/new", models.CancelSales, h.confirmCancellation},
		{"POST", "/sales/:id/cancellation", models.CancelSales, h.cancelSale},
		{"GET", "/cancellations/:id", models.ViewSales, h.showCase},
		{"POST", "/cancellations/:id/withdrawal", models.CancelSales, h.withdraw},
		{"POST", "/cancellations/:id/inquiry", models.VerifyCancellations, h.inquire},
		{"POST", "/cancellations/:id/resolution", models.ResolveCancellations, h.settle},

		{"GET", "/review", models.ReviewCancellations, h.listReview},
		{"POST", "/review/conflicts/:id", models.ReviewCancellations, h.markConflict},
		{"POST", "/review/results/:id", models.ReviewCancellations, h.markResult},

		{"GET", "/oversight", models.Oversee, h.showOversight},
		{"GET", "/oversight.csv", models.Oversee, h.exportOversight},
		{"GET", "/oversight/days", models.Oversee, h.showPeriod},
		{"GET", "/oversight/patterns", models.Oversee, h.listPatterns},
		{"GET", "/oversight/patterns.csv", models.Oversee, h.exportPatterns},
		{"GET", "/oversight/finding", models.Oversee, h.showFinding},
		{"POST", "/oversight/marks", models.ReviewCancellations, h.markFinding},

		{"GET", "/audit", models.ReadAudit, h.listAudit},
		{"GET", "/closings", models.Oversee, h.listClosings},
		{"GET", "/closings/:day", models.Oversee, h.showClosing},
		{"GET", "/closings/:day/report.csv", models.Oversee, h.exportClosing},
		{"GET", "/closings/:day/report.json", models.Oversee, h.exportClosingJSON},
		{"GET", "/alerts", models.Oversee, h.listAlerts},
		{"POST", "/alerts/:id/attention", models.ReviewCancellations, h.attendAlert},
		{"GET", "/audit.csv", models.ReadAudit, h.exportAudit(export.CSV)},
		{"GET", "/audit.jsonl", models.ReadAudit, h.exportAudit(export.JSONL)},
		{"GET", "/audit.xlsx", models.ReadAudit, h.exportAudit(export.XLSX)},
		{"GET", "/audit/print", models.ReadAudit, h.printAudit},
		{"GET", "/audit/exports", models.ReadAudit, h.showExports},
		{"POST", "/audit/exports/:id/stop", models.ReadAudit, h.stopExport},
		{"GET", "/audit/verification", models.ReadAudit, h.showVerification},
		{"POST", "/audit/verification", models.ReadAudit, h.startVerification},
		{"GET", "/audit/checkpoints/latest", models.ReadAudit, h.latestCheckpoint},
		{"GET", "/audit/:id", models.ReadAudit, h.showEntry},
		{"GET", "/audit/:id/proof", models.ReadAudit, h.proveEntry},
		{"GET", "/results", models.ViewResults, h.listResults},

		{"GET", "/imports", models.ImportSales, h.listImports},
		{"GET", "/imports/new", models.ImportSales, h.newImport},
		{"POST", uploadPath, models.ImportSales, h.giveImport},
		{"GET", "/imports/:id", models.ImportSales, h.showImport},
		{"GET", "/imports/:id/wrong.csv", models.ImportSales, h.exportWrongRows},
		{"POST", "/imports/:id/confirmation", models.ImportSales, h.confirmImport},
		{"POST", "/imports/:id/discarding", models.ImportSales, h.discardImport},
		{"POST", "/imports/:id/undoing", models.ImportSales, h.undoImport},

		{"GET", "/reconciliations", models.ReconcileSales, h.listReconciliations},
		{"GET", "/reconciliations/new", models.ReconcileSales, h.newReconciliation},
		{"POST", reportPath, models.ReconcileSales, h.reconcile},
		{"GET", "/reconciliations/:id", models.ReconcileSales, h.showReconciliation},
		{"POST", "/reconciliations/:id/settlement", models.ResolveCancellations, h.settleByReport},
		{"GET", "/reconciliations/:id/differences.csv", models.ReconcileSales, h.exportDifferences},
		{"POST", "/differences/:id/review", models.ReconcileSales, h.reviewDifference},

		{"GET", "/terminals", models.ManageTerminals, h.listTerminals},
		{"GET", "/terminals/new", models.ManageTerminals, h.newTerminal},
		{"POST", "/terminals", models.ManageTerminals, h.createTerminal},
		{"GET", "/terminals/health", models.ManageTerminals, h.showHealth},
		{"GET", "/terminals/moves", models.ManageTerminals, h.showMoves},
		{"GET", "/terminals/moves/new", models.ManageTerminals, h.newMoves},
		{"POST", "/terminals/moves", models.ManageTerminals, h.moveTerminals},
		{"GET", "/terminals/:id", models.ManageTerminals, h.showTerminal},
		{"POST", "/terminals/:id", models.ManageTerminals, h.relabelTerminal},
		{"POST", "/terminals/:id/moves", models.ManageTerminals, h.moveTerminal},
		{"POST", "/terminals/:id/plan/withdrawal", models.ManageTerminals, h.withdrawPlan},
		{"POST", "/terminals/:id/retirement", models.ManageTerminals, h.retireTerminal},
		{"POST", "/terminals/:id/restoration", models.ManageTerminals, h.restoreTerminal},

		{"GET", "/stores", models.ManageStores, h.listStores},
		{"GET", "/stores/new", models.ManageStores, h.newStore},
		{"POST", "/stores", models.ManageStores, h.createStore},
		{"GET", "/stores/:id", models.ManageStores, h.showStore},
		{"POST", "/stores/:id", models.ManageStores, h.changeStore},

		{"GET", "/users", models.ManageUsers, h.listUsers},
		{"GET", "/users/new", models.ManageUsers, h.newUser},
		{"POST", "/users", models.ManageUsers, h.createUser},
		{"GET", "/users/:id", models.ManageUsers, h.showUser},
		{"POST", "/users/:id", models.ManageUsers, h.changeUser},
		{"POST", "/users/:id/disabling", models.ManageUsers, h.disableUser},
		{"POST", "/users/:id/enabling", models.ManageUsers, h.enableUser},
		{"POST", "/users/:id/password", models.ManageUsers, h.resetPassword},

		{"GET", "/endpoints", models.ManageEndpoints, h.listEndpoints},
		{"GET", "/endpoints/new", models.ManageEndpoints, h.newEndpoint},
		{"POST", "/endpoints", models.ManageEndpoints, h.createEndpoint},
		{"GET", "/endpoints/:id", models.ManageEndpoints, h.showEndpoint},
		{"GET", "/endpoints/:id/edit", models.ManageEndpoints, h.editEndpoint},
		{"POST", "/endpoints/:id", models.ManageEndpoints, h.changeEndpoint},
		{"POST", "/endpoints/:id/pause", models.ManageEndpoints, h.pauseEndpoint},
		{"POST", "/endpoints/:id/resumption", models.ManageEndpoints, h.resumeEndpoint},
		{"POST", "/endpoints/:id/secret", models.ManageEndpoints, h.rotateSecret},
		{"POST", "/endpoints/:id/test", models.ManageEndpoints, h.testEndpoint},
		{"POST", "/endpoints/:id/redelivery", models.ManageEndpoints, h.redeliverFailed},
		{"POST", "/endpoints/:id/retirement", models.ManageEndpoints, h.retireEndpoint},
		{"GET", "/deliveries/:id", models.ManageEndpoints, h.showDelivery},
		{"POST", "/deliveries/:id/redelivery", models.ManageEndpoints, h.redeliver},
		{"POST", "/deliveries/:id/setting-aside", models.ManageEndpoints, h.setDeliveryAside},
		{"GET", "/api/docs", anyone, h.showAPIDocs},
		{"GET", "/api/openapi.json", machine, h.apiDocument},
		{"GET", "/api/postman.json", machine, h.apiCollection},
		{"GET", "/settings/keys", models.ManageKeys, h.listKeys},
		{"GET", "/settings/keys/new", models.ManageKeys, h.newKey},
		{"POST", "/settings/keys", models.ManageKeys, h.createKey},
		{"GET", "/settings/keys/:id", models.ManageKeys, h.showKey},
		{"POST", "/settings/keys/:id/rotation", models.ManageKeys, h.rotateKey},
		{"POST", "/settings/keys/:id/revocation", models.ManageKeys, h.revokeKey},

		{"GET", "/settings", models.ManageSettings, h.showSettings},
		{"POST", "/settings/pause", models.ManageSettings, h.pause},
		{"POST", "/settings/resumption", models.ManageSettings, h.resume},
		{"GET", "/settings/rules", models.ManageSettings, h.showRules},
		{"POST", "/settings/rules", models.ManageSettings, h.previewRules},
		{"POST", "/settings/rules/draft", models.ManageSettings, h.editRules},
		{"POST", "/settings/rules/versions", models.ManageSettings, h.changeRules},
		{"GET", "/settings/rules/history", models.ManageSettings, h.listRules},
		{"POST", "/settings/rules/:id/withdrawal", models.ManageSettings, h.takeBackRules},
		{"GET", "/settings/reasons", models.ManageSettings, h.listReasons},
		{"POST", "/settings/reasons", models.ManageSettings, h.addReason},
		{"GET", "/settings/reasons/:code", models.ManageSettings, h.showReason},
		{"POST", "/settings/reasons/:code", models.ManageSettings, h.renameReason},
		{"POST", "/settings/reasons/:code/position", models.ManageSettings, h.placeReason},
		{"POST", "/settings/reasons/:code/retirement", models.ManageSettings, h.retireReason},
		{"POST", "/settings/reasons/:code/restoration", models.ManageSettings, h.restoreReason},
		{"GET", "/settings/alerts", models.ManageSettings, h.listAlertRules},
		{"POST", "/settings/alerts/test", models.ManageSettings, h.testMail},
		{"GET", "/settings/alerts/:kind", models.ManageSettings, h.showAlertRule},
		{"POST", "/settings/alerts/:kind", models.ManageSettings, h.changeAlertRule},
		{"GET", "/settings/connection", models.ManageSettings, h.showConnection},
		{"POST", "/settings/connection/test", models.ManageSettings, h.testConnection},
		{"GET", "/settings/reconciliation", models.ManageSettings, h.listReportProfiles},
		{"GET", "/settings/reconciliation/new", models.ManageSettings, h.newReportProfile},
		{"POST", "/settings/reconciliation", models.ManageSettings, h.createReportProfile},
		{"POST", previewPath, models.ManageSettings, h.previewReport},
		{"GET", "/settings/reconciliation/:id", models.ManageSettings, h.showReportProfile},
		{"POST", "/settings/reconciliation/:id", models.ManageSettings, h.changeReportProfile},
		{"POST", "/settings/reconciliation/:id/retirement", models.ManageSettings, h.retireReportProfile},
		{"POST", "/settings/reconciliation/:id/restoration", models.ManageSettings, h.restoreReportProfile},
	}
	return append(h.viewRoutes(models.ViewsOfAudit, auditViewsPath), append(h.viewRoutes(models.ViewsOfSales, saleViewsPath), table...)...)
}

// viewRoutes are those of the filters that people keep of a list. They come first:
// below a list's address stand the numbers of its things.
func (h *Handlers) viewRoutes(list models.ViewList, path string) []route {
	v, can := viewsOf{h, list}, models.ReadAudit
	if list == models.ViewsOfSales {
		can = models.ViewSales
	}
	return []route{
		{"GET", path, can, v.all},
		{"GET", path + "/new", can, v.fresh},
		{"POST", path, can, v.save},
		{"GET", path + "/:id", can, v.open},
		{"GET", path + "/:id/edit", can, v.edit},
		{"POST", path + "/:id", can, v.change},
		{"POST", path + "/:id/removal", can, v.remove},
	}
}
