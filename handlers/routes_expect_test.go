package handlers_test

import (
	"context"
	"fmt"
	"net/url"
	"strconv"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/accounts/sso"
	"veinte/models/apikeys"
	"veinte/models/audit"
	"veinte/models/modelstest"
	"veinte/models/sales"
	"veinte/models/terminals"
	"veinte/models/webhooks"
	"veinte/static"
)

// targets are things of the first store for routes to be tried on, each its
// own, so that what one route changes does not matter to another.
type targets struct {
	sale, toCancel                 *models.Sale
	typed, mistyped                *models.Sale // by a person
	together1, together2           *models.Sale // to be canceled at once
	requested, doubted, unresolved *models.Cancellation
	relabeled, moved, retired      int64
	restored, shown                int64
	together, planned              int64 // to be moved with others; with a plan
	changed, disabled, enabled     int64
	reset, blocked, unblocked      int64
	promoted, keyAsked             int64            // for whom rights wait for another administrator
	proposal, keyProposal          int64            // those
	link                           string           // that was used
	group, oldGroup                int64            // of the single sign-on
	contradicted, stray            int64            // a cancellation and a result to be reviewed
	report, difference             int64            // a compared report, and what it says of a sale
	profile, oldProfile            int64            // of reports; the second out of use
	endpoints                      map[string]int64 // each to be tried on once, by what is tried
	delivered, waiting             int64            // deliveries
	checked, confirmed, asked      int64            // imports that wait for a word
	discarded, undone              int64
	visit                          int   // numbers the names of what is created
	keyShown, rotated, revoked     int64 // keys of the API
	alert                          int64 // that was raised
	canceling                      int64 // a person who canceled
	saleView                       int64 // of another person, shared
	entry, view                    int64 // of the trail: about the sale; somebody else's, which is shared
	proved                         int64 // an entry of the trail about the store
}

func (h *house) targets() *targets {
	h.tb.Helper()
	t := &targets{canceling: h.Manager.UserID}
	_, t.doubted = h.StateOf(models.Unknown)
	h.Clock.Advance(modelstest.Waits.Quiet)
	t.proved = int64(h.count(`SELECT min(id) FROM audit_entries WHERE store_id = $1`, h.Store.ID))
	_, t.unresolved = h.StateOf(models.Unknown)
	h.Clock.Advance(modelstest.Waits.Quiet)
	for name, id := range map[string]*int64{"grupo-1": &t.group, "grupo-2": &t.oldGroup} {
		h.must(h.Accounts.AddSSOGroup(context.Background(), h.Admin, sso.Group{Name: name, Role: models.Supervisor, AllStores: true}))
		*id = int64(h.count(`SELECT id FROM sso_groups WHERE name = $1`, name))
	}
	t.sale, t.toCancel = h.Sale(hereAmount), h.Sale(hereAmount)
	t.typed, t.mistyped = h.typedSale("TECLEADA-1"), h.typedSale("TECLEADA-2")
	t.together1, t.together2 = h.Sale(hereAmount), h.SaleAt(h.NewTerminal(h.Store), hereAmount)
	_, contradicted := h.StateOf(models.Confirmed)
	t.contradicted = contradicted.ID
	h.exec(`UPDATE cancellations SET conflict = 'amountDiffers', conflict_at = now() WHERE id = $1`, t.contradicted)
	t.stray = h.strayResult(h.Terminal.SerialNumber)
	t.report, t.difference, t.profile, t.oldProfile = h.comparedReport(t.sale)
	_, t.requested = h.StateOf(models.Requested)
	for _, id := range []*int64{&t.relabeled, &t.moved, &t.retired, &t.restored, &t.shown, &t.together, &t.planned} {
		*id = h.NewTerminal(h.Store).ID
	}
	h.must(h.Terminals.MoveTerminal(
		h.tb.Context(), h.Admin, t.planned, 1, terminals.MoveInput{StoreID: h.Store.ID, MerchantID: "PLAN", From: "2027-01-01"},
	))
	h.exec(`UPDATE terminals SET retired_at = now() WHERE id = $1`, t.restored)
	for i, id := range []*int64{&t.changed, &t.disabled, &t.enabled, &t.reset, &t.blocked, &t.unblocked} {
		*id = h.user("Persona "+strconv.Itoa(i), models.Manager, h.Store)
	}
	h.exec(`UPDATE users SET disabled_at = now() WHERE id IN ($1, $2, $3)`, t.enabled, t.blocked, t.unblocked)
	h.exec(`INSERT INTO blocked_names VALUES ($1, 'Ramona Quiñones')`, t.unblocked)
	link, err := h.Accounts.MakeLink(h.tb.Context(), h.Admin, t.reset)
	h.must(err)
	h.exec(`UPDATE account_links SET ended_at = now(), ended_by = 'use' WHERE id = $1`, link.ID)
	t.link = accounts.LinkPath + link.Token
	for i, id := range []*int64{&t.checked, &t.confirmed, &t.discarded, &t.undone} {
		imp := h.checkedImport(fmt.Sprintf("ORDEN-%d", i))
		*id = imp.ID
	}
	asking := string(h.Terminal.SerialNumber) + ";ESTADO;1250;20/11/2026 11:59;En proceso\n"
	t.asked = h.checkedFile("serie;orden;importe;fecha;estado\n" + asking).ID
	h.must(h.Imports.ConfirmImport(context.Background(), h.Admin, t.undone, 2, false))
	h.must(h.Imports.RunImport(context.Background(), t.undone))
	h.forwarding(t)
	t.entry = h.entryOf(t.doubted.SaleID)
	t.view = h.sharedView(&audit.Filter{Outcome: models.OutcomeDenied})
	t.saleView = h.sharedView(&sales.Filter{State: models.SaleConfirmed})
	h.overseen(t)
	h.proposed(t)
	for _, id := range []*int64{&t.keyShown, &t.rotated, &t.revoked} {
		t.visit++
		key, _, err := h.APIKeys.CreateKey(h.tb.Context(), h.Admin, apikeys.Input{
			Name: fmt.Sprintf("Llave %d", t.visit), Scopes: apikeys.Scopes, AllStores: true, Pace: apikeys.PaceNormal, Days: 90,
		})
		h.must(err)
		*id = key.ID
	}
	return t
}

