package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"

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
		Servers: []*huma.Server{{URL: a.server(), Description: "api.server"}},
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

// server is where the document says that the API lives.
func (a *API) server() string {
	if a.BaseURL == "" {
		return "/"
	}
	return a.BaseURL
}

// responses are the possible responses of an operation.
func (a *API) responses(id string) map[string]*huma.Response {
	all := map[string]*huma.Response{}
	put := func(status int, key string, content map[string]*huma.MediaType, headers ...string) {
		r := &huma.Response{Description: key, Content: content, Headers: map[string]*huma.Param{}}
		for _, name := range append([]string{"X-Request-Id", "RateLimit", "RateLimit-Policy"}, headers...) {
			r.Headers[name] = &huma.Param{Description: "api.header." + name, Schema: &huma.Schema{Type: "string"}}
		}
		all[strconv.Itoa(status)] = r
	}
	asJSON := func(s *huma.Schema, example any) map[string]*huma.MediaType {
		return map[string]*huma.MediaType{"application/json": {Schema: s, Example: example}}
	}
	switch id {
	case "recordSales":
		either := &huma.Schema{OneOf: []*huma.Schema{a.schemaOf(Outcome{}), a.schemaOf(Batch{})}}
		put(http.StatusCreated, "api.answer.recordSales.201", asJSON(either, exampleOutcome), "Idempotency-Replayed")
		put(http.StatusOK, "api.answer.recordSales.200", asJSON(either, exampleBatch), "Idempotency-Replayed")
	case "listSales":
		put(http.StatusOK, "api.answer.listSales.200", asJSON(a.schemaOf(Sales{}), nil), "ETag")
		put(http.StatusNotModified, "api.answer.listSales.304", nil, "ETag")
	case "findSale":
		put(http.StatusOK, "api.answer.findSale.200", asJSON(a.schemaOf(Sale{}), exampleSale))
	case "cancelSale":
		accepted := asJSON(a.schemaOf(Cancellation{}), exampleCase)
		put(http.StatusAccepted, "api.answer.cancelSale.202", accepted, "Location", "Idempotency-Replayed")
	case "findCancellation":
		put(http.StatusOK, "api.answer.findCancellation.200", asJSON(a.schemaOf(Cancellation{}), exampleCase))
	case "followAudit":
		content := asJSON(a.schemaOf(AuditPage{}), nil)
		content[ndjsonType] = &huma.MediaType{Schema: a.schemaOf(AuditEntry{})}
		put(http.StatusOK, "api.answer.followAudit.200", content, nextHeader)
	case "auditCheckpoint":
		put(http.StatusOK, "api.answer.auditCheckpoint.200", asJSON(a.schemaOf(Checkpoint{}), exampleCheckpoint))
	case "auditConsistency":
		put(http.StatusOK, "api.answer.auditConsistency.200", asJSON(a.schemaOf(Consistency{}), nil))
	case "proveEntry":
		put(http.StatusOK, "api.answer.proveEntry.200", asJSON(a.schemaOf(EntryProof{}), nil))
	}
	for _, status := range append(problemsOf[id], problemsOfAll...) {
		var headers []string
		switch status {
		case http.StatusUnauthorized:
			headers = []string{"WWW-Authenticate"}
		case http.StatusConflict, http.StatusTooManyRequests, http.StatusServiceUnavailable:
			headers = []string{"Retry-After"}
		}
		put(status, "api.answer."+strconv.Itoa(status), map[string]*huma.MediaType{problemType: {Schema: a.schemaOf(Problem{})}}, headers...)
	}
	return all
}

// body is the request body of an operation.
func (a *API) body(id string) *huma.RequestBody {
	media := &huma.MediaType{Schema: a.schemaOf(CancelInput{}), Examples: map[string]*huma.Example{
		"cancel": {Summary: "api.example.cancel", Value: exampleCancel},
	}}
	if id == "recordSales" {
		least, most := 1, mostItems
		one := a.schemaOf(SaleInput{})
		media.Schema = &huma.Schema{OneOf: []*huma.Schema{one, {Type: huma.TypeArray, Items: one, MinItems: &least, MaxItems: &most}}}
		media.Examples = map[string]*huma.Example{
			"one":  {Summary: "api.example.one", Value: exampleInput},
			"many": {Summary: "api.example.many", Value: []SaleInput{exampleInput, exampleSecond}},
		}
	}
	return &huma.RequestBody{Required: true, Description: "api.body." + id, Content: map[string]*huma.MediaType{"application/json": media}}
}

// documents caches the document in each language.
type documents struct {
	mu   sync.Mutex
	made map[string][]byte
}

func (d *documents) get(name string, make_ func() ([]byte, error)) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if made, ok := d.made[name]; ok {
		return made, nil
	}
	made, err := make_()
	if err != nil {
		return nil, err
	}
	if d.made == nil {
		d.made = map[string][]byte{}
	}
	d.made[name] = made
	return made, nil
}

// OpenAPI returns the document in a language.
func (a *API) OpenAPI(language string) ([]byte, error) {
	return a.documents.get("openapi "+language, func() ([]byte, error) {
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
