package api

import (
	"cmp"
	"context"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"

	"veinte/handlers/api/events"
	"veinte/models/apikeys"
)

// register lists the operations with the scope that a key needs for each, and the
// problems that it can have besides those of all. The queries restrict sales and
// cancellations to the key's stores.
func (a *API) register() {
	const missing, conflict = http.StatusNotFound, http.StatusConflict
	add(a, apikeys.ScopeSalesWrite, "POST", "/sales", "recordSales", a.recordSales, conflict)
	add(a, apikeys.ScopeSalesRead, "GET", "/sales", "listSales", a.listSales, missing)
	add(a, apikeys.ScopeSalesRead, "GET", "/sales/{orderId}", "findSale", a.findSale, missing, conflict)
	add(a, apikeys.ScopeSalesRead, "GET", "/sales/id/{id}", "findSaleById", a.findSaleByID, missing)
	add(a, apikeys.ScopeSalesRead, "GET", "/sales/reference/{reference}", "findSalesByReference", a.findByReference, missing)
	add(a, apikeys.ScopeSalesWrite, "POST", "/sales/{orderId}/correction", "correctSale", a.correctSale, missing, conflict)
	add(a, apikeys.ScopeSalesWrite, "POST", "/sales/{orderId}/undoing", "undoSale", a.undoSale, missing, conflict)
	add(a, apikeys.ScopeCancellationsWrite, "POST", "/sales/{orderId}/cancellation", "cancelSale", a.cancelSale, missing, conflict)
	add(a, apikeys.ScopeCancellationsRead, "GET", "/cancellations", "listCancellations", a.listCancellations, missing)
	add(a, apikeys.ScopeCancellationsRead, "GET", "/reasons", "listReasons", a.listReasons)
	add(a, apikeys.ScopeStoresRead, "GET", "/stores", "listStores", a.listStores)
	add(a, apikeys.ScopeStoresRead, "GET", "/terminals", "listTerminals", a.listTerminals, missing)
	add(a, apikeys.ScopeStoresWrite, "PUT", "/stores/{store}", "putStore", a.putStore, missing, http.StatusPreconditionFailed)
	add(a, apikeys.ScopeTerminalsWrite, "PUT", "/terminals/{serialNumber}", "putTerminal", a.putTerminal,
		missing, conflict, http.StatusPreconditionFailed)
	add(a, apikeys.ScopeCancellationsRead, "GET", "/cancellations/{id}", "findCancellation", a.findCancellation, missing)
	add(a, apikeys.ScopeCancellationsWrite, "POST", "/cancellations/{id}/withdrawal", "withdrawCancellation", a.withdrawCancellation,
		missing, conflict)
	add(a, apikeys.ScopeChangesRead, "GET", "/changes", "followChanges", a.followChanges)
	add(a, apikeys.ScopeAuditFollow, "GET", "/audit", "followAudit", a.followAudit)
	add(a, apikeys.ScopeAuditCheckpoint, "GET", "/audit/checkpoint", "auditCheckpoint", a.checkpoint, conflict)
	add(a, apikeys.ScopeAuditCheckpoint, "GET", "/audit/consistency", "auditConsistency", a.consistency, conflict)
	add(a, apikeys.ScopeAuditRead, "GET", "/audit/entries/{id}/proof", "proveEntry", a.proveEntry, missing, conflict)
	a.huma.OpenAPI().Webhooks = events.Webhooks(a.huma.OpenAPI().Components.Schemas)
	a.letResponsesGrow()
}

// add registers an operation: its route, its guard and its part of the document.
func add[I any](
	a *API, scope apikeys.Scope, method, path, id string, answer func(context.Context, *I) (*output, error), problems ...int,
) {
	tag, _, _ := strings.Cut(string(scope), ":")
	if writes(method) {
		problems = append(problems, http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
	}
	query := map[string]bool{}
	op := huma.Operation{
		OperationID: id, Method: method, Path: Prefix + path, Summary: "api.op." + id, Description: "api.op." + id + ".text",
		Tags: []string{tag}, Security: []map[string][]string{{securityScheme: {}}},
		// The narrowest that opens it. A key's scopes are no OAuth's, so linters want them
		// elsewhere than in security.
		Extensions: map[string]any{scopeExtension: string(scope)},
		Responses:  a.responses(id, problems), DefaultStatus: successes[id][0].status,
		// models validates the parameters, with messages in the user's language.
		SkipValidateParams: true,
		Middlewares:        huma.Middlewares{a.guard(id, scope, query)},
	}
	huma.Register(a.huma, op, func(ctx context.Context, in *I) (*output, error) {
		out, err := answer(ctx, in)
		if err == nil {
			return out, nil
		}
		c := callOf(ctx)
		c.refused = err
		p := a.problem(c.Ctx, err)
		a.dress(c.Ctx, p)
		return nil, p
	})
	item := a.huma.OpenAPI().Paths[Prefix+path]
	documented := item.Get
	if writes(method) {
		documented = cmp.Or(item.Post, item.Put)
		documented.RequestBody = a.body(id)
	}
	for _, p := range documented.Parameters {
		if p.In == "query" {
			query[p.Name] = true
		}
	}
	a.lines = append(a.lines, Line{Method: method, Path: Prefix + path, Scope: scope, documented: documented})
}

// writes reports whether a method may change something, and so has a body.
func writes(method string) bool { return method == fiber.MethodPost || method == fiber.MethodPut }

// problemsOfAll are those that any operation can have.
var problemsOfAll = []int{
	http.StatusUnauthorized, http.StatusForbidden, http.StatusUnprocessableEntity, http.StatusTooManyRequests,
	http.StatusInternalServerError, http.StatusServiceUnavailable,
}

// schemaOf returns the schema of a type, stored under its name.
func (a *API) schemaOf(v any) *huma.Schema {
	return a.huma.OpenAPI().Components.Schemas.Schema(reflect.TypeOf(v), true, "")
}
