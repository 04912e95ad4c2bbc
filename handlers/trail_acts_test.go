package handlers_test

import (
	"fmt"
	"net/url"
	"strings"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/modelstest"
)

// The acts that are more than one form.

func signIn(h *house, v *visitor, _ *targets) *answer {
	h.exec(`UPDATE users SET password_hash = (SELECT password_hash FROM users WHERE email = $1) WHERE id = $2`, h.known(), v.id)
	email := h.text(`SELECT email FROM users WHERE id = $1`, v.id)
	browser := h.visitor()
	return browser.post("/login", url.Values{"email": {email}, "password": {modelstest.Password}})
}

// setPassword uses a link of the browser's person.
func setPassword(h *house, v *visitor, _ *targets) *answer {
	link, err := h.Accounts.MakeLink(h.tb.Context(), h.Admin, v.id)
	h.must(err)
	return h.setPassword(v, accounts.LinkPath+link.Token, "la que yo elijo hoy")
}

// setPassword opens a link in a browser, and sends its form.
func (h *house) setPassword(v *visitor, link, password string) *answer {
	h.tb.Helper()
	path := strings.TrimPrefix(link, "http://veinte.test")
	form := v.get(path).want(200).formTo(path)
	return v.post(path, url.Values{"csrf": {form["csrf"]}, "password": {password}, "again": {password}})
}

// known is somebody with a password.
func (h *house) known() string {
	const email = "con.clave@veinte.test"
	if h.count(`SELECT count(*) FROM users WHERE email = $1`, email) == 0 {
		modelstest.User(h.tb, h.DB, h.Clock.Now(), email, models.Manager, h.Store)
	}
	return email
}

func aSale(on *targets) url.Values {
	on.visit++
	return url.Values{
		"terminal": {"1"}, "orderId": {fmt.Sprintf("A-MANO-%d", on.visit)}, "amount": {"1,250.00"}, "reviewed": {"sale.orderUnlike"},
		"date": {"2026-11-20"}, "time": {"11:30"}, "last4": {"4242"},
	}
}

func resume(h *house, v *visitor, _ *targets) *answer {
	id := h.count(`SELECT coalesce(max(id), 0) FROM pauses WHERE ended_at IS NULL`)
	return v.post("/settings/resumption", url.Values{"pause": {fmt.Sprint(id)}})
}

func changeRules(h *house, v *visitor, on *targets) *answer {
	on.visit++
	preview := v.post("/settings/rules", v.typeRules(url.Values{"margin": {fmt.Sprint(10 + on.visit%50)}})).want(200)
	return v.post("/settings/rules/versions", preview.sends("rules-confirm"))
}

func takeRulesBack(h *house, v *visitor, _ *targets) *answer {
	preview := v.post("/settings/rules", v.typeRules(url.Values{"margin": {"99"}, "from": {"2026-11-23"}})).want(200)
	v.post("/settings/rules/versions", preview.sends("rules-confirm")).want(303)
	return v.post(fmt.Sprintf("/settings/rules/%d/withdrawal", h.count(`SELECT max(id) FROM rules`)), nil)
}

func restoreReason(h *house, v *visitor, _ *targets) *answer {
	h.exec(`UPDATE reasons SET retired_at = now() WHERE code = 'otherPayment'`)
	version := h.text(`SELECT version::text FROM reasons WHERE code = 'otherPayment'`)
	return v.post("/settings/reasons/otherPayment/restoration", url.Values{"version": {version}})
}

// keeper is the administrator of a browser as the domain knows them.
func (h *house) keeper(v *visitor) models.Actor {
	return models.Actor{
		UserID: v.id, Name: "Ada Administra", Role: models.Administrator, AllStores: true, Address: "192.0.2.9", RequestID: "r",
	}
}

func createProfile(_ *house, v *visitor, on *targets) *answer {
	on.visit++
	return v.post("/settings/reconciliation", profileForm(fmt.Sprintf("Perfil %d", on.visit), "Importe"))
}

func changeProfile(_ *house, v *visitor, on *targets) *answer {
	form := profileForm("Cambiado", "Monto")
	form.Set("version", "1")
	return v.post(fmt.Sprintf("/settings/reconciliation/%d", on.profile), form)
}

// profileForm is how a provider's report is written.
func profileForm(name, amount string) url.Values {
	return url.Values{
		"name": {name}, "orderId": {"Número de orden"}, "serialNumber": {"Terminal"}, "amount": {amount}, "status": {"Operación"},
		"soldAt": {"Fecha"},
		"word-0": {"VENTA"}, "meaning-0": {"sale"}, "word-1": {"CANCELADA"}, "meaning-1": {"cancellation"},
		"amounts": {"point"}, "dates": {"dmy"}, "zone": {"America/Mexico_City"},
	}
}

