// Package reference writes the API's document as a page shows it.
package reference

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"veinte/models/apikeys"
	exchangeview "veinte/views/exchange"
	"veinte/views/locale"
)

// Document is the API's document, with what a page shows besides.
type Document struct {
	OpenAPI    *huma.OpenAPI
	Operations []Operation
	Problems   []Problem
	Schemas    []string // of responses, in the order of the page
	Server     string
}

// Operation is an operation with the scope that a key needs for it.
type Operation struct {
	*huma.Operation
	Scope apikeys.Scope
}

// Problem is a kind of problem.
type Problem struct {
	Code   string
	Status int
}

// ProblemType is the media type of problems, RFC 9457.
const ProblemType = "application/problem+json"

// In is the document in a language.
func (d *Document) In(language string) *exchangeview.APIReference {
	r := &exchangeview.APIReference{Server: d.Server, Scopes: apikeys.Scopes}
	for _, op := range d.Operations {
		shown := exchangeview.APIOperation{
			ID: op.OperationID, Method: op.Method, Path: op.Path, Scope: op.Scope,
			Summary: Words(op.Summary, language), Text: Words(op.Description, language), Curl: curlOf(op.Operation, r.Server),
		}
		for _, p := range op.Parameters {
			shown.Parameters = append(shown.Parameters, fieldOf(p.Name, p.Schema, p.Required, p.Description, language, p.In))
		}
		if op.RequestBody != nil {
			shown.BodyText = Words(op.RequestBody.Description, language)
			shown.Body = d.fieldsOf(op.RequestBody.Content["application/json"].Schema, language)
		}
		shown.Answers = answersOf(op.Operation, language)
		r.Operations = append(r.Operations, shown)
	}
	for _, k := range d.Problems {
		r.Problems = append(r.Problems, exchangeview.APIProblem{
			Code: k.Code, Status: k.Status, Title: locale.In(language, "api.problem."+k.Code),
			Text: locale.In(language, "api.problem."+k.Code+".text"),
		})
	}
	schemas := d.OpenAPI.Components.Schemas.Map()
	for _, name := range d.Schemas {
		r.Schemas = append(r.Schemas, exchangeview.APISchema{Name: name, Fields: d.fieldsOf(schemas[name], language)})
	}
	return r
}

// Words translates one text of the document; a text that is no key stays.
func Words(s, language string) string {
	if strings.HasPrefix(s, "api.") && locale.Has(s) {
		return locale.In(language, s)
	}
	return s
}

// answersOf lists the possible responses of an operation, success first.
func answersOf(op *huma.Operation, language string) []exchangeview.APIAnswer {
	var all []exchangeview.APIAnswer
	for _, status := range slices.Sorted(maps.Keys(op.Responses)) {
		response := op.Responses[status]
		n, _ := strconv.Atoi(status)
		answer := exchangeview.APIAnswer{Status: n, Text: Words(response.Description, language)}
		for _, kind := range []string{"application/json", ProblemType} {
			if media := response.Content[kind]; media != nil {
				answer.Schemas = schemaNames(media.Schema)
				if media.Example != nil {
					raw, _ := json.MarshalIndent(media.Example, "", "  ")
					answer.Example = string(raw)
				}
			}
		}
		all = append(all, answer)
	}
	return all
}

func schemaNames(s *huma.Schema) []string {
	if s.Ref != "" {
		return []string{strings.TrimPrefix(s.Ref, "#/components/schemas/")}
	}
	var names []string
	for _, one := range s.OneOf {
		names = append(names, schemaNames(one)...)
	}
	return names
}

// fieldsOf lists the fields of an object, those that are required first.
func (d *Document) fieldsOf(s *huma.Schema, language string) []exchangeview.APIField {
	if len(s.OneOf) > 0 {
		s = s.OneOf[0]
	}
	if s.Ref != "" {
		s = d.OpenAPI.Components.Schemas.SchemaFromRef(s.Ref)
	}
	var required, others []exchangeview.APIField
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p, must := s.Properties[name], slices.Contains(s.Required, name)
		if field := fieldOf(name, p, must, p.Description, language, ""); must {
			required = append(required, field)
		} else {
			others = append(others, field)
		}
	}
	return append(required, others...)
}

func fieldOf(name string, s *huma.Schema, required bool, text, language, in string) exchangeview.APIField {
	f := exchangeview.APIField{Name: name, Type: typeName(s), Required: required, In: in, Text: Words(text, language)}
	if s.Pattern != "" {
		f.Limits = append(f.Limits, s.Pattern)
	}
	if s.MaxLength != nil {
		f.Limits = append(f.Limits, "≤ "+strconv.Itoa(*s.MaxLength))
	}
	for _, v := range s.Enum {
		f.Values = append(f.Values, fmt.Sprint(v))
	}
	if len(s.Examples) > 0 {
		f.Example = fmt.Sprint(s.Examples[0])
	}
	return f
}

func typeName(s *huma.Schema) string {
	switch {
	case s.Ref != "":
		return strings.TrimPrefix(s.Ref, "#/components/schemas/")
	case s.Type == huma.TypeArray:
		return typeName(s.Items) + "[]"
	case s.Type == "":
		return "object"
	case s.Format != "" && s.Type == huma.TypeString:
		return s.Format
	}
	return s.Type
}

// curlOf is the operation as a command to copy.
func curlOf(op *huma.Operation, server string) string {
	path := op.Path
	for _, p := range op.Parameters {
		if example, ok := p.Example.(string); ok && p.In == "path" {
			path = strings.ReplaceAll(path, "{"+p.Name+"}", example)
		}
	}
	lines := []string{"curl " + server + path, `-H "Authorization: Bearer $VEINTE_KEY"`}
	if op.RequestBody != nil {
		example := firstExample(op)
		lines = append(lines, `-H "Content-Type: application/json"`)
		if op.Method == http.MethodPut {
			lines[0] = "curl -X PUT " + server + path
		} else {
			lines = append(lines, `-H "Idempotency-Key: $(uuidgen)"`)
		}
		lines = append(lines, "-d '"+example+"'")
	}
	return strings.Join(lines, " \\\n  ")
}

// firstExample is the first example of a body: a single sale, not a list.
func firstExample(op *huma.Operation) string {
	examples := op.RequestBody.Content["application/json"].Examples
	names := slices.Sorted(maps.Keys(examples))
	raw, err := json.MarshalIndent(examples[names[len(names)-1]].Value, "", "  ")
	if err != nil {
		panic(err) // ours alone
	}
	return string(raw)
}

// Indented writes JSON for people too, with < and > as they are.
func Indented(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("write document: %w", err)
	}
	return b.Bytes(), nil
}

// InWords replaces the catalogue keys of a document by their texts.
func InWords(v any, language string) any {
	switch x := v.(type) {
	case map[string]any:
		for name, inner := range x {
			x[name] = InWords(inner, language)
		}
	case []any:
		for i, inner := range x {
			x[i] = InWords(inner, language)
		}
	case string:
		return Words(x, language)
	}
	return v
}
