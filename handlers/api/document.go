package api

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"veinte/handlers/api/events"
	"veinte/handlers/api/headers"
	"veinte/handlers/api/reference"
	"veinte/handlers/api/shapes"
	exchangeview "veinte/views/exchange"
)

// securityScheme names how a program shows who it is.
const securityScheme = "apiKey"

// scopeExtension says which scope an operation needs.
const scopeExtension = "x-scope"

// outline is the document without operations. Its texts are catalogue keys, which
// are translated for each request.
func (a *API) outline() *huma.OpenAPI {
	return &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title: "api.title", Version: "1", Description: "api.about",
			Contact: &huma.Contact{Name: "Veinte", URL: a.BaseURL + "/api/docs"},
		},
		Servers: []*huma.Server{{URL: cmp.Or(a.BaseURL, "/"), Description: "api.server"}},
		Tags: []*huma.Tag{
			{Name: "sales", Description: "api.tag.sales"},
			{Name: "cancellations", Description: "api.tag.cancellations"},
			{Name: "stores", Description: "api.tag.stores"},
			{Name: "changes", Description: "api.tag.changes"},
			{Name: "audit", Description: "api.tag.audit"},
			{Name: events.Tag, Description: "api.tag.webhooks"},
		},
		Components: &huma.Components{
			Schemas: huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer),
			SecuritySchemes: map[string]*huma.SecurityScheme{securityScheme: {
				Type: "http", Scheme: "bearer", BearerFormat: "vk_live_…", Description: "api.security",
			}},
		},
	}
}

// successes are the responses of an operation that did what was asked, the usual one
// first: the type of the body and an example of it.
var successes = map[string][]struct {
	status        int
	body, example any
	headers       []headers.Header
}{
	"recordSales": {
		{http.StatusCreated, shapes.Outcome{}, shapes.ExampleOutcome, []headers.Header{replayed}},
		{http.StatusOK, shapes.Batch{}, shapes.ExampleBatch, []headers.Header{replayed}},
	},
	"listCancellations": {{http.StatusOK, shapes.Cancellations{}, shapes.ExampleCancellations, nil}},
	"followChanges":     {{http.StatusOK, shapes.Changes{}, shapes.ExampleChanges, nil}},
	"listReasons":       {{http.StatusOK, shapes.Reasons{}, shapes.ExampleReasons, nil}},
	"listStores":        {{http.StatusOK, shapes.Stores{}, shapes.ExampleStores, nil}},
	"listTerminals":     {{http.StatusOK, shapes.Terminals{}, shapes.ExampleTerminals, nil}},
	"putStore": {
		{http.StatusOK, shapes.Store{}, shapes.ExampleStore, []headers.Header{{Name: "ETag"}}},
		{http.StatusCreated, shapes.Store{}, shapes.ExampleStore, []headers.Header{{Name: "ETag"}}},
	},
	"putTerminal": {
		{http.StatusOK, shapes.Terminal{}, shapes.ExampleTerminal, []headers.Header{{Name: "ETag"}}},
		{http.StatusCreated, shapes.Terminal{}, shapes.ExampleTerminal, []headers.Header{{Name: "ETag"}}},
	},
	"listSales": {
		{http.StatusOK, shapes.Sales{}, nil, []headers.Header{{Name: "ETag", Sometimes: true}}},
		{http.StatusNotModified, nil, nil, []headers.Header{{Name: "ETag"}}},
	},
	"findSale":     {{http.StatusOK, shapes.Sale{}, shapes.ExampleSale, nil}},
	"findSaleById": {{http.StatusOK, shapes.Sale{}, shapes.ExampleSale, nil}},
	"findSalesByReference": {
		{http.StatusOK, shapes.SaleMatches{}, shapes.SaleMatches{Items: []shapes.Sale{shapes.ExampleSale}}, nil},
	},
	"correctSale": {{http.StatusOK, shapes.Sale{}, shapes.ExampleSale, []headers.Header{replayed}}},
	"undoSale": {{http.StatusOK, shapes.Undone{}, shapes.Undone{
		SaleID: shapes.ExampleSale.ID, SerialNumber: shapes.ExampleSale.SerialNumber,
		StoreID: shapes.ExampleSale.StoreID, OrderID: shapes.ExampleSale.OrderID,
	}, []headers.Header{replayed}}},
	"withdrawCancellation": {{http.StatusOK, shapes.Cancellation{}, shapes.ExampleWithdrawn, []headers.Header{replayed}}},
	"cancelSale": {
		{http.StatusAccepted, shapes.Cancellation{}, shapes.ExampleCancellation, []headers.Header{{Name: "Location"}, replayed}},
	},
	"findCancellation": {{http.StatusOK, shapes.Cancellation{}, shapes.ExampleCancellation, nil}},
	"followAudit":      {{http.StatusOK, shapes.AuditPage{}, nil, []headers.Header{{Name: nextHeader}}}},
	"auditCheckpoint":  {{http.StatusOK, shapes.Checkpoint{}, shapes.ExampleCheckpoint, nil}},
	"auditConsistency": {{http.StatusOK, shapes.Consistency{}, nil, nil}},
	"proveEntry":       {{http.StatusOK, shapes.EntryProof{}, nil, nil}},
}