// proposed adds what waits for another administrator: a role of a person and a scope of a key.
func (h *house) proposed(t *targets) {
	h.tb.Helper()
	const ask = `INSERT INTO proposals (user_id, key_id, name, email, rights_before, rights_after, asked_by, asked_by_name, asked_at,
			expires_at)
		VALUES ($1, $2, 'Quien', $3, $4, $5, $6, 'Pilar Pide', $7::timestamptz, $7::timestamptz + interval '7 days') RETURNING id`
	asker, now := h.user("Pilar Pide", models.Administrator), h.Clock.Now()
	t.promoted = h.user("Persona que sube", models.Manager, h.Store)
	h.must(h.Owner.QueryRow(ask, t.promoted, nil, "sube@veinte.test", fmt.Sprintf(`{"role": "manager", "stores": [%d]}`, h.Store.ID),
		`{"role": "supervisor", "allStores": true}`, asker, now).Scan(&t.proposal))
	h.must(h.Owner.QueryRow(`INSERT INTO api_keys (name, scopes, all_stores, per_minute, created_at, created_by, withheld)
		VALUES ('Llave que espera', '{sales:read,cancellations:write}', true, 600, $1, 'Pilar Pide', true) RETURNING id`,
		now).Scan(&t.keyAsked))
	h.exec(`INSERT INTO api_secrets (key_id, hash, prefix, created_at, created_by, expires_at)
		VALUES ($1, sha256('espera'), 'vk_live_espe', $2::timestamptz, 'Pilar Pide', $2::timestamptz + interval '90 days')`, t.keyAsked, now)
	h.must(h.Owner.QueryRow(ask, nil, t.keyAsked, "",
		`{"scopes": ["sales:read", "cancellations:write"], "withheld": true, "allStores": true}`,
		`{"scopes": ["sales:read", "cancellations:write"], "allStores": true}`, asker, now).Scan(&t.keyProposal))
}

// answerTo confirms what waits.
func answerTo(proposal func(*targets) int64) func(*targets) url.Values {
	return func(t *targets) url.Values {
		return url.Values{"version": {"1"}, "answer": {"confirm"}, "proposal": {strconv.FormatInt(proposal(t), 10)}}
	}
}

// overseen adds a raised alert, and the closing report of the day before.
func (h *house) overseen(t *targets) {
	h.tb.Helper()
	h.exec(`INSERT INTO closings (day, cutoff_at, closed_at, sales, amount, canonical, hash)
		VALUES ('2026-11-19', '2026-11-19T20:00:00-06:00', '2026-11-19T20:00:01-06:00', 0, 0, '{}', sha256('{}')) ON CONFLICT DO NOTHING`)
	h.must(h.Owner.QueryRow(`INSERT INTO alerts (kind, cause, subject, raised_at, quiet_until, last_at, store_id, store_name, facts)
		VALUES ('amount', 'test ' || gen_random_uuid(), 'test', now(), now(), now(), $1, $2, '{}') RETURNING id`,
		h.Store.ID, h.Store.Name).Scan(&t.alert))
}

// forwarding adds endpoints, and deliveries to the one that is only shown.
func (h *house) forwarding(t *targets) {
	h.tb.Helper()
	t.endpoints = map[string]int64{}
	for _, act := range []string{"show", "edit", "change", "pause", "resume", "body", "secret", "test", "again", "retire"} {
		e, _, err := h.Webhooks.CreateEndpoint(h.tb.Context(), h.Admin, webhooks.Input{
			Kind: webhooks.RelayEndpoint, Name: fmt.Sprintf("%s %d", act, h.count(`SELECT count(*) FROM endpoints`)),
			URL: "https://pos.example/" + act,
		})
		h.must(err)
		t.endpoints[act] = e.ID
	}
	for _, id := range []*int64{&t.delivered, &t.waiting} {
		var err error
		*id, err = h.Webhooks.SendTest(h.tb.Context(), h.Admin, t.endpoints["show"])
		h.must(err)
	}
	h.exec(`UPDATE deliveries SET state = 'delivered', finished_at = now() WHERE id = $1`, t.delivered)
}

// ofEndpoint is the path of the endpoint to try something on.
func ofEndpoint(format, act string) func(*targets) string {
	return of(format, func(t *targets) int64 { return t.endpoints[act] })
}

// strayResult is what a terminal posted about a sale that nobody knows.
func (h *house) strayResult(serial models.SerialNumber) (id int64) {
	h.tb.Helper()
	order := fmt.Sprintf("nadie-%d", h.count(`SELECT count(*) FROM results`))
	h.must(h.Results.Receive(h.tb.Context(), models.Post{
		Body: `{"orderId":"` + order + `"}`, Kind: models.ResultCancellation, SerialNumber: string(serial), OrderID: order,
		ResponseCode: "00",
	}))
	h.must(h.Owner.QueryRow(`SELECT id FROM results WHERE order_id = $1`, order).Scan(&id))
	return id
}

// comparedReport compares a report that says of the sale that it was canceled.
func (h *house) comparedReport(sale *models.Sale) (report, difference, profile, oldProfile int64) {
	h.tb.Helper()
	p := h.reportProfile("Proveedor")
	report = h.compare(p, string(h.Rules.Window().Calendar.Day(h.Clock.Now())), h.Clock.Now().In(
		h.Rules.Window().Calendar.Zone(),
	).Format("15:04"),
		reportLine(sale, "VENTA")+reportLine(sale, "CANCELADA")).ID
	h.must(
		h.Owner.QueryRow(`SELECT id FROM report_items WHERE reconciliation_id = $1 AND sale_id = $2`, report, sale.ID).Scan(&difference),
	)
	old := h.reportProfile("Proveedor anterior")
	h.exec(`UPDATE report_profiles SET retired_at = now() WHERE id = $1`, old)
	return report, difference, h.reportProfile("Otro proveedor"), old
}

