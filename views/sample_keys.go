package views

import (
	"strings"
	"time"

	"github.com/a-h/templ"

	"veinte/models"
)

func sampleKey(change func(*models.APIKey)) models.APIKey {
	now := sampleAt("12:00:00")
	used := now.Add(-time.Hour)
	k := models.APIKey{
		ID: 1e12, Name: "Punto de venta Roma", Scopes: []models.Scope{models.ScopeSalesWrite, models.ScopeSalesRead}, StoreIDs: []int64{1}, PerMinute: 30000,
		Version: 1, CreatedAt: now.AddDate(0, -1, 0), CreatedBy: "Diego Luna", Secrets: []models.APISecret{
			{ID: 2, Prefix: "vk_live_abcd", ExpiresAt: now.AddDate(0, 6, 0), LastUsedAt: &used},
			{ID: 1, Prefix: "vk_live_efgh", ExpiresAt: now.Add(-time.Minute)},
		},
	}
	change(&k)
	return k
}

// addKeyPages adds the pages of the API's keys and its reference.
func addKeyPages(pages map[string]templ.Component) {
	p := samplePage(models.Administrator, "/settings/keys", "12:00:00")
	now := sampleAt("12:00:00")
	keys := []models.APIKey{
		sampleKey(func(*models.APIKey) {}),
		sampleKey(func(k *models.APIKey) { k.Secrets[0].ExpiresAt = now.AddDate(0, 0, 3) }),
		sampleKey(func(k *models.APIKey) { k.Secrets[0].ExpiresAt, k.Secrets[0].LastUsedAt = now, nil }),
		sampleKey(func(k *models.APIKey) { k.RevokedAt, k.RevokedBy = &now, "Diego Luna" }),
	}
	pages["keys"] = Keys(&KeysView{Page: p, Keys: keys, Stores: sampleStores()})
	pages["keys-none"] = Keys(&KeysView{Page: p})
	pages["key-new"] = KeyNew(&KeyFormView{Page: p, Stores: sampleStores(), Form: KeyForm{Pace: models.PaceNormal, Days: 90}})
	pages["key-wrong"] = KeyNew(&KeyFormView{Page: p, Stores: sampleStores(), Form: KeyForm{Errors: Errors{
		"name": "key.nameTaken", "scopes": "key.scopeRequired", "stores": "store.required", "pace": "key.paceInvalid", "days": "key.daysInvalid",
	}}})
	pages["key"] = Key(&KeyView{Page: p, Key: keys[0], Stores: sampleStores(), Rotate: RotateForm{Days: 90, Overlap: 24}})
	pages["key-stale"] = Key(&KeyView{Page: p, Key: keys[0], Stores: sampleStores(), Rotate: RotateForm{Errors: Errors{"": "error.stale", "overlap": "key.overlapInvalid"}}})
	pages["key-revoked"] = Key(&KeyView{Page: p, Key: keys[3], Stores: sampleStores(), Revoke: Errors{"": "key.revoked"}})
	pages["key-shown"] = KeyShown(&KeyShownView{Page: p, Key: keys[0], Secret: "vk_live_" + strings.Repeat("a", 59), Server: "veinte.example"})
	pages["api-docs"] = APIDocs(&APIReference{
		Page: Page{Now: now, Window: sampleWindow(), Path: "/api/docs"}, Server: "veinte.example", Scopes: models.Scopes,
		Operations: []APIOperation{{
			ID: "findSale", Method: "GET", Path: "/api/v1/sales/{orderId}", Scope: models.ScopeSalesRead, Summary: "¿Se canceló?", Text: "La venta.",
			Parameters: []APIField{{Name: "orderId", Type: "string", In: "path", Required: true, Text: "Número de orden", Limits: []string{"≤ 80"}, Values: []string{"a"}}},
			Body:       []APIField{{Name: "reason", Type: "string", Text: "Motivo"}}, BodyText: "Un objeto.", Curl: "curl veinte.example",
			Answers: []APIAnswer{{Status: 200, Text: "La venta.", Schemas: []string{"Sale"}, Example: "{}"}},
		}},
		Schemas:  []APISchema{{Name: "Sale", Fields: []APIField{{Name: "amount", Type: "string", Text: "Monto"}}}},
		Problems: []APIProblem{{Code: "not-found", Status: 404, Title: "No existe", Text: "Nada."}},
	})
}