// replayed is the header of a repeat that was answered from what is stored.
var replayed = headers.Header{Name: "Idempotency-Replayed", Sometimes: true}

// responses are the possible responses of an operation, with its own problems.
func (a *API) responses(id string, problems []int) map[string]*huma.Response {
	all := map[string]*huma.Response{}
	put := func(status int, key string, content map[string]*huma.MediaType, own []headers.Header) {
		for _, name := range deprecationHeaders {
			if hasOldNames[id] { // a body that is too large is refused before the operation is known
				own = append(own, headers.Header{Name: name, Sometimes: status == http.StatusRequestEntityTooLarge})
			}
		}
		all[strconv.Itoa(status)] = &huma.Response{Description: key, Content: content, Headers: headers.Documented(own)}
	}
	for _, s := range successes[id] {
		var content map[string]*huma.MediaType
		if s.body != nil {
			content = map[string]*huma.MediaType{"application/json": {Schema: a.schemaOf(s.body), Example: s.example}}
		}
		switch id {
		case "recordSales":
			content["application/json"].Schema = &huma.Schema{OneOf: []*huma.Schema{a.schemaOf(shapes.Outcome{}), a.schemaOf(shapes.Batch{})}}
		case "listSales":
			if media := content["application/json"]; media != nil {
				media.Schema = &huma.Schema{OneOf: []*huma.Schema{media.Schema, a.schemaOf(shapes.SalesOfRange{})}}
			}
		case "followAudit":
			content[ndjsonType] = &huma.MediaType{Schema: a.schemaOf(shapes.AuditEntry{})}
		}
		put(s.status, "api.answer."+id+"."+strconv.Itoa(s.status), content, headers.OfSuccess(s.headers...))
	}
	for _, status := range append(problems, problemsOfAll...) {
		content := map[string]*huma.MediaType{problemType: {Schema: a.schemaOf(Problem{})}}
		put(status, "api.answer."+strconv.Itoa(status), content, headers.OfProblem(status))
	}
	return all
}

// letResponsesGrow opens the schemas of responses: a field that is added later must not
// break a program that validates what it gets. Those of requests stay closed, because a
// misspelt field must not silently be none.
func (a *API) letResponsesGrow() {
	schemas := a.huma.OpenAPI().Components.Schemas
	var requests []*huma.Schema
	for _, v := range []any{
		shapes.SaleInput{},
		shapes.CancelInput{},
		shapes.CorrectInput{},
		shapes.UndoInput{},
		shapes.WithdrawInput{},
		shapes.StoreInput{},
		shapes.TerminalInput{},
	} {
		requests = append(requests, a.schemaOf(v))
	}
	for name, s := range schemas.Map() {
		if !slices.ContainsFunc(requests, func(r *huma.Schema) bool { return strings.HasSuffix(r.Ref, "/"+name) }) {
			s.AdditionalProperties = nil
		}
	}
}