const hereAmount = models.Money(431298)

// expectation is what a route owes to whom. It is written without looking at
// the route table, so that a change there is noticed here.
type expectation struct {
	may    string // roles that may ask: a, m, s, u (auditor); "*" everybody, also nobody; "amsu" whoever is signed in
	ok     int    // status for them
	scoped bool   // a thing of a store: people of other stores find nothing
	path   func(*targets) string
	form   func(*targets) url.Values
}

func at(path string) func(*targets) string { return func(*targets) string { return path } }

// of fills an id into a path.
func of(format string, id func(*targets) int64) func(*targets) string {
	return func(t *targets) string { return fmt.Sprintf(format, id(t)) }
}

// ofBoth fills two sales of the first store into a path.
func ofBoth(format string) func(*targets) string {
	return func(t *targets) string { return fmt.Sprintf(format, t.together1.ID, t.together2.ID) }
}

// oneOfMany asks for one of them as for several.
func oneOfMany(t *targets) url.Values {
	t.visit++
	return url.Values{
		"reason": {"chargedTwice"}, "click": {fmt.Sprintf("varias-%d", t.visit)},
		"sale": {fmt.Sprintf("%d:%d", t.together1.ID, hereAmount)},
	}
}

func fields(pairs ...string) func(*targets) url.Values {
	return func(t *targets) url.Values {
		form := url.Values{}
		for i := 0; i+1 < len(pairs); i += 2 {
			value := pairs[i+1]
			if value == "#" { // something new each time
				t.visit++
				value = fmt.Sprintf("nuevo-%d@veinte.test", t.visit)
			}
			form.Add(pairs[i], value)
		}
		return form
	}
}