func onProfile(act string, version int) func(*house, *visitor, *targets) *answer {
	return func(_ *house, v *visitor, on *targets) *answer {
		return v.post(fmt.Sprintf("/settings/reconciliation/%d/%s", on.profile, act), url.Values{"version": {fmt.Sprint(version)}})
	}
}

func giveFile(h *house, v *visitor, on *targets) *answer {
	on.visit++
	return v.upload(h.saleFile(fmt.Sprintf("DADA-%d", on.visit)))
}

func giveReport(h *house, v *visitor, on *targets) *answer {
	at := h.Clock.Now().In(h.Rules.Window().Calendar.Zone()).Format("15:04")
	profile := h.text(`SELECT min(id)::text FROM report_profiles WHERE retired_at IS NULL`)
	return v.file(
		"/reconciliations", "dado.csv", reportHeader+reportLine(on.sale, "VENTA"), "profile", profile, "day", "2026-11-20", "until", at,
	)
}

func discardReport(h *house, v *visitor, on *targets) *answer {
	day := string(h.Rules.Window().Calendar.Day(h.Clock.Now()))
	at := h.Clock.Now().In(h.Rules.Window().Calendar.Zone()).Format("15:04")
	id := fmt.Sprint(h.compare(on.profile, day, at, reportLine(on.sale, "VENTA")).ID)
	seen := v.get("/reconciliations/" + id).want(200).formTo("/reconciliations/" + id + "/discarding")["seen"]
	return v.post("/reconciliations/"+id+"/discarding", url.Values{"seen": {seen}, "note": {"era el archivo de otro día"}})
}

func resumeEndpoint(h *house, v *visitor, on *targets) *answer {
	id := on.endpoints["resume"]
	h.exec(`UPDATE endpoints SET state = 'paused', version = 2 WHERE id = $1 AND version = 1`, id)
	return v.post(fmt.Sprintf("/endpoints/%d/resumption", id), url.Values{"version": {"2"}})
}

// stopExport stops an export that waits for its reader.
func stopExport(h *house, v *visitor, _ *targets) *answer {
	var id int64
	h.must(h.Owner.QueryRow(`INSERT INTO audit_exports (format, state, actor_id, actor_name, query, filters, expected, started_at, seen_at)
		VALUES ('csv', 'running', $1, 'Sara Supervisora', '', '{}', 9, $2, $2) RETURNING id`, v.id, h.Clock.Now()).Scan(&id))
	a := v.post(fmt.Sprintf("/audit/exports/%d/stop", id), nil)
	h.exec(`UPDATE audit_exports SET state = 'stopped', ended_at = $2 WHERE id = $1`, id, h.Clock.Now())
	return a
}

// askForSignatures asks the one authority that there is.
func askForSignatures(h *house, v *visitor, _ *targets) *answer {
	h.exec(`INSERT INTO attesters (kind, name, position, address, since, next_at)
		VALUES ('stamp', 'tsa.example', 0, 'https://tsa.example', $1, $1) ON CONFLICT DO NOTHING`, h.Clock.Now())
	a := v.post("/audit/signatures", nil)
	h.exec(`DELETE FROM attesters`)
	return a
}

// mailCheckpoints has checkpoints mailed, from the other state in which it may be.
func mailCheckpoints(h *house, v *visitor, _ *targets) *answer {
	h.exec(`UPDATE users SET mails_checkpoint = false`)
	return v.post("/audit/checkpoints/mail", url.Values{"on": {"1"}})
}

// ownView keeps a view of the browser's person, of a list and a filter of it.
func ownView(v *visitor, on *targets, list, filter string) string {
	on.visit++
	v.post(list+"/views", url.Values{"name": {fmt.Sprintf("Vista %d", on.visit)}, "filter": {filter}}).want(303)
	return fmt.Sprintf("%s/views/%d", list, v.h.count(`SELECT max(id) FROM saved_views`))
}

func changeView(_ *house, v *visitor, on *targets) *answer {
	path := ownView(v, on, "/audit", "outcome=denied")
	return v.post(path, url.Values{"name": {path}, "version": {"1"}})
}

func removeView(_ *house, v *visitor, on *targets) *answer {
	return v.post(ownView(v, on, "/audit", "outcome=denied")+"/removal", url.Values{"version": {"1"}})
}

func changeSaleView(_ *house, v *visitor, on *targets) *answer {
	path := ownView(v, on, "/sales", "state=confirmed")
	return v.post(path, url.Values{"name": {path}, "version": {"1"}})
}

func removeSaleView(_ *house, v *visitor, on *targets) *answer {
	return v.post(ownView(v, on, "/sales", "state=confirmed")+"/removal", url.Values{"version": {"1"}})
}

func closingBytes(_ *house, v *visitor, _ *targets) *answer {
	return v.get("/closings/2026-11-19/report.json")
}

func restoreFirstSteps(h *house, v *visitor, _ *targets) *answer {
	h.exec(`UPDATE users SET first_steps_hidden_at = now() WHERE id = $1`, v.id)
	return v.post("/help/first/restoration", nil)
}