// body is the request body of an operation.
func (a *API) body(id string) *huma.RequestBody {
	one := func(name string, example any) *huma.MediaType {
		return &huma.MediaType{
			Schema: a.schemaOf(example), Examples: map[string]*huma.Example{name: {Summary: "api.example." + name, Value: example}},
		}
	}
	media := map[string]*huma.MediaType{
		"cancelSale": one("cancel", shapes.ExampleCancel), "correctSale": one("correct", shapes.ExampleCorrection),
		"putStore": one("store", shapes.ExampleStoreInput), "putTerminal": one("terminal", shapes.ExampleTerminalInput),
		"undoSale":             one("undo", shapes.ExampleUndo),
		"withdrawCancellation": one("withdraw", shapes.WithdrawInput{}), "recordSales": one("one", shapes.ExampleInput),
	}[id]
	if id == "recordSales" {
		least, most := 1, maxItems
		sale := media.Schema
		media.Schema = &huma.Schema{OneOf: []*huma.Schema{sale, {Type: huma.TypeArray, Items: sale, MinItems: &least, MaxItems: &most}}}
		media.Examples["many"] = &huma.Example{Summary: "api.example.many", Value: []shapes.SaleInput{shapes.ExampleInput, shapes.ExampleSecond}}
	}
	return &huma.RequestBody{Required: true, Description: "api.body." + id, Content: map[string]*huma.MediaType{"application/json": media}}
}

// cached returns a document that is written once.
func (a *API) cached(name string, write func() ([]byte, error)) (text []byte, err error) {
	a.documentsMu.Lock()
	defer a.documentsMu.Unlock()
	if a.documents[name] == nil {
		if text, err = write(); err != nil {
			return nil, err
		}
		a.documents[name] = text
	}
	return a.documents[name], nil
}

// OpenAPI returns the document in a language.
func (a *API) OpenAPI(language string) ([]byte, error) {
	return a.cached("openapi "+language, func() ([]byte, error) {
		raw, err := json.Marshal(a.huma.OpenAPI())
		if err != nil {
			return nil, fmt.Errorf("write document: %w", err)
		}
		var tree map[string]any
		if err := json.Unmarshal(raw, &tree); err != nil {
			return nil, fmt.Errorf("read document: %w", err)
		}
		if c, ok := tree["components"].(map[string]any); ok {
			if schemas, ok := c["schemas"].(map[string]any); ok {
				delete(schemas, "ErrorModel") // huma's own, which no answer of ours is
				delete(schemas, "ErrorDetail")
			}
		}
		return reference.Indented(reference.InWords(tree, language))
	})
}

// Reference is the document as a page shows it.
func (a *API) Reference(language string) *exchangeview.APIReference {
	d := reference.Document{OpenAPI: a.huma.OpenAPI(), Server: a.BaseURL, Schemas: []string{
		"Sale", "Cancellation", "Outcome", "Batch", "Sales", "SalesOfRange", "SaleMatches", "Undone", "SaleTotals", "Cancellations",
		"Reasons", "Reason", "Stores", "Store", "Terminals", "Terminal", "Changes", "Change", "Result", "AuditPage",
		"AuditEntry", "Checkpoint", "Consistency",
		"EntryProof", "Problem", "FieldError", "WarningNote",
	}}
	for _, line := range a.lines {
		d.Operations = append(d.Operations, reference.Operation{Operation: line.documented, Scope: line.Scope})
	}
	for _, k := range kinds {
		d.Problems = append(d.Problems, reference.Problem{Code: k.code, Status: k.status})
	}
	return d.In(language)
}