var expectations = map[string]expectation{
	"GET /livez":                    {"*", 200, false, at("/livez"), nil},
	"GET /readyz":                   {"*", 200, false, at("/readyz"), nil},
	"GET /healthz":                  {"*", 200, false, at("/healthz"), nil},
	"GET /static/*":                 {"*", 200, false, at(static.URL("app.css")), nil},
	"GET /favicon.ico":              {"*", 302, false, at("/favicon.ico"), nil},
	"GET /.well-known/security.txt": {"*", 200, false, at("/.well-known/security.txt"), nil},
	"POST /results/:secret":         {"*", 200, false, at("/results/" + secret), nil},
	"POST /results/:serial/:token":  {"*", 200, false, at(ownAddresses.Path("1234567890")), nil},
	"POST /login":                   {"*", 422, false, at("/login"), fields("email", "#", "password", "wrong")},
	"POST /language":                {"*", 303, false, at("/language"), fields("language", "en", "next", "/sales")},
	"GET /login/code":               {"*", 303, false, at("/login/code"), nil},
	"POST /login/code":              {"*", 303, false, at("/login/code"), fields("code", "123456")},
	"GET /login/oidc":               {"*", 303, false, at("/login/oidc"), nil},
	"GET /login/oidc/callback":      {"*", 409, false, at("/login/oidc/callback?state=x&code=y"), nil},
	"GET /login/oidc/end":           {"*", 303, false, at("/login/oidc/end"), nil},
	"POST /login/oidc/logout":       {"*", 400, false, at("/login/oidc/logout"), fields("logout_token", "x")},
	"GET /password/:token":          {"*", 410, false, func(t *targets) string { return t.link }, nil},
	"POST /password/:token":         {"*", 410, false, func(t *targets) string { return t.link }, fields("password", "", "again", "")},

	"GET /login/passkey":      {"*", 409, false, at("/login/passkey"), nil}, // the sign-in page has set no cookie
	"POST /login/passkey":     {"*", 422, false, at("/login/passkey"), fields("passkey", "x")},
	"GET /login/code/passkey": {"*", 409, false, at("/login/code/passkey"), nil},

	"GET /counter":                      {"*", 303, false, at("/counter"), nil}, // it is none
	"POST /counter":                     {"*", 303, false, at("/counter"), fields("person", "1", "pin", "240613")},
	"GET /counter/rest":                 {"amsu", 200, false, at("/counter/rest"), nil},
	"POST /counter/rest":                {"amsu", 303, false, at("/counter/rest"), nil},
	"POST /account/counters":            {"am", 422, false, at("/account/counters"), fields("store", "1", "name", "")},
	"POST /account/counters/:id/ending": {"am", 404, false, at("/account/counters/7/ending"), nil},
	"POST /account/factors/pin":         {"amsu", 422, false, at("/account/factors/pin"), fields("pin", "1", "again", "2")},
	"POST /account/factors/pin/removal": {"amsu", 404, false, at("/account/factors/pin/removal"), nil},

	"GET /account/factors":                       {"amsu", 200, false, at("/account/factors"), nil},
	"GET /account/factors/new-passkey":           {"amsu", 200, false, at("/account/factors/new-passkey"), nil},
	"GET /account/factors/proof":                 {"amsu", 409, false, at("/account/factors/proof"), nil}, // they have no passkey
	"POST /account/factors/passkeys":             {"amsu", 422, false, at("/account/factors/passkeys"), fields("passkey", "x")},
	"POST /account/factors/passkeys/:id/removal": {"amsu", 422, false, at("/account/factors/passkeys/7/removal"), nil},
	"POST /account/factors/app":                  {"amsu", 422, false, at("/account/factors/app"), nil},
	"POST /account/factors/app/code":             {"amsu", 303, false, at("/account/factors/app/code"), fields("code", "123456")},
	"POST /account/factors/app/removal":          {"amsu", 422, false, at("/account/factors/app/removal"), nil},
	"POST /account/factors/recovery":             {"amsu", 422, false, at("/account/factors/recovery"), nil},

	"POST /logout":                 {"amsu", 303, false, at("/logout"), nil},
	"GET /":                        {"amsu", 303, false, at("/"), nil},
	"GET /shortcuts":               {"amsu", 200, false, at("/shortcuts"), nil},
	"GET /account":                 {"amsu", 200, false, at("/account"), nil},
	"POST /account/password":       {"amsu", 422, false, at("/account/password"), fields("current", "x", "password", "y", "again", "z")},
	"POST /account/sessions":       {"amsu", 303, false, at("/account/sessions"), fields("session", "all")},
	"POST /account/notices":        {"amsu", 404, false, at("/account/notices"), fields("notice", "987654")},
	"POST /account/devices":        {"amsu", 404, false, at("/account/devices"), fields("device", "987654")},
	"GET /help":                    {"amsu", 303, false, at("/help"), nil},
	"GET /help/:guide":             {"amsu", 200, false, at("/help/manager"), nil},
	"POST /sales/ended":            {"amsu", 303, false, at("/sales/ended"), fields("next", "/sales")},
	"POST /help/first/dismissal":   {"amsu", 303, false, at("/help/first/dismissal"), fields("next", "/sales")},
	"POST /help/first/restoration": {"amsu", 303, false, at("/help/first/restoration"), nil},
	"GET /events":                  {"amsu", 204, false, at("/events"), nil}, // the house has stopped them: a stream does not end

	"GET /sales":           {"amsu", 200, false, at("/sales"), nil},
	"GET /sales/day":       {"amsu", 200, false, at("/sales/day"), nil},
	"GET /sales/views":     {"amsu", 200, false, at("/sales/views"), nil},
	"GET /sales/views/new": {"amsu", 200, false, at("/sales/views/new?state=confirmed"), nil},
	"POST /sales/views":    {"amsu", 303, false, at("/sales/views"), fields("name", "#", "filter", "state=confirmed")},
	"GET /sales/views/:id": {"amsu", 303, false, of("/sales/views/%d", func(t *targets) int64 { return t.saleView }), nil},
	"GET /sales/views/:id/edit": {
		"amsu", 404, false, of("/sales/views/%d/edit", func(t *targets) int64 { return t.saleView }), nil,
	},
	"POST /sales/views/:id": {
		"amsu", 404, false, of("/sales/views/%d", func(t *targets) int64 { return t.saleView }), fields("name", "x", "version", "1"),
	},
	"POST /sales/views/:id/removal": {
		"amsu", 404, false, of("/sales/views/%d/removal", func(t *targets) int64 { return t.saleView }), fields("version", "1"),
	},
	"GET /sales/new":            {"ms", 200, false, at("/sales/new"), nil},
	"POST /sales":               {"ms", 303, false, at("/sales"), fields("orderId", "#")},
	"GET /sales/pending":        {"amsu", 200, false, at("/sales/pending"), nil},
	"GET /sales/:id/correction": {"ms", 200, true, of("/sales/%d/correction", func(t *targets) int64 { return t.typed.ID }), nil},
	"POST /sales/:id/correction": {
		"ms", 303, true, of("/sales/%d/correction", func(t *targets) int64 { return t.typed.ID }), fields("amount", "12.50"),
	},
	"POST /sales/:id/undoing": {
		"ms", 303, true, of("/sales/%d/undoing", func(t *targets) int64 { return t.mistyped.ID }), fields("undoNote", "Otra orden"),
	},
	"GET /sales/:id/slip":             {"amsu", 200, true, of("/sales/%d/slip", ofSale), nil},
	"GET /sales/:id":                  {"amsu", 200, true, of("/sales/%d", ofSale), nil},
	"GET /sales/:id/cancellation/new": {"ms", 200, true, of("/sales/%d/cancellation/new", ofSale), nil},
	"POST /sales/:id/cancellation": {
		"ms", 303, true, of("/sales/%d/cancellation", func(t *targets) int64 { return t.toCancel.ID }),
		fields("reason", "chargedTwice", "click", "#"),
	},
	"GET /sales/cancellations/new":    {"s", 200, true, ofBoth("/sales/cancellations/new?sale=%d&sale=%d"), nil},
	"POST /sales/cancellations":       {"s", 303, true, at("/sales/cancellations"), oneOfMany},
	"GET /sales/cancellations/:click": {"s", 200, true, ofBoth("/sales/cancellations/no-click-of-anybody?sale=%d&sale=%d"), nil},
	"GET /cancellations/:id": {
		"amsu", 303, true, of("/cancellations/%d", func(t *targets) int64 { return t.requested.ID }), nil,
	},
	"POST /cancellations/:id/withdrawal": {
		"ms", 303, true, of("/cancellations/%d/withdrawal", func(t *targets) int64 { return t.requested.ID }), nil,
	},
	"POST /cancellations/:id/inquiry": {
		"ms", 303, true, of("/cancellations/%d/inquiry", func(t *targets) int64 { return t.doubted.ID }), nil,
	},
	"POST /cancellations/:id/resolution": {
		"s", 303, true, of("/cancellations/%d/resolution", func(t *targets) int64 { return t.unresolved.ID }),
		fields("outcome", "canceled", "authCode", "123456"),
	},
	"GET /today":  {"asu", 200, false, at("/today"), nil},
	"GET /review": {"asu", 200, false, at("/review"), nil},
	"POST /review/conflicts/:id": {
		"s", 303, true, of("/review/conflicts/%d", func(t *targets) int64 { return t.contradicted }),
		fields("note", "comparado", "seen", "amountDiffers"),
	},
	"POST /review/results/:id": {
		"s", 303, true, of("/review/results/%d", func(t *targets) int64 { return t.stray }),
		fields("seen", "noSuchSale", "note", "es de la otra caja"),
	},
	"GET /settings":              {"a", 200, false, at("/settings"), nil},
	"POST /settings/pause":       {"a", 303, false, at("/settings/pause"), fields("reason", "mantenimiento")},
	"POST /settings/resumption":  {"a", 303, false, at("/settings/resumption"), fields("pause", "1")},
	"GET /settings/rules":        {"a", 200, false, at("/settings/rules"), nil},
	"GET /settings/connection":   {"a", 200, false, at("/settings/connection"), nil},
	"POST /settings/rules":       {"a", 422, false, at("/settings/rules"), fields("seen", "1.0", "cutoff", "nunca")},
	"POST /settings/rules/draft": {"a", 200, false, at("/settings/rules/draft"), fields("seen", "1.0", "cutoff", "nunca")},
	"POST /settings/rules/versions": {
		"a", 422, false, at("/settings/rules/versions"), fields("seen", "1.0", "click", "#", "cutoff", "nunca"),
	},
	"POST /settings/connection/test": {"a", 303, false, at("/settings/connection/test"), nil},
	"GET /settings/rules/history":    {"a", 200, false, at("/settings/rules/history"), nil},

	"POST /settings/rules/:id/withdrawal": {"a", 303, false, at("/settings/rules/1/withdrawal"), nil},
	"GET /settings/access":                {"a", 200, false, at("/settings/access"), nil},
	"GET /settings/sso":                   {"a", 200, false, at("/settings/sso"), nil},
	"POST /settings/sso/groups": {
		"a", 303, false, at("/settings/sso/groups"), fields("name", "#", "role", "supervisor", "allStores", "on"),
	},
	"GET /settings/sso/groups/:id": {"a", 200, false, of("/settings/sso/groups/%d", func(t *targets) int64 { return t.group }), nil},
	"POST /settings/sso/groups/:id": {
		"a", 303, false, of("/settings/sso/groups/%d", func(t *targets) int64 { return t.group }),
		fields("version", "1", "name", "#", "role", "administrator"),
	},
	"POST /settings/sso/groups/:id/removal": {
		"a", 303, false, of("/settings/sso/groups/%d/removal", func(t *targets) int64 { return t.oldGroup }), fields("version", "1"),
	},
	"POST /settings/sso/password":  {"a", 303, false, at("/settings/sso/password"), fields("off", "off")},
	"POST /settings/sso/addresses": {"a", 303, false, at("/settings/sso/addresses"), fields("trust", "on")},
	"POST /settings/sso/links": {
		"a", 303, false, at("/settings/sso/links"), func(t *targets) url.Values { return url.Values{"person": {fmt.Sprint(t.reset)}} },
	},
	"GET /settings/reasons": {"a", 200, false, at("/settings/reasons"), nil},
	"POST /settings/reasons": {
		"a", 303, false, at("/settings/reasons"), fields("labelEs", "Se arrepintió", "labelEn", "Regret"),
	},
	"GET /settings/reasons/:code": {"a", 200, false, at("/settings/reasons/other"), nil},
	"POST /settings/reasons/:code": {
		"a", 303, false, at("/settings/reasons/other"), fields("labelEs", "Otro", "labelEn", "Other", "version", "1"),
	},
	"POST /settings/reasons/:code/position": {
		"a", 303, false, at("/settings/reasons/wrongAmount/position"), fields("to", "up", "version", "1"),
	},
	"POST /settings/reasons/:code/retirement": {"a", 303, false, at("/settings/reasons/otherPayment/retirement"), fields("version", "1")},
	"POST /settings/reasons/:code/restoration": {
		"a", 303, false, at("/settings/reasons/chargedTwice/restoration"), fields("version", "1"),
	},
	"GET /api/docs":          {"*", 200, false, at("/api/docs"), nil},
	"GET /api/openapi.json":  {"*", 200, false, at("/api/openapi.json"), nil},
	"GET /settings/keys":     {"a", 200, false, at("/settings/keys"), nil},
	"GET /settings/keys/new": {"a", 200, false, at("/settings/keys/new"), nil},
	"POST /settings/keys": {
		"a", 200, false, at("/settings/keys"),
		fields("name", "#", "scopes", "sales:read", "allStores", "on", "pace", "slow", "days", "30"),
	},
	"GET /settings/keys/:id": {
		"a", 200, false, of("/settings/keys/%d", func(t *targets) int64 { return t.keyShown }), nil,
	},
	"POST /settings/keys/:id/rotation": {
		"a", 200, false, of("/settings/keys/%d/rotation", func(t *targets) int64 { return t.rotated }),
		fields("version", "1", "overlap", "24", "days", "90"),
	},
	"POST /settings/keys/:id/proposal": {
		"a", 303, false, of("/settings/keys/%d/proposal", func(t *targets) int64 { return t.keyAsked }),
		answerTo(func(t *targets) int64 { return t.keyProposal }),
	},
	"POST /settings/keys/:id/revocation": {
		"a", 303, false, of("/settings/keys/%d/revocation", func(t *targets) int64 { return t.revoked }), fields("version", "1"),
	},
	"GET /oversight":                 {"asu", 200, false, at("/oversight"), nil},
	"GET /oversight.csv":             {"asu", 200, false, at("/oversight.csv?by=store"), nil},
	"GET /oversight/days":            {"asu", 200, false, at("/oversight/days?unit=month"), nil},
	"GET /oversight/patterns":        {"asu", 200, false, at("/oversight/patterns"), nil},
	"GET /oversight/patterns.csv":    {"asu", 200, false, at("/oversight/patterns.csv?kind=late"), nil},
	"GET /oversight/finding":         {"asu", 200, true, of("/oversight/finding?kind=person&subject=u%d", ofCanceling), nil},
	"GET /closings":                  {"asu", 200, false, at("/closings"), nil},
	"GET /closings/:day":             {"asu", 200, false, at("/closings/2026-11-19"), nil},
	"GET /closings/:day/report.csv":  {"asu", 200, false, at("/closings/2026-11-19/report.csv"), nil},
	"GET /closings/:day/report.json": {"asu", 404, false, at("/closings/2026-11-18/report.json"), nil},
	"GET /alerts":                    {"asu", 303, false, at("/alerts"), nil},
	"POST /alerts/:id/attention": {
		"s", 303, true, of("/alerts/%d/attention", func(t *targets) int64 { return t.alert }), nil,
	},
	"GET /settings/alerts":       {"a", 200, false, at("/settings/alerts"), nil},
	"POST /settings/alerts/test": {"a", 303, false, at("/settings/alerts/test"), nil},
	"GET /settings/alerts/:kind": {"a", 200, false, at("/settings/alerts/amount"), nil},
	"POST /settings/alerts/:kind": {
		"a", 303, false, at("/settings/alerts/late"),
		fields("version", "1", "minutes", "5", "quiet", "5", "allStores", "on", "language", "en"),
	},
	"POST /oversight/marks": {"s", 409, true, at("/oversight/marks"), func(t *targets) url.Values {
		return url.Values{
			"kind": {"person"}, "subject": {fmt.Sprint("u", ofCanceling(t))}, "seen": {"what was shown before"}, "last": {"0"},
			"note": {"visto"},
		}
	}},
	"GET /audit":                 {"asu", 200, false, at("/audit"), nil},
	"GET /results":               {"asu", 200, false, at("/results"), nil},
	"GET /imports":               {"a", 200, false, at("/imports"), nil},
	"GET /imports/new":           {"a", 200, false, at("/imports/new"), nil},
	"POST /imports":              {"a", 422, false, at("/imports"), fields("kind", "sales")},
	"GET /imports/:id":           {"a", 200, false, of("/imports/%d", func(t *targets) int64 { return t.checked }), nil},
	"GET /imports/:id/wrong.csv": {"a", 200, false, of("/imports/%d/wrong.csv", func(t *targets) int64 { return t.checked }), nil},
	"POST /imports/:id/status": {
		"a", 303, false, of("/imports/%d/status", func(t *targets) int64 { return t.asked }), fields("version", "2", "meaning-0", "sale"),
	},
	"POST /imports/:id/confirmation": {
		"a", 303, false, of("/imports/%d/confirmation", func(t *targets) int64 { return t.confirmed }), fields("version", "2"),
	},
	"POST /imports/:id/discarding": {
		"a", 303, false, of("/imports/%d/discarding", func(t *targets) int64 { return t.discarded }), fields("version", "2"),
	},
	"POST /imports/:id/undoing": {
		"a", 303, false, of("/imports/%d/undoing", func(t *targets) int64 { return t.undone }), fields("version", "4"),
	},
	"GET /terminals":     {"a", 200, false, at("/terminals"), nil},
	"GET /terminals/new": {"a", 200, false, at("/terminals/new"), nil},
	"POST /terminals": {
		"a", 303, false, at("/terminals"), fields("serialNumber", "2290000777", "label", "Nueva", "merchantId", "M1", "store", "1"),
	},
	"GET /terminals/health":            {"a", 200, false, at("/terminals/health"), nil},
	"GET /terminals/addresses":         {"a", 200, false, at("/terminals/addresses"), nil},
	"POST /terminals/addresses/export": {"a", 200, false, at("/terminals/addresses/export"), nil},
	"POST /terminals/:id/address": {
		"a", 200, false, of("/terminals/%d/address", func(t *targets) int64 { return t.shown }), nil,
	},
	"GET /terminals/moves": {
		"a", 200, false, of("/terminals/moves?terminal=%d", func(t *targets) int64 { return t.shown }), nil,
	},
	"GET /terminals/moves/new": {
		"a", 200, false, of("/terminals/moves/new?store=1&terminal=%d", func(t *targets) int64 { return t.shown }), nil,
	},
	"GET /audit.csv":                {"asu", 200, false, at("/audit.csv"), nil},
	"GET /audit.jsonl":              {"asu", 409, false, at("/audit.jsonl"), nil},
	"GET /audit.xlsx":               {"asu", 200, false, at("/audit.xlsx"), nil},
	"GET /sales.csv":                {"amsu", 200, false, at("/sales.csv"), nil},
	"GET /sales.xlsx":               {"amsu", 200, false, at("/sales.xlsx"), nil},
	"GET /sales/export":             {"amsu", 200, false, at("/sales/export"), nil},
	"GET /audit/print":              {"asu", 200, false, at("/audit/print"), nil},
	"GET /audit/exports":            {"asu", 200, false, at("/audit/exports"), nil},
	"GET /audit/verification":       {"asu", 200, false, at("/audit/verification"), nil},
	"POST /audit/verification":      {"asu", 303, false, at("/audit/verification"), nil},
	"POST /audit/signatures":        {"asu", 409, false, at("/audit/signatures"), nil}, // nobody else signs here
	"GET /audit/verifier":           {"asu", 200, false, at("/audit/verifier"), nil},
	"GET /audit/checkpoints/latest": {"asu", 409, false, at("/audit/checkpoints/latest"), nil}, // nothing is sealed here
	"POST /audit/checkpoints/mail":  {"asu", 303, false, at("/audit/checkpoints/mail"), nil},
	"GET /audit/:id/proof":          {"asu", 409, true, of("/audit/%d/proof", func(t *targets) int64 { return t.proved }), nil},
	"GET /audit/exports/:id":        {"amsu", 404, false, at("/audit/exports/999999"), nil},
	"GET /audit/exports/:id/note":   {"asu", 404, false, at("/audit/exports/999999/note"), nil},
	"GET /sales/export/:id":         {"amsu", 404, false, at("/sales/export/999999"), nil},
	"POST /audit/exports/:id/stop":  {"amsu", 404, false, at("/audit/exports/999999/stop"), nil},
	"GET /audit/:id":                {"asu", 200, true, of("/audit/%d", func(t *targets) int64 { return t.entry }), nil},
	"GET /audit/views":              {"asu", 200, false, at("/audit/views"), nil},
	"GET /audit/views/new":          {"asu", 200, false, at("/audit/views/new?outcome=denied"), nil},
	"POST /audit/views":             {"asu", 303, false, at("/audit/views"), fields("name", "#", "filter", "outcome=denied")},
	"GET /audit/views/:id":          {"asu", 303, false, of("/audit/views/%d", func(t *targets) int64 { return t.view }), nil},
	"GET /audit/views/:id/edit":     {"asu", 404, false, of("/audit/views/%d/edit", func(t *targets) int64 { return t.view }), nil},
	"POST /audit/views/:id": {
		"asu", 404, false, of("/audit/views/%d", func(t *targets) int64 { return t.view }), fields("name", "x", "version", "1"),
	},
	"POST /audit/views/:id/removal": {
		"asu", 404, false, of("/audit/views/%d/removal", func(t *targets) int64 { return t.view }), fields("version", "1"),
	},
	"POST /terminals/moves": {"a", 303, false, at("/terminals/moves"), func(t *targets) url.Values {
		return url.Values{"terminal": {fmt.Sprintf("%d:1", t.together)}, "store": {"2"}}
	}},
	"POST /terminals/:id/plan/withdrawal": {
		"a", 303, false, of("/terminals/%d/plan/withdrawal", func(t *targets) int64 { return t.planned }), fields("version", "2"),
	},
	"GET /terminals/:id": {
		"a", 200, false, of("/terminals/%d", func(t *targets) int64 { return t.shown }), nil,
	},
	"POST /terminals/:id": {
		"a", 303, false, of("/terminals/%d", func(t *targets) int64 { return t.relabeled }), fields("version", "1", "label", "Otra"),
	},
	"GET /terminals/:id/edit": {
		"a", 200, false, of("/terminals/%d/edit", func(t *targets) int64 { return t.shown }), nil,
	},
	"GET /terminals/:id/moves/new": {
		"a", 200, false, of("/terminals/%d/moves/new", func(t *targets) int64 { return t.shown }), nil,
	},
	"POST /terminals/:id/moves": {
		"a", 303, false, of("/terminals/%d/moves", func(t *targets) int64 { return t.moved }),
		fields("version", "1", "store", "2", "merchantId", "M2"),
	},
	"POST /terminals/:id/retirement": {
		"a", 303, false, of("/terminals/%d/retirement", func(t *targets) int64 { return t.retired }), fields("version", "1"),
	},
	"POST /terminals/:id/restoration": {
		"a", 303, false, of("/terminals/%d/restoration", func(t *targets) int64 { return t.restored }), fields("version", "1"),
	},
	"GET /stores":       {"a", 200, false, at("/stores"), nil},
	"GET /stores/names": {"amsu", 200, false, at("/stores/names"), nil},
	"GET /stores/new":   {"a", 200, false, at("/stores/new"), nil},
	"POST /stores": {
		"a", 303, false, at("/stores"), fields("code", "NUEVA-1", "name", "Nueva", "timeZone", "America/Cancun"),
	},
	"GET /stores/:id":      {"a", 200, false, at("/stores/1"), nil},
	"GET /stores/:id/edit": {"a", 200, false, at("/stores/1/edit"), nil},
	"POST /stores/:id": {
		"a", 303, false, at("/stores/1"), fields("version", "1", "code", "CAMBIADA-1", "name", "Cambiada", "timeZone", "America/Cancun"),
	},
	"GET /users":     {"a", 200, false, at("/users"), nil},
	"GET /users/new": {"a", 200, false, at("/users/new"), nil},
	"POST /users": {
		"a", 200, false, at("/users"), fields("email", "#", "name", "Nueva", "role", "manager", "stores", "1"),
	},
	"GET /users/:id":      {"a", 200, false, of("/users/%d", func(t *targets) int64 { return t.changed }), nil},
	"GET /users/:id/edit": {"a", 200, false, of("/users/%d/edit", func(t *targets) int64 { return t.changed }), nil},
	"POST /users/:id": {
		"a", 303, false, of("/users/%d", func(t *targets) int64 { return t.changed }),
		fields("version", "1", "email", "#", "name", "Otra", "role", "supervisor", "allStores", "on"),
	},
	"POST /users/:id/disabling": {
		"a", 303, false, of("/users/%d/disabling", func(t *targets) int64 { return t.disabled }), fields("version", "1"),
	},
	"POST /users/:id/enabling": {
		"a", 303, false, of("/users/%d/enabling", func(t *targets) int64 { return t.enabled }), fields("version", "1"),
	},
	"POST /users/:id/proposal": {
		"a", 303, false, of("/users/%d/proposal", func(t *targets) int64 { return t.promoted }),
		answerTo(func(t *targets) int64 { return t.proposal }),
	},
	"POST /users/:id/factors": {"a", 303, false, of("/users/%d/factors", func(t *targets) int64 { return t.reset }), nil},
	"POST /users/:id/devices": {
		"a", 404, false, of("/users/%d/devices", func(t *targets) int64 { return t.reset }), fields("device", "987654"),
	},
	"POST /users/:id/sessions": {
		"a", 303, false, of("/users/%d/sessions", func(t *targets) int64 { return t.reset }), fields("session", "all"),
	},
	"POST /users/factors":  {"a", 303, false, at("/users/factors"), fields("auditor", "never")},
	"POST /users/proof":    {"a", 303, false, at("/users/proof"), fields("ask", "off")},
	"POST /users/:id/link": {"a", 200, false, of("/users/%d/link", func(t *targets) int64 { return t.reset }), nil},
	"POST /users/:id/blocking": {
		"a", 303, false, of("/users/%d/blocking", func(t *targets) int64 { return t.blocked }), fields("version", "1"),
	},
	"POST /users/:id/unblocking": {
		"a", 303, false, of("/users/%d/unblocking", func(t *targets) int64 { return t.unblocked }), fields("version", "1"),
	},
	"GET /reconciliations":     {"as", 200, false, at("/reconciliations"), nil},
	"GET /reconciliations/new": {"as", 200, false, at("/reconciliations/new"), nil},
	"POST /reconciliations": {
		"as", 422, false, at("/reconciliations"), fields("profile", "1", "day", "2026-11-20"),
	},
	"GET /reconciliations/:id": {"as", 200, false, of("/reconciliations/%d", ofReport), nil},
	"POST /reconciliations/:id/settlement": {
		"s", 409, false, of("/reconciliations/%d/settlement", ofReport), fields("seen", "99"),
	},
	"POST /reconciliations/:id/discarding":     {"as", 422, false, of("/reconciliations/%d/discarding", ofReport), fields("seen", "99")},
	"GET /reconciliations/:id/differences.csv": {"as", 200, false, of("/reconciliations/%d/differences.csv", ofReport), nil},
	"POST /differences/:id/review": {
		"as", 303, true, of("/differences/%d/review", func(t *targets) int64 { return t.difference }), fields("note", "visto"),
	},
	"GET /settings/reconciliation":          {"a", 200, false, at("/settings/reconciliation"), nil},
	"GET /settings/reconciliation/new":      {"a", 200, false, at("/settings/reconciliation/new"), nil},
	"POST /settings/reconciliation":         {"a", 422, false, at("/settings/reconciliation"), fields("name", "Vacío")},
	"POST /settings/reconciliation/preview": {"a", 422, false, at("/settings/reconciliation/preview"), fields("name", "Vacío")},
	"GET /settings/reconciliation/:id": {
		"a", 200, false, of("/settings/reconciliation/%d", func(t *targets) int64 { return t.profile }), nil,
	},
	"POST /settings/reconciliation/:id": {
		"a", 422, false, of("/settings/reconciliation/%d", func(t *targets) int64 { return t.profile }), fields("version", "1"),
	},
	"POST /settings/reconciliation/:id/retirement": {
		"a", 303, false, of("/settings/reconciliation/%d/retirement", func(t *targets) int64 { return t.profile }), fields("version", "1"),
	},
	"POST /settings/reconciliation/:id/restoration": {
		"a", 303, false, of("/settings/reconciliation/%d/restoration", func(t *targets) int64 { return t.oldProfile }),
		fields("version", "1"),
	},
	// whoever is signed in is sent on, see TestMatrix
	"GET /login": {"*", 200, false, at("/login"), nil},
	// without amounts like those of sales; only the demo has it, see TestGallery
	"GET /gallery":       {"*", 200, false, at("/gallery?page=error-404"), nil},
	"GET /endpoints":     {"a", 200, false, at("/endpoints"), nil},
	"GET /endpoints/new": {"a", 200, false, at("/endpoints/new?kind=webhook"), nil},
	"POST /endpoints": {
		"a", 201, false, at("/endpoints"), fields("kind", "relay", "name", "#", "url", "https://pos.example/?key=s3cr3t-of-the-pos"),
	},
	"GET /endpoints/:id":      {"a", 200, false, ofEndpoint("/endpoints/%d", "show"), nil},
	"GET /endpoints/:id/edit": {"a", 200, false, ofEndpoint("/endpoints/%d/edit", "edit"), nil},
	"POST /endpoints/:id": {
		"a", 303, false, ofEndpoint("/endpoints/%d", "change"),
		fields("version", "1", "name", "#", "url", "https://pos.example/other?key=0ther-s3cr3t"),
	},
	"POST /endpoints/:id/pause": {"a", 303, false, ofEndpoint("/endpoints/%d/pause", "pause"), fields("version", "1")},
	"POST /endpoints/:id/resumption": {
		"a", 303, false, ofEndpoint("/endpoints/%d/resumption", "resume"), fields("version", "1"),
	},
	"POST /endpoints/:id/body": {
		"a", 303, false, ofEndpoint("/endpoints/%d/body", "body"), fields("version", "1", "body", "originalAsked"),
	},
	"POST /endpoints/:id/secret": {
		"a", 201, false, ofEndpoint("/endpoints/%d/secret", "secret"), fields("version", "1"),
	},
	"POST /endpoints/:id/test": {"a", 303, false, ofEndpoint("/endpoints/%d/test", "test"), nil},
	"POST /endpoints/:id/redelivery": {
		"a", 303, false, ofEndpoint("/endpoints/%d/redelivery", "again"), fields("since", "2026-11-20"),
	},
	"POST /endpoints/:id/retirement": {
		"a", 303, false, ofEndpoint("/endpoints/%d/retirement", "retire"), fields("version", "1"),
	},
	"GET /deliveries/:id": {
		"a", 200, false, of("/deliveries/%d", func(t *targets) int64 { return t.delivered }), nil,
	},
	"POST /deliveries/:id/redelivery": {
		"a", 303, false, of("/deliveries/%d/redelivery", func(t *targets) int64 { return t.delivered }), nil,
	},
	"POST /deliveries/:id/setting-aside": {
		"a", 303, false, of("/deliveries/%d/setting-aside", func(t *targets) int64 { return t.waiting }), nil,
	},
}

func ofCanceling(t *targets) int64 { return t.canceling }

func ofSale(t *targets) int64 { return t.sale.ID }

func ofReport(t *targets) int64 { return t.report }
