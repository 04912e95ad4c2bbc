package handlers

import (
	"slices"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/audit/export"
	"veinte/views/ui"
)

// route is one line of the route table.
type route struct {
	method  string
	path    string
	can     models.Permission
	handler fiber.Handler
}

// clicks are the pages that lead to an act: no other page takes the connections that they
// need.
var clicks = []string{"/sales/:id/cancellation/new", "/sales/cancellations/new", "/sales/new"}

// routes lists every route with the permission that it needs. The queries restrict
// sales, cancellations and stores to the user's scope. The operations for programs
// are listed in handlers/api in the same way.
func (h *Handlers) routes() []route {
	table := []route{
		{"GET", "/livez", kit.Machine, h.live},
		{"GET", "/readyz", kit.Machine, h.ready},
		{"GET", "/healthz", kit.Machine, h.health},
		{"GET", "/static/*", kit.Machine, h.static},
		{"GET", "/favicon.ico", kit.Machine, h.favicon},
		{"GET", securityTextPath, kit.Machine, h.securityText},
		{"POST", "/results/:secret", kit.Machine, h.result},        // that all terminals share
		{"POST", "/results/:serial/:token", kit.Machine, h.result}, // of one terminal

		{"GET", "/login", kit.Anyone, h.entrance.ShowLogin},
		{"POST", "/login", kit.Anyone, h.entrance.Login},
		{"GET", "/login/code", kit.Anyone, h.entrance.ShowStep},
		{"POST", "/login/code", kit.Anyone, h.entrance.TakeStep},
		{"GET", "/login/oidc", kit.Anyone, h.entrance.BeginSSO},
		{"GET", "/login/oidc/callback", kit.Anyone, h.entrance.FinishSSO},
		{"GET", "/login/oidc/end", kit.Anyone, h.entrance.LeaveSSO},
		{"POST", "/login/oidc/logout", kit.Machine, h.entrance.EndSSO},
		{"GET", "/login/passkey", kit.Anyone, h.entrance.AskPasskey},
		{"POST", "/login/passkey", kit.Anyone, h.entrance.PasskeyLogin},
		{"GET", "/login/code/passkey", kit.Anyone, h.entrance.AskStepPasskey},
		{"GET", kit.CounterPath, kit.Anyone, h.entrance.ShowCounter},
		{"POST", kit.CounterPath, kit.Anyone, h.entrance.EnterCounter},
		{"GET", "/counter/rest", kit.SignedIn, h.entrance.RestLeft},
		{"POST", "/counter/rest", kit.SignedIn, h.entrance.Rest},
		{"POST", "/account/counters", models.ManageCounters, h.entrance.MakeCounter},
		{"POST", "/account/counters/:id/ending", models.ManageCounters, kit.WithID(h.entrance.EndCounter)},
		{"POST", "/account/factors/pin", kit.SignedIn, h.entrance.SetPIN},
		{"POST", "/account/factors/pin/removal", kit.SignedIn, h.entrance.RemovePIN},
		{"GET", "/account/factors", kit.SignedIn, h.entrance.ShowFactors},
		{"GET", "/account/factors/new-passkey", kit.SignedIn, h.entrance.AskOwn},
		{"GET", "/account/factors/proof", kit.SignedIn, h.entrance.AskProof},
		{"POST", "/account/factors/passkeys", kit.SignedIn, h.entrance.AddPasskey},
		{"POST", "/account/factors/passkeys/:id/removal", kit.SignedIn, kit.WithID(h.entrance.RemovePasskey)},
		{"POST", "/account/factors/app", kit.SignedIn, h.entrance.BeginApp},
		{"POST", "/account/factors/app/code", kit.SignedIn, h.entrance.ConfirmApp},
		{"POST", "/account/factors/app/removal", kit.SignedIn, h.entrance.RemoveApp},
		{"POST", "/account/factors/recovery", kit.SignedIn, h.entrance.NewRecovery},
		{"POST", "/logout", kit.SignedIn, h.entrance.Logout},
		{"GET", "/account", kit.SignedIn, h.entrance.ShowAccount},
		{"POST", "/account/sessions", kit.SignedIn, h.entrance.EndSession},
		{"POST", "/account/devices", kit.SignedIn, h.entrance.ForgetDevice},
		{"POST", "/account/notices", kit.SignedIn, h.entrance.DismissNotice},
		{"POST", "/account/password", kit.SignedIn, h.entrance.ChangePassword},
		{"GET", "/password/:token", kit.Anyone, h.entrance.ShowPassword},
		{"POST", "/password/:token", kit.Anyone, h.entrance.SetPassword},
		{"POST", "/language", kit.Anyone, h.entrance.ChooseLanguage},
		{"GET", "/", kit.SignedIn, h.entrance.Home},
		{"GET", "/events", kit.SignedIn, kit.FromHere(h.stream)},
		{"GET", "/shortcuts", kit.SignedIn, h.showShortcuts},
		{"GET", "/gallery", kit.Anyone, h.showGallery}, // of the demo
		{"GET", "/help", kit.SignedIn, h.entrance.OwnGuide},
		{"GET", "/help/:guide", kit.SignedIn, h.entrance.ShowGuide},
		{"POST", "/help/first/dismissal", kit.SignedIn, h.entrance.DismissOnboarding},
		{"POST", "/help/first/restoration", kit.SignedIn, h.entrance.RestoreOnboarding},

		{"GET", "/sales", models.ViewSales, h.sales.ListSales},
		{"GET", "/sales/day", models.ViewSales, h.sales.ShowDay},
		{"GET", "/sales/export", models.ViewSales, h.audit.ShowSalesExport}, // by the limits of the trail's exports
		{"GET", "/sales.csv", models.ViewSales, h.Heavy(kit.FromHere(h.audit.ExportSales(export.CSV)))},
		{"GET", "/sales.xlsx", models.ViewSales, h.Heavy(kit.FromHere(h.audit.ExportSales(export.XLSX)))},
		{"GET", "/sales/new", models.AddManualSales, h.sales.NewSale},
		{"GET", "/sales/pending", models.ViewSales, h.sales.ListPending},
		{"POST", "/sales", models.AddManualSales, h.sales.CreateManualSale},
		{"POST", "/sales/ended", models.ViewSales, h.sales.HideEnded},
		{"GET", "/sales/cancellations/new", models.CancelInBulk, h.sales.ConfirmBulk},
		{"POST", "/sales/cancellations", models.CancelInBulk, h.Proving(h.sales.CancelBulk)},
		{"GET", "/sales/cancellations/:click", models.CancelInBulk, h.sales.ShowBulk},
		{"GET", "/sales/:id", models.ViewSales, kit.WithID(h.sales.ShowSale)},
		{"GET", "/sales/:id/correction", models.AddManualSales, kit.WithID(h.sales.EditManualSale)},
		{"POST", "/sales/:id/correction", models.AddManualSales, kit.WithID(h.sales.CorrectManualSale)},
		{"POST", "/sales/:id/undoing", models.AddManualSales, kit.WithID(h.sales.UndoManualSale)},
		{"GET", "/sales/:id/slip", models.ViewSales, kit.FromHere(kit.WithID(h.sales.ShowNotice))},
		{"GET", "/sales/:id/cancellation/new", models.CancelSales, kit.WithID(h.sales.ConfirmCancellation)},
		{"POST", "/sales/:id/cancellation", models.CancelSales, kit.WithID(h.sales.CancelSale)},
		{"GET", "/cancellations/:id", models.ViewSales, kit.WithID(h.sales.ShowCancellation)},
		{"POST", "/cancellations/:id/withdrawal", models.CancelSales, kit.WithID(h.sales.Withdraw)},
		{"POST", "/cancellations/:id/inquiry", models.VerifyCancellations, kit.WithID(h.sales.Inquire)},
		{"POST", "/cancellations/:id/resolution", models.ResolveCancellations, h.Proving(kit.WithID(h.sales.Resolve))},

		{"GET", "/today", models.Oversee, h.today.ShowToday},
		{"GET", "/review", models.Oversee, h.oversight.ListReview},
		{"POST", "/review/conflicts/:id", models.ReviewCancellations, kit.WithID(h.oversight.MarkConflict)},
		{"POST", "/review/results/:id", models.ReviewCancellations, kit.WithID(h.oversight.MarkResult)},

		{"GET", "/oversight", models.Oversee, h.oversight.ShowOversight},
		{"GET", "/oversight.csv", models.Oversee, h.Heavy(kit.FromHere(h.oversight.ExportOversight))},
		{"GET", "/oversight/days", models.Oversee, h.oversight.ShowPeriod},
		{"GET", "/oversight/patterns", models.Oversee, h.oversight.ListPatterns},
		{"GET", "/oversight/patterns.csv", models.Oversee, h.Heavy(kit.FromHere(h.oversight.ExportPatterns))},
		{"GET", "/oversight/finding", models.Oversee, h.oversight.ShowFinding},
		{"POST", "/oversight/marks", models.ReviewCancellations, h.oversight.MarkFinding},

		{"GET", "/audit", models.ReadAudit, h.audit.ListAudit},
		{"GET", "/closings", models.Oversee, h.oversight.ListClosings},
		{"GET", "/closings/:day", models.Oversee, h.oversight.ShowClosing},
		{"GET", "/closings/:day/report.csv", models.Oversee, h.Heavy(kit.FromHere(h.oversight.ExportClosing))},
		{"GET", "/closings/:day/report.json", models.Oversee, h.Heavy(kit.FromHere(h.oversight.ExportClosingJSON))},
		{"GET", "/alerts", models.Oversee, h.oversight.ListAlerts},
		{"POST", "/alerts/:id/attention", models.ReviewCancellations, kit.WithID(h.oversight.AttendAlert)},
		{"GET", "/audit.csv", models.ReadAudit, h.Heavy(kit.FromHere(h.audit.ExportAudit(export.CSV)))},
		{"GET", "/audit.jsonl", models.ReadAudit, h.Heavy(kit.FromHere(h.audit.ExportAudit(export.JSONL)))},
		{"GET", "/audit.xlsx", models.ReadAudit, h.Heavy(kit.FromHere(h.audit.ExportAudit(export.XLSX)))},
		{"GET", "/audit/print", models.ReadAudit, h.Heavy(kit.FromHere(h.audit.PrintAudit))},
		{"GET", "/audit/exports", models.ReadAudit, h.audit.ShowExports},
		{"GET", "/audit/exports/:id", models.ViewSales, kit.WithID(h.audit.ShowExport)},
		{"GET", "/audit/exports/:id/note", models.ReadAudit, kit.WithID(h.audit.ExportNote)},
		{"GET", "/sales/export/:id", models.ViewSales, kit.WithID(h.audit.ShowExport)},
		{"POST", "/audit/exports/:id/stop", models.ViewSales, kit.WithID(h.audit.StopExport)},
		{"GET", "/audit/verification", models.ReadAudit, h.audit.ShowVerification},
		{"POST", "/audit/verification", models.ReadAudit, h.audit.StartVerification},
		{"GET", "/audit/verifier", models.ReadAudit, h.audit.SendVerifier},
		{"POST", "/audit/signatures", models.ReadAudit, h.audit.AskForSignatures},
		{"GET", "/audit/checkpoints/latest", models.ReadAudit, kit.FromHere(h.audit.LatestCheckpoint)},
		{"POST", "/audit/checkpoints/mail", models.ReadAudit, h.audit.MailCheckpoints},
		{"GET", "/audit/:id", models.ReadAudit, kit.WithID(h.audit.ShowEntry)},
		{"GET", "/audit/:id/proof", models.ReadAudit, kit.FromHere(kit.WithID(h.audit.ProveEntry))},
		{"GET", "/results", models.ViewResults, h.exchange.ListResults},

		{"GET", "/imports", models.ImportSales, h.exchange.ListImports},
		{"GET", "/imports/new", models.ImportSales, h.exchange.NewImport},
		{"POST", kit.UploadPath, models.ImportSales, h.exchange.GiveImport},
		{"GET", "/imports/:id", models.ImportSales, kit.WithID(h.exchange.ShowImport)},
		{"GET", "/imports/:id/wrong.csv", models.ImportSales, h.Heavy(kit.FromHere(kit.WithID(h.exchange.ExportWrongRows)))},
		{"POST", "/imports/:id/status", models.ImportSales, kit.WithID(h.exchange.AnswerStatus)},
		{"POST", "/imports/:id/confirmation", models.ImportSales, kit.WithID(h.exchange.ConfirmImport)},
		{"POST", "/imports/:id/discarding", models.ImportSales, kit.WithID(h.exchange.DiscardImport)},
		{"POST", "/imports/:id/undoing", models.ImportSales, kit.WithID(h.exchange.UndoImport)},

		{"GET", "/reconciliations", models.ReconcileSales, h.exchange.ListReconciliations},
		{"GET", "/reconciliations/new", models.ReconcileSales, h.exchange.NewReconciliation},
		{"POST", kit.ReportPath, models.ReconcileSales, h.exchange.Reconcile},
		{"GET", "/reconciliations/:id", models.ReconcileSales, kit.WithID(h.exchange.ShowReconciliation)},
		{"POST", "/reconciliations/:id/settlement", models.ResolveCancellations, h.Proving(kit.WithID(h.exchange.ResolveByReport))},
		{"POST", "/reconciliations/:id/discarding", models.ReconcileSales, h.Proving(kit.WithID(h.exchange.DiscardReport))},
		{"GET", "/reconciliations/:id/differences.csv", models.ReconcileSales, h.Heavy(kit.FromHere(kit.WithID(h.exchange.ExportDifferences)))},
		{"POST", "/differences/:id/review", models.ReconcileSales, kit.WithID(h.exchange.ReviewDifference)},

		{"GET", "/terminals", models.ManageTerminals, h.places.ListTerminals},
		{"GET", "/terminals/new", models.ManageTerminals, h.places.NewTerminal},
		{"POST", "/terminals", models.ManageTerminals, h.places.CreateTerminal},
		{"GET", "/terminals/health", models.ManageTerminals, h.places.ShowHealth},
		{"GET", "/terminals/addresses", models.ManageTerminals, h.places.ListAddresses},
		{"POST", "/terminals/addresses/export", models.ManageTerminals, h.places.ExportAddresses},
		{"GET", "/terminals/moves", models.ManageTerminals, h.places.ShowMoves},
		{"GET", "/terminals/moves/new", models.ManageTerminals, h.places.NewMoves},
		{"POST", "/terminals/moves", models.ManageTerminals, h.places.MoveTerminals},
		{"GET", "/terminals/:id", models.ManageTerminals, kit.WithID(h.places.ShowTerminal)},
		{"POST", "/terminals/:id", models.ManageTerminals, kit.WithID(h.places.RelabelTerminal)},
		{"POST", "/terminals/:id/address", models.ManageTerminals, kit.WithID(h.places.ShowAddress)},
		{"GET", "/terminals/:id/edit", models.ManageTerminals, kit.WithID(h.places.EditTerminal)},
		{"GET", "/terminals/:id/moves/new", models.ManageTerminals, kit.WithID(h.places.NewMove)},
		{"POST", "/terminals/:id/moves", models.ManageTerminals, kit.WithID(h.places.MoveTerminal)},
		{"POST", "/terminals/:id/plan/withdrawal", models.ManageTerminals, kit.WithID(h.places.WithdrawPlan)},
		{"POST", "/terminals/:id/retirement", models.ManageTerminals, kit.WithID(h.places.RetireTerminal)},
		{"POST", "/terminals/:id/restoration", models.ManageTerminals, kit.WithID(h.places.RestoreTerminal)},

		{"GET", "/stores", models.ManageStores, h.places.ListStores},
		{"GET", ui.StoresPath, kit.SignedIn, h.places.StoreNames},
		{"GET", "/stores/new", models.ManageStores, h.places.NewStore},
		{"POST", "/stores", models.ManageStores, h.places.CreateStore},
		{"GET", "/stores/:id", models.ManageStores, kit.WithID(h.places.ShowStore)},
		{"GET", "/stores/:id/edit", models.ManageStores, kit.WithID(h.places.EditStore)},
		{"POST", "/stores/:id", models.ManageStores, kit.WithID(h.places.ChangeStore)},

		{"GET", "/users", models.ManageUsers, h.settings.ListUsers},
		{"GET", "/users/new", models.ManageUsers, h.settings.NewUser},
		{"POST", "/users", models.ManageUsers, h.Proving(h.settings.CreateUser)},
		{"POST", "/users/factors", models.ManageUsers, h.ProvingApart(h.settings.SetFactorRules)},
		{"POST", "/users/proof", models.ManageUsers, h.ProvingApart(h.settings.SetAsksProof)},
		{"GET", "/users/:id", models.ManageUsers, kit.WithID(h.settings.ShowUser)},
		{"GET", "/users/:id/edit", models.ManageUsers, kit.WithID(h.settings.EditUser)},
		{"POST", "/users/:id", models.ManageUsers, h.Proving(kit.WithID(h.settings.ChangeUser))},
		{"POST", "/users/:id/disabling", models.ManageUsers, kit.WithID(h.settings.DisableUser)},
		{"POST", "/users/:id/enabling", models.ManageUsers, h.ProvingApart(kit.WithID(h.settings.EnableUser))},
		{"POST", "/users/:id/proposal", models.ManageUsers, h.ProvingApart(kit.WithID(h.settings.AnswerProposal))},
		{"POST", "/users/:id/link", models.ManageUsers, h.ProvingApart(kit.WithID(h.settings.MakeLink))},
		{"POST", "/users/:id/factors", models.ManageUsers, h.ProvingApart(kit.WithID(h.settings.ResetFactors))},
		{"POST", "/users/:id/sessions", models.ManageUsers, kit.WithID(h.settings.EndSessions)},
		{"POST", "/users/:id/devices", models.ManageUsers, kit.WithID(h.settings.ForgetDevice)},
		{"POST", "/users/:id/blocking", models.ManageUsers, kit.WithID(h.settings.BlockName)},
		{"POST", "/users/:id/unblocking", models.ManageUsers, kit.WithID(h.settings.UnblockName)},

		{"GET", "/endpoints", models.ManageEndpoints, h.exchange.ListEndpoints},
		{"GET", "/endpoints/new", models.ManageEndpoints, h.exchange.NewEndpoint},
		{"POST", "/endpoints", models.ManageEndpoints, h.Proving(h.exchange.CreateEndpoint)},
		{"GET", "/endpoints/:id", models.ManageEndpoints, kit.WithID(h.exchange.ShowEndpoint)},
		{"GET", "/endpoints/:id/edit", models.ManageEndpoints, kit.WithID(h.exchange.EditEndpoint)},
		{"POST", "/endpoints/:id", models.ManageEndpoints, h.Proving(kit.WithID(h.exchange.ChangeEndpoint))},
		{"POST", "/endpoints/:id/pause", models.ManageEndpoints, kit.WithID(h.exchange.PauseEndpoint)},
		{"POST", "/endpoints/:id/resumption", models.ManageEndpoints, kit.WithID(h.exchange.ResumeEndpoint)},
		{"POST", "/endpoints/:id/secret", models.ManageEndpoints, h.ProvingApart(kit.WithID(h.exchange.RotateSecret))},
		{"POST", "/endpoints/:id/body", models.ManageEndpoints, h.ProvingApart(kit.WithID(h.exchange.SetRelayBody))},
		{"POST", "/endpoints/:id/test", models.ManageEndpoints, kit.WithID(h.exchange.TestEndpoint)},
		{"POST", "/endpoints/:id/redelivery", models.ManageEndpoints, kit.WithID(h.exchange.RedeliverFailed)},
		{"POST", "/endpoints/:id/retirement", models.ManageEndpoints, kit.WithID(h.exchange.RetireEndpoint)},
		{"GET", "/deliveries/:id", models.ManageEndpoints, kit.WithID(h.exchange.ShowDelivery)},
		{"POST", "/deliveries/:id/redelivery", models.ManageEndpoints, kit.WithID(h.exchange.Redeliver)},
		{"POST", "/deliveries/:id/setting-aside", models.ManageEndpoints, kit.WithID(h.exchange.SetDeliveryAside)},
		{"GET", "/api/docs", kit.Anyone, h.exchange.ShowAPIDocs},
		{"GET", "/api/openapi.json", kit.Machine, h.exchange.ApiDocument},
		{"GET", "/settings/keys", models.ManageKeys, h.exchange.ListKeys},
		{"GET", "/settings/keys/new", models.ManageKeys, h.exchange.NewKey},
		{"POST", "/settings/keys", models.ManageKeys, h.Proving(h.exchange.CreateKey)},
		{"GET", "/settings/keys/:id", models.ManageKeys, kit.WithID(h.exchange.ShowKey)},
		{"POST", "/settings/keys/:id/proposal", models.ManageKeys, h.ProvingApart(kit.WithID(h.exchange.AnswerProposal))},
		{"POST", "/settings/keys/:id/rotation", models.ManageKeys, h.Proving(kit.WithID(h.exchange.RotateKey))},
		{"POST", "/settings/keys/:id/revocation", models.ManageKeys, kit.WithID(h.exchange.RevokeKey)},

		{"GET", "/settings", models.ManageSettings, h.settings.ShowSettings},
		{"POST", "/settings/pause", models.ManageSettings, h.settings.Pause},
		{"POST", "/settings/resumption", models.ManageSettings, h.settings.Resume},
		{"GET", "/settings/rules", models.ManageSettings, h.settings.ShowRules},
		{"POST", "/settings/rules", models.ManageSettings, h.settings.PreviewRules},
		{"POST", "/settings/rules/draft", models.ManageSettings, h.settings.EditRules},
		{"POST", "/settings/rules/versions", models.ManageSettings, h.Proving(h.settings.ChangeRules)},
		{"GET", "/settings/rules/history", models.ManageSettings, h.settings.ListRules},
		{"POST", "/settings/rules/:id/withdrawal", models.ManageSettings, h.ProvingApart(kit.WithID(h.settings.TakeBackRules))},
		{"GET", "/settings/reasons", models.ManageSettings, h.settings.ListReasons},
		{"POST", "/settings/reasons", models.ManageSettings, h.Proving(h.settings.AddReason)},
		{"GET", "/settings/reasons/:code", models.ManageSettings, h.settings.ShowReason},
		{"POST", "/settings/reasons/:code", models.ManageSettings, h.Proving(h.settings.RenameReason)},
		{"POST", "/settings/reasons/:code/position", models.ManageSettings, h.settings.MoveReason},
		{"POST", "/settings/reasons/:code/retirement", models.ManageSettings, h.ProvingApart(h.settings.RetireReason)},
		{"POST", "/settings/reasons/:code/restoration", models.ManageSettings, h.ProvingApart(h.settings.RestoreReason)},
		{"GET", "/settings/access", models.ManageUsers, h.settings.ShowAccess},
		{"GET", "/settings/sso", models.ManageUsers, h.settings.ShowSSO},
		{"POST", "/settings/sso/groups", models.ManageUsers, h.ProvingApart(h.settings.AddSSOGroup)},
		{"GET", "/settings/sso/groups/:id", models.ManageUsers, kit.WithID(h.settings.ShowSSOGroup)},
		{"POST", "/settings/sso/groups/:id", models.ManageUsers, h.ProvingApart(kit.WithID(h.settings.ChangeSSOGroup))},
		{"POST", "/settings/sso/groups/:id/removal", models.ManageUsers, h.ProvingApart(kit.WithID(h.settings.RemoveSSOGroup))},
		{"POST", "/settings/sso/password", models.ManageUsers, h.ProvingApart(h.settings.SetPasswordRule)},
		{"POST", "/settings/sso/addresses", models.ManageUsers, h.ProvingApart(h.settings.TrustAddresses)},
		{"POST", "/settings/sso/links", models.ManageUsers, h.ProvingApart(h.settings.AllowSSOLink)},
		{"GET", "/settings/alerts", models.ManageSettings, h.oversight.ListAlertRules},
		{"POST", "/settings/alerts/test", models.ManageSettings, h.oversight.TestMail},
		{"GET", "/settings/alerts/:kind", models.ManageSettings, h.oversight.ShowAlertRule},
		{"POST", "/settings/alerts/:kind", models.ManageSettings, h.oversight.ChangeAlertRule},
		{"GET", "/settings/connection", models.ManageSettings, h.settings.ShowConnection},
		{"POST", "/settings/connection/test", models.ManageSettings, h.settings.TestConnection},
		{"GET", "/settings/reconciliation", models.ManageSettings, h.exchange.ListReportProfiles},
		{"GET", "/settings/reconciliation/new", models.ManageSettings, h.exchange.NewReportProfile},
		{"POST", "/settings/reconciliation", models.ManageSettings, h.exchange.CreateReportProfile},
		{"POST", kit.PreviewPath, models.ManageSettings, h.exchange.PreviewReport},
		{"GET", "/settings/reconciliation/:id", models.ManageSettings, kit.WithID(h.exchange.ShowReportProfile)},
		{"POST", "/settings/reconciliation/:id", models.ManageSettings, kit.WithID(h.exchange.ChangeReportProfile)},
		{"POST", "/settings/reconciliation/:id/retirement", models.ManageSettings, kit.WithID(h.exchange.RetireReportProfile)},
		{"POST", "/settings/reconciliation/:id/restoration", models.ManageSettings, kit.WithID(h.exchange.RestoreReportProfile)},
	}
	return slices.Concat(h.viewRoutes(models.ViewsOfAudit, "/audit/views"), h.viewRoutes(models.ViewsOfSales, "/sales/views"), table)
}

// viewRoutes are the routes of a list's saved filters. They come before the list's
// own routes, which take an id in the same position.
func (h *Handlers) viewRoutes(list models.ViewList, path string) []route {
	v, can := h.audit.ViewsOf(list), models.ReadAudit
	if list == models.ViewsOfSales {
		can = models.ViewSales
	}
	return []route{
		{"GET", path, can, v.List},
		{"GET", path + "/new", can, v.New},
		{"POST", path, can, v.Save},
		{"GET", path + "/:id", can, kit.WithID(v.Open)},
		{"GET", path + "/:id/edit", can, kit.WithID(v.Edit)},
		{"POST", path + "/:id", can, kit.WithID(v.Change)},
		{"POST", path + "/:id/removal", can, kit.WithID(v.Remove)},
	}
}
