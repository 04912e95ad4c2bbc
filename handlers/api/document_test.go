package api_test

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// document reads one of the three, without a key.
func (d *desk) document(path, language string) (string, map[string]any) {
	d.tb.Helper()
	req, err := http.NewRequest("GET", "http://"+d.host+path, nil)
	d.must(err)
	req.Header.Set("Accept-Language", language)
	res, err := (&http.Client{Transport: d.transport}).Do(req)
	d.must(err)
	defer res.Body.Close()
	if res.StatusCode != 200 || res.Header.Get("Content-Language") != language {
		d.tb.Fatalf("%s = %d in %s", path, res.StatusCode, res.Header.Get("Content-Language"))
	}
	var raw json.RawMessage
	var tree map[string]any
	d.must(json.NewDecoder(res.Body).Decode(&raw))
	d.must(json.Unmarshal(raw, &tree))
	return string(raw), tree
}

var untranslated = regexp.MustCompile(`"api\.[a-zA-Z0-9.]+"`)

func TestDocument(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, language := range []string{"es-MX", "en"} {
		raw, tree := d.document("/api/openapi.json", language)
		if tree["openapi"] != "3.1.0" {
			t.Errorf("openapi = %v", tree["openapi"])
		}
		if found := untranslated.FindAllString(raw, -1); len(found) > 0 {
			t.Errorf("%s: without words: %v", language, found)
		}
	}
	operations := 0
	for path, item := range d.book.doc["paths"].(map[string]any) {
		for method, op := range item.(map[string]any) {
			operations++
			o := op.(map[string]any)
			_, secured := o["security"].([]any)[0].(map[string]any)["apiKey"]
			if e, ok := expectations[strings.ToUpper(method)+" "+path]; !ok || !secured || o["x-scope"] != string(e.scope) {
				t.Errorf("%s %s says it needs %v", method, path, o["x-scope"])
			}
			d.holdExamples(path, method, o)
		}
	}
	if operations != len(d.api.Lines()) {
		t.Errorf("the document has %d operations, the API %d", operations, len(d.api.Lines()))
	}
}

// TestResponsesMayGrow: a field that is added to a response later is valid for a program
// that validates by today's document; a request with an unknown field is not.
func TestResponsesMayGrow(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	_, tree := d.document("/api/openapi.json", "en")
	requests := map[string]bool{
		"SaleInput": true, "CancelInput": true, "CorrectInput": true, "UndoInput": true, "WithdrawInput": true, "StoreInput": true,
		"TerminalInput": true,
	}
	for name, schema := range tree["components"].(map[string]any)["schemas"].(map[string]any) {
		closed := schema.(map[string]any)["additionalProperties"] == false
		if closed != requests[name] {
			t.Errorf("%s refuses unknown fields = %t, want %t", name, closed, requests[name])
		}
	}
}

// holdExamples holds the examples of an operation against its schemas.
func (d *desk) holdExamples(path, method string, op map[string]any) {
	d.tb.Helper()
	hold := func(what string, example any, place ...string) {
		raw, err := json.Marshal(example)
		d.must(err)
		if err := d.book.valid(append([]string{"paths", path, method}, place...), raw); err != nil {
			d.tb.Errorf("%s %s: the example %s is not valid: %v", method, path, what, err)
		}
	}
	if body, ok := op["requestBody"].(map[string]any); ok {
		for name, e := range body["content"].(map[string]any)["application/json"].(map[string]any)["examples"].(map[string]any) {
			hold(name, e.(map[string]any)["value"], "requestBody", "content", "application/json", "schema")
		}
	}
	for status, r := range op["responses"].(map[string]any) {
		content, _ := r.(map[string]any)["content"].(map[string]any)
		for kind, media := range content {
			if example := media.(map[string]any)["example"]; example != nil {
				hold(status, example, "responses", status, "content", kind, "schema")
			}
		}
	}
}

// TestNothingFromElsewhere: the page of the reference loads from here alone.
func TestNothingFromElsewhere(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	res, err := http.Get("http://" + d.host + "/api/docs")
	d.must(err)
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	d.must(err)
	page := string(raw)
	for _, line := range d.api.Lines() {
		if !strings.Contains(page, line.Path) {
			t.Errorf("the page lacks %s", line.Path)
		}
	}
	if found := regexp.MustCompile(`(?:src|href)="(?:https?:)?//[^"]*"`).FindAllString(page, -1); len(found) > 0 {
		t.Errorf("the page refers to %v", found)
	}
	if found := untranslated.FindAllString(page, -1); len(found) > 0 {
		t.Errorf("without words: %v", found)
	}
	if policy := res.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "script-src 'self'") {
		t.Errorf("policy = %q", policy)
	}
}
