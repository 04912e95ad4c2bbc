package api

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"veinte/views/locale"
)

// The parts of a Postman collection, v2.1.
type (
	collection struct {
		Info     collectionInfo   `json:"info"`
		Auth     collectionAuth   `json:"auth"`
		Variable []collectionPair `json:"variable"`
		Item     []collectionItem `json:"item"`
	}
	collectionInfo struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Schema      string `json:"schema"`
	}
	collectionAuth struct {
		Type   string           `json:"type"`
		Bearer []collectionPair `json:"bearer"`
	}
	collectionPair struct {
		Key         string `json:"key"`
		Value       string `json:"value"`
		Type        string `json:"type,omitempty"`
		Description string `json:"description,omitempty"`
		Disabled    bool   `json:"disabled,omitempty"`
	}
	collectionItem struct {
		Name    string            `json:"name"`
		Request collectionRequest `json:"request"`
	}
	collectionRequest struct {
		Method      string           `json:"method"`
		Description string           `json:"description"`
		Header      []collectionPair `json:"header"`
		URL         collectionURL    `json:"url"`
		Body        *collectionBody  `json:"body,omitempty"`
	}
	collectionURL struct {
		Raw      string           `json:"raw"`
		Host     []string         `json:"host"`
		Path     []string         `json:"path"`
		Query    []collectionPair `json:"query,omitempty"`
		Variable []collectionPair `json:"variable,omitempty"`
	}
	collectionBody struct {
		Mode    string         `json:"mode"`
		Raw     string         `json:"raw"`
		Options map[string]any `json:"options"`
	}
)

// Postman returns a collection with every operation of the document, ready to be
// sent once the variables hold an address and a key.
func (a *API) Postman(language string) ([]byte, error) {
	return a.documents.get("postman "+language, func() ([]byte, error) {
		c := collection{
			Info: collectionInfo{
				Name: locale.In(language, "api.title"), Description: locale.In(language, "api.about"),
				Schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
			},
			Auth:     collectionAuth{Type: "bearer", Bearer: []collectionPair{{Key: "token", Value: "{{apiKey}}", Type: "string"}}},
			Variable: []collectionPair{{Key: "baseUrl", Value: a.BaseURL, Type: "string"}, {Key: "apiKey", Value: "", Type: "string"}},
		}
		for _, op := range a.operations() {
			request, err := postmanRequest(op, language)
			if err != nil {
				return nil, err
			}
			c.Item = append(c.Item, collectionItem{Name: words(op.Summary, language), Request: request})
		}
		return indented(c)
	})
}

// operations lists the document's operations in the order of the table.
func (a *API) operations() []*huma.Operation {
	var all []*huma.Operation
	for _, l := range a.lines {
		item := a.huma.OpenAPI().Paths[l.Path]
		for _, op := range []*huma.Operation{item.Get, item.Post} {
			if op != nil && op.Method == l.Method {
				all = append(all, op)
			}
		}
	}
	return all
}

func postmanRequest(op *huma.Operation, language string) (collectionRequest, error) {
	path := fiberPath(op.Path)
	r := collectionRequest{
		Method: op.Method, Description: words(op.Description, language), Header: []collectionPair{},
		URL: collectionURL{Host: []string{"{{baseUrl}}"}, Path: strings.Split(strings.TrimPrefix(path, "/"), "/")},
	}
	r.URL.Raw = "{{baseUrl}}" + path
	for _, p := range op.Parameters {
		value, _ := p.Example.(string)
		pair := collectionPair{Key: p.Name, Value: value, Description: words(p.Description, language)}
		switch p.In {
		case "path":
			r.URL.Variable = append(r.URL.Variable, pair)
		case "query":
			pair.Disabled = true
			r.URL.Query = append(r.URL.Query, pair)
		case "header":
			if pair.Disabled = p.Name != idempotencyHeader; !pair.Disabled {
				pair.Value = "{{$guid}}"
			}
			r.Header = append(r.Header, pair)
		}
	}
	if op.RequestBody == nil {
		return r, nil
	}
	example, err := firstExample(op)
	if err != nil {
		return r, err
	}
	r.Header = append(r.Header, collectionPair{Key: "Content-Type", Value: "application/json"})
	r.Body = &collectionBody{Mode: "raw", Raw: example, Options: map[string]any{"raw": map[string]string{"language": "json"}}}
	return r, nil
}

// firstExample is the first example of a body: a single sale, not a list.
func firstExample(op *huma.Operation) (string, error) {
	examples := op.RequestBody.Content["application/json"].Examples
	names := make([]string, 0, len(examples))
	for name := range examples {
		names = append(names, name)
	}
	slices.Sort(names)
	raw, err := json.MarshalIndent(examples[names[len(names)-1]].Value, "", "  ")
	return string(raw), err
}
