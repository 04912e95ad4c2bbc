package api

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"veinte/views/locale"
)

// object is a part of a Postman collection, v2.1.
type object map[string]any

// Postman returns a collection with every operation of the document, ready to be
// sent once the variables hold an address and a key.
func (a *API) Postman(language string) ([]byte, error) {
	return a.cached("postman "+language, func() ([]byte, error) {
		var items []object
		for _, l := range a.lines {
			request, err := postmanRequest(l.documented, language)
			if err != nil {
				return nil, err
			}
			items = append(items, object{"name": words(l.documented.Summary, language), "request": request})
		}
		return indented(object{
			"info": object{
				"name": locale.In(language, "api.title"), "description": locale.In(language, "api.about"),
				"schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
			},
			"auth": object{"type": "bearer", "bearer": []object{{"key": "token", "value": "{{apiKey}}", "type": "string"}}},
			"variable": []object{
				{"key": "baseUrl", "value": a.BaseURL, "type": "string"}, {"key": "apiKey", "value": "", "type": "string"},
			},
			"item": items,
		})
	})
}

func postmanRequest(op *huma.Operation, language string) (object, error) {
	path := fiberPath(op.Path)
	parameters := map[string][]object{"header": {}, "query": {}, "path": {}}
	for _, p := range op.Parameters {
		value, _ := p.Example.(string)
		if p.Name == idempotencyHeader {
			value = "{{$guid}}"
		}
		parameters[p.In] = append(parameters[p.In], object{
			"key": p.Name, "value": value, "description": words(p.Description, language),
			"disabled": p.In != "path" && p.Name != idempotencyHeader, // as little as is needed
		})
	}
	r := object{"method": op.Method, "description": words(op.Description, language), "url": object{
		"raw": "{{baseUrl}}" + path, "host": []string{"{{baseUrl}}"}, "path": strings.Split(strings.TrimPrefix(path, "/"), "/"),
		"query": parameters["query"], "variable": parameters["path"],
	}}
	if op.RequestBody != nil {
		example, err := firstExample(op)
		if err != nil {
			return nil, err
		}
		parameters["header"] = append(parameters["header"], object{"key": "Content-Type", "value": "application/json"})
		r["body"] = object{"mode": "raw", "raw": example, "options": object{"raw": object{"language": "json"}}}
	}
	r["header"] = parameters["header"]
	return r, nil
}

// firstExample is the first example of a body: a single sale, not a list.
func firstExample(op *huma.Operation) (string, error) {
	examples := op.RequestBody.Content["application/json"].Examples
	names := slices.Sorted(maps.Keys(examples))
	raw, err := json.MarshalIndent(examples[names[len(names)-1]].Value, "", "  ")
	return string(raw), err
}
