package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"veinte/views/locale"
)

// securityScheme names how a program shows who it is.
const securityScheme = "apiKey"

// outline is the document without operations. Its texts are catalogue keys, which
// are translated for each request.
func (a *API) outline() *huma.OpenAPI {
	return &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info:    &huma.Info{Title: "api.title", Version: "1", Description: "api.about"},
		Servers: []*huma.Server{{URL: cmp.Or(a.BaseURL, "/"), Description: "api.server"}},
		Tags: []*huma.Tag{
			{Name: "sales", Description: "api.tag.sales"},
			{Name: "cancellations", Description: "api.tag.cancellations"},
			{Name: "audit", Description: "api.tag.audit"},
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
	headers       []header
}{
	"recordSales": {
		{http.StatusCreated, Outcome{}, exampleOutcome, []header{replayed}},
		{http.StatusOK, Batch{}, exampleBatch, []header{replayed}},
	},
	"listSales": {
		{http.StatusOK, Sales{}, nil, []header{{name: "ETag"}}},
		{http.StatusNotModified, nil, nil, []header{{name: "ETag"}}},
	},
	"findSale":     {{http.StatusOK, Sale{}, exampleSale, nil}},
	"findSaleById": {{http.StatusOK, Sale{}, exampleSale, nil}},
	"findSalesByReference": {
		{http.StatusOK, SaleMatches{}, SaleMatches{Items: []Sale{exampleSale}}, nil},
	},
	"correctSale": {{http.StatusOK, Sale{}, exampleSale, []header{replayed}}},
	"undoSale": {{http.StatusOK, Undone{}, Undone{
		SaleID: exampleSale.ID, SerialNumber: exampleSale.SerialNumber, StoreID: exampleSale.StoreID, OrderID: exampleSale.OrderID,
	}, []header{replayed}}},
	"withdrawCancellation": {{http.StatusOK, Cancellation{}, exampleWithdrawn, []header{replayed}}},
	"cancelSale":           {{http.StatusAccepted, Cancellation{}, exampleCancellation, []header{{name: "Location"}, replayed}}},
	"findCancellation":     {{http.StatusOK, Cancellation{}, exampleCancellation, nil}},
	"followAudit":          {{http.StatusOK, AuditPage{}, nil, []header{{name: nextHeader}}}},
	"auditCheckpoint":      {{http.StatusOK, Checkpoint{}, exampleCheckpoint, nil}},
	"auditConsistency":     {{http.StatusOK, Consistency{}, nil, nil}},
	"proveEntry":           {{http.StatusOK, EntryProof{}, nil, nil}},
}

// replayed is the header of a repeat that was answered from what is stored.
var replayed = header{"Idempotency-Replayed", true}

// responses are the possible responses of an operation, with its own problems.
func (a *API) responses(id string, problems []int) map[string]*huma.Response {
	all := map[string]*huma.Response{}
	put := func(status int, key string, content map[string]*huma.MediaType, headers []header) {
		for _, name := range deprecationHeaders {
			if hasOldNames[id] { // a body that is too large is refused before the operation is known
				headers = append(headers, header{name, status == http.StatusRequestEntityTooLarge})
			}
		}
		all[strconv.Itoa(status)] = &huma.Response{Description: key, Content: content, Headers: documentedHeaders(headers)}
	}
	for _, s := range successes[id] {
		var content map[string]*huma.MediaType
		if s.body != nil {
			content = map[string]*huma.MediaType{"application/json": {Schema: a.schemaOf(s.body), Example: s.example}}
		}
		switch id {
		case "recordSales":
			content["application/json"].Schema = &huma.Schema{OneOf: []*huma.Schema{a.schemaOf(Outcome{}), a.schemaOf(Batch{})}}
		case "followAudit":
			content[ndjsonType] = &huma.MediaType{Schema: a.schemaOf(AuditEntry{})}
		}
		put(s.status, "api.answer."+id+"."+strconv.Itoa(s.status), content, successHeaders(s.headers...))
	}
	for _, status := range append(problems, problemsOfAll...) {
		content := map[string]*huma.MediaType{problemType: {Schema: a.schemaOf(Problem{})}}
		put(status, "api.answer."+strconv.Itoa(status), content, problemHeaders(status))
	}
	return all
}

// letResponsesGrow opens the schemas of responses: a field that is added later must not
// break a program that validates what it gets. Those of requests stay closed, because a
// misspelt field must not silently be none.
func (a *API) letResponsesGrow() {
	schemas := a.huma.OpenAPI().Components.Schemas
	var requests []*huma.Schema
	for _, v := range []any{SaleInput{}, CancelInput{}, CorrectInput{}, UndoInput{}, WithdrawInput{}} {
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
		"cancelSale": one("cancel", exampleCancel), "correctSale": one("correct", exampleCorrection), "undoSale": one("undo", exampleUndo),
		"withdrawCancellation": one("withdraw", WithdrawInput{}), "recordSales": one("one", exampleInput),
	}[id]
	if id == "recordSales" {
		least, most := 1, maxItems
		sale := media.Schema
		media.Schema = &huma.Schema{OneOf: []*huma.Schema{sale, {Type: huma.TypeArray, Items: sale, MinItems: &least, MaxItems: &most}}}
		media.Examples["many"] = &huma.Example{Summary: "api.example.many", Value: []SaleInput{exampleInput, exampleSecond}}
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
		var tree any
		if err := json.Unmarshal(raw, &tree); err != nil {
			return nil, fmt.Errorf("read document: %w", err)
		}
		return indented(inWords(tree, language))
	})
}

// indented writes JSON for people too, with < and > as they are.
func indented(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("write document: %w", err)
	}
	return b.Bytes(), nil
}

// inWords replaces the catalogue keys of a document by their texts.
func inWords(v any, language string) any {
	switch x := v.(type) {
	case map[string]any:
		for name, inner := range x {
			x[name] = inWords(inner, language)
		}
	case []any:
		for i, inner := range x {
			x[i] = inWords(inner, language)
		}
	case string:
		return words(x, language)
	}
	return v
}

// words translates one text; a text that is no key stays.
func words(s, language string) string {
	if strings.HasPrefix(s, "api.") && locale.Has(s) {
		return locale.In(language, s)
	}
	return s
}
