package api

import (
	"context"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"

	"veinte/models/apikeys"
)

// register lists the operations with the scope that a key needs for each. The
// queries restrict sales and cancellations to the key's stores.
func (a *API) register() {
	add(a, apikeys.ScopeSalesWrite, "POST", "/sales", "recordSales", a.recordSales)
	add(a, apikeys.ScopeSalesRead, "GET", "/sales", "listSales", a.listSales)
	add(a, apikeys.ScopeSalesRead, "GET", "/sales/{orderId}", "findSale", a.findSale)
	add(a, apikeys.ScopeCancellationsWrite, "POST", "/sales/{orderId}/cancellation", "cancelSale", a.cancelSale)
	add(a, apikeys.ScopeCancellationsRead, "GET", "/cancellations/{id}", "findCancellation", a.findCase)
	add(a, apikeys.ScopeAuditRead, "GET", "/audit", "followAudit", a.followAudit)
	add(a, apikeys.ScopeAuditRead, "GET", "/audit/checkpoint", "auditCheckpoint", a.checkpoint)
	add(a, apikeys.ScopeAuditRead, "GET", "/audit/consistency", "auditConsistency", a.consistency)
	add(a, apikeys.ScopeAuditRead, "GET", "/audit/entries/{id}/proof", "proveEntry", a.proveEntry)
}

// add registers an operation: its route, its guard and its part of the document.
func add[I any](a *API, scope apikeys.Scope, method, path, id string, answer func(context.Context, *I) (*output, error)) {
	query := map[string]bool{}
	op := huma.Operation{
		OperationID: id, Method: method, Path: Prefix + path, Summary: "api.op." + id, Description: "api.op." + id + ".text",
		Tags: []string{tagOfScope[scope]}, Security: []map[string][]string{{securityScheme: {string(scope)}}},
		Responses: a.responses(id), DefaultStatus: statusOf[id],
		// models validates the parameters, with messages in the user's language.
		SkipValidateParams: true,
		Middlewares:        huma.Middlewares{a.guard(scope, query)},
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
	if method == fiber.MethodPost {
		documented = item.Post
		documented.RequestBody = a.body(id)
	}
	for _, p := range documented.Parameters {
		if p.In == "query" {
			query[p.Name] = true
		}
	}
	a.lines = append(a.lines, Line{Method: method, Path: Prefix + path, Scope: scope})
}

var tagOfScope = map[apikeys.Scope]string{
	apikeys.ScopeSalesWrite: "sales", apikeys.ScopeSalesRead: "sales",
	apikeys.ScopeCancellationsWrite: "cancellations", apikeys.ScopeCancellationsRead: "cancellations", apikeys.ScopeAuditRead: "audit",
}

// statusOf is the status of a successful operation.
var statusOf = map[string]int{
	"recordSales": http.StatusCreated, "listSales": http.StatusOK, "findSale": http.StatusOK,
	"cancelSale": http.StatusAccepted, "findCancellation": http.StatusOK, "followAudit": http.StatusOK,
	"auditCheckpoint": http.StatusOK, "auditConsistency": http.StatusOK, "proveEntry": http.StatusOK,
}

// problemsOf are the problems that each operation can have besides those of all.
var problemsOf = map[string][]int{
	"recordSales": {http.StatusBadRequest, http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType},
	"listSales":   {http.StatusNotFound},
	"findSale":    {http.StatusNotFound, http.StatusConflict},
	"cancelSale": {
		http.StatusBadRequest, http.StatusNotFound, http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType,
	},
	"findCancellation": {http.StatusNotFound},
	"followAudit":      {},
	"auditCheckpoint":  {http.StatusConflict},
	"auditConsistency": {http.StatusConflict},
	"proveEntry":       {http.StatusNotFound, http.StatusConflict},
}

// problemsOfAll are those that any operation can have.
var problemsOfAll = []int{
	http.StatusUnauthorized, http.StatusForbidden, http.StatusUnprocessableEntity, http.StatusTooManyRequests,
	http.StatusInternalServerError, http.StatusServiceUnavailable,
}

// schemaOf returns the schema of a type, stored under its name.
func (a *API) schemaOf(v any) *huma.Schema {
	return a.huma.OpenAPI().Components.Schemas.Schema(reflect.TypeOf(v), true, "")
}
