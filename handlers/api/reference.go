package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"veinte/models/apikeys"
	exchangeview "veinte/views/exchange"
	"veinte/views/locale"
)

// Reference is the document as a page shows it.
func (a *API) Reference(language string) *exchangeview.APIReference {
	r := &exchangeview.APIReference{Server: a.BaseURL, Scopes: apikeys.Scopes}
	for _, line := range a.lines {
		op := line.documented
		shown := exchangeview.APIOperation{
			ID: op.OperationID, Method: op.Method, Path: op.Path, Scope: line.Scope,
			Summary: words(op.Summary, language), Text: words(op.Description, language), Curl: curlOf(op, r.Server),
		}
		for _, p := range op.Parameters {
			shown.Parameters = append(shown.Parameters, a.fieldOf(p.Name, p.Schema, p.Required, p.Description, language, p.In))
		}
		if op.RequestBody != nil {
			shown.BodyText = words(op.RequestBody.Description, language)
			shown.Body = a.fieldsOf(op.RequestBody.Content["application/json"].Schema, language)
		}
		shown.Answers = a.answersOf(op, language)
		r.Operations = append(r.Operations, shown)
	}
	for _, k := range kinds {
		r.Problems = append(r.Problems, exchangeview.APIProblem{
			Code: k.code, Status: k.status, Title: locale.In(language, "api.problem."+k.code),
			Text: locale.In(language, "api.problem."+k.code+".text"),
		})
	}
	for _, v := range []any{
		Sale{},
		Cancellation{},
		Outcome{},
		Batch{},
		Sales{},
		SaleMatches{},
		Undone{},
		SaleTotals{},
		AuditPage{},
		AuditEntry{},
		Checkpoint{},
		Consistency{},
		EntryProof{},
		Problem{},
		FieldError{},
		WarningNote{},
	} {
		name := strings.TrimPrefix(a.schemaOf(v).Ref, "#/components/schemas/")
		r.Schemas = append(r.Schemas, exchangeview.APISchema{Name: name, Fields: a.fieldsOf(a.schemaOf(v), language)})
	}
	return r
}

// answersOf lists the possible responses of an operation, success first.
func (a *API) answersOf(op *huma.Operation, language string) []exchangeview.APIAnswer {
	var all []exchangeview.APIAnswer
	for _, status := range slices.Sorted(maps.Keys(op.Responses)) {
		response := op.Responses[status]
		n, _ := strconv.Atoi(status)
		answer := exchangeview.APIAnswer{Status: n, Text: words(response.Description, language)}
		for _, kind := range []string{"application/json", problemType} {
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
func (a *API) fieldsOf(s *huma.Schema, language string) []exchangeview.APIField {
	if len(s.OneOf) > 0 {
		s = s.OneOf[0]
	}
	if s.Ref != "" {
		s = a.huma.OpenAPI().Components.Schemas.SchemaFromRef(s.Ref)
	}
	var required, others []exchangeview.APIField
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p, must := s.Properties[name], slices.Contains(s.Required, name)
		if field := a.fieldOf(name, p, must, p.Description, language, ""); must {
			required = append(required, field)
		} else {
			others = append(others, field)
		}
	}
	return append(required, others...)
}

func (a *API) fieldOf(name string, s *huma.Schema, required bool, text, language, in string) exchangeview.APIField {
	f := exchangeview.APIField{Name: name, Type: typeName(s), Required: required, In: in, Text: words(text, language)}
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
		example, _ := firstExample(op)
		lines = append(lines, `-H "Content-Type: application/json"`, `-H "Idempotency-Key: $(uuidgen)"`, "-d '"+example+"'")
	}
	return strings.Join(lines, " \\\n  ")
}
