package samples

import (
	"strings"
	"time"

	"github.com/a-h/templ"

	"veinte/models"
	"veinte/models/apikeys"
	exchangeview "veinte/views/exchange"
	"veinte/views/ui"
)

func (s Shop) key(change func(*apikeys.Key)) apikeys.Key {
	now := s.At("12:00:00")
	used := now.Add(-time.Hour)
	k := apikeys.Key{
		ID: 1e12, Name: "Punto de venta Roma", Scopes: []apikeys.Scope{apikeys.ScopeSalesWrite, apikeys.ScopeSalesRead}, StoreIDs: []int64{1},
		PerMinute: 30000,
		Version:   1, CreatedAt: now.AddDate(0, -1, 0), CreatedBy: "Diego Luna", Secrets: []apikeys.Secret{
			{ID: 2, Prefix: "vk_live_abcd", ExpiresAt: now.AddDate(0, 6, 0), LastUsedAt: &used},
			{ID: 1, Prefix: "vk_live_efgh", ExpiresAt: now.Add(-time.Minute)},
		},
	}
	change(&k)
	return k
}

// addKeyPages adds the pages of the API's keys and its reference.
func (s Shop) addKeyPages(pages map[string]templ.Component) {
	p := s.Page(models.Administrator, "/settings/keys", "12:00:00")
	now := s.At("12:00:00")
	keys := []apikeys.Key{
		s.key(func(*apikeys.Key) {}),
		s.key(func(k *apikeys.Key) { k.Secrets[0].ExpiresAt = now.AddDate(0, 0, 3) }),
		s.key(func(k *apikeys.Key) { k.Secrets[0].ExpiresAt, k.Secrets[0].LastUsedAt = now, nil }),
		s.key(func(k *apikeys.Key) { k.RevokedAt, k.RevokedBy = &now, "Diego Luna" }),
	}
	pages["keys"] = exchangeview.Keys(&exchangeview.KeysView{Page: p, Keys: keys, Stores: s.Stores()})
	pages["keys-none"] = exchangeview.Keys(&exchangeview.KeysView{Page: p})
	pages["key-new"] = exchangeview.KeyNew(&exchangeview.KeyFormView{
		Page: p, Stores: s.Stores(), Form: exchangeview.KeyForm{Pace: apikeys.PaceNormal, Days: 90},
	})
	wrong := exchangeview.KeyForm{Errors: ui.Errors{
		"name": "key.nameTaken", "scopes": "key.scopeRequired", "stores": "store.required", "pace": "key.paceInvalid", "days": "key.daysInvalid",
	}}
	pages["key-wrong"] = exchangeview.KeyNew(&exchangeview.KeyFormView{Page: p, Stores: s.Stores(), Form: wrong})
	pages["key"] = exchangeview.Key(&exchangeview.KeyView{
		Page: p, Key: keys[0], Stores: s.Stores(), Rotate: exchangeview.RotateForm{Days: 90, Overlap: 24}, Waiting: 1,
	})
	waits, id := keys[0], keys[0].ID
	waits.Withheld, waits.Scopes = true, []apikeys.Scope{apikeys.ScopeSalesRead, apikeys.ScopeCancellationsWrite}
	asked := s.Proposal()
	asked.UserID, asked.KeyID, asked.Name = nil, &id, waits.Name
	asked.Before = models.Rights{Scopes: []string{string(apikeys.ScopeSalesRead)}, AllStores: true}
	asked.After = models.Rights{Scopes: []string{string(apikeys.ScopeSalesRead), models.CancelScope}, AllStores: true}
	pages["key-waits"] = exchangeview.Key(&exchangeview.KeyView{
		Page: p, Key: waits, Stores: s.Stores(), Proposal: asked, Rotate: exchangeview.RotateForm{Days: 90, Overlap: 24},
	})
	pages["key-stale"] = exchangeview.Key(&exchangeview.KeyView{
		Page: p, Key: keys[0], Stores: s.Stores(),
		Rotate: exchangeview.RotateForm{Errors: ui.Errors{"": "error.stale", "overlap": "key.overlapInvalid"}},
	})
	pages["key-revoked"] = exchangeview.Key(&exchangeview.KeyView{
		Page: p, Key: keys[3], Stores: s.Stores(), Revoke: ui.Errors{"": "key.revoked"},
	})
	pages["key-shown"] = exchangeview.KeyShown(&exchangeview.KeyShownView{
		Page: p, Key: keys[0], Secret: "vk_live_" + strings.Repeat("a", 59), Server: "veinte.example",
	})
	pages["api-docs"] = exchangeview.APIDocs(&exchangeview.APIReference{
		Page: s.Outside("/api/docs", "12:00:00"), Server: "veinte.example", Scopes: apikeys.Scopes,
		Operations: []exchangeview.APIOperation{{
			ID: "findSale", Method: "GET", Path: "/api/v1/sales/{orderId}", Scope: apikeys.ScopeSalesRead, Summary: "¿Se canceló?",
			Text: "La venta.",
			Parameters: []exchangeview.APIField{{
				Name: "orderId", Type: "string", In: "path", Required: true, Text: "Número de orden", Limits: []string{"≤ 250"},
				Values: []string{"a"},
			}},
			Body: []exchangeview.APIField{{Name: "reason", Type: "string", Text: "Motivo"}}, BodyText: "Un objeto.",
			Curl:    "curl veinte.example",
			Answers: []exchangeview.APIAnswer{{Status: 200, Text: "La venta.", Schemas: []string{"Sale"}, Example: "{}"}},
		}},
		Schemas:  []exchangeview.APISchema{{Name: "Sale", Fields: []exchangeview.APIField{{Name: "amount", Type: "string", Text: "Monto"}}}},
		Problems: []exchangeview.APIProblem{{Code: "not-found", Status: 404, Title: "No existe", Text: "Nada."}},
	})
}
