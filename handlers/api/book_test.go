package api_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"veinte/handlers/api"
)

// book is the OpenAPI document as a validator reads it.
type book struct {
	mu       sync.Mutex
	doc      map[string]any
	compiler *jsonschema.Compiler
	ready    map[string]*jsonschema.Schema
	paths    map[string]*regexp.Regexp
}

var theOneBook struct {
	once sync.Once
	book *book
	err  error
}

// theBook reads the document once: it is the same of every API.
func theBook(tb testing.TB, programs *api.API) *book {
	tb.Helper()
	theOneBook.once.Do(func() {
		var raw []byte
		if raw, theOneBook.err = programs.OpenAPI("es-MX"); theOneBook.err == nil {
			theOneBook.book, theOneBook.err = newBook(raw)
		}
	})
	if theOneBook.err != nil {
		tb.Fatalf("the document: %v", theOneBook.err)
	}
	return theOneBook.book
}

func newBook(raw []byte) (*book, error) {
	tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	b := &book{
		doc: tree.(map[string]any), compiler: jsonschema.NewCompiler(), ready: map[string]*jsonschema.Schema{},
		paths: map[string]*regexp.Regexp{},
	}
	// A program must accept a field that is new to it. These tests must not: each field
	// that is sent is documented.
	for _, schema := range b.at("components", "schemas").(map[string]any) {
		if object := schema.(map[string]any); object["properties"] != nil {
			object["additionalProperties"] = false
		}
	}
	b.compiler.DefaultDraft(jsonschema.Draft2020)
	b.compiler.AssertFormat()
	if err := b.compiler.AddResource("api.json", tree); err != nil {
		return nil, err
	}
	for path := range b.doc["paths"].(map[string]any) {
		b.paths[path] = regexp.MustCompile(
			"^" + regexp.MustCompile(`\\\{[A-Za-z]+\\\}`).ReplaceAllString(regexp.QuoteMeta(path), "[^/]+") + "$",
		)
	}
	return b, nil
}

// at walks down the document; nil when there is nothing.
func (b *book) at(keys ...string) any {
	var v any = b.doc
	for _, k := range keys {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[k]
	}
	return v
}

// path finds the path of the document that an address is one of; "" for none.
func (b *book) path(address string) string {
	address, _, _ = strings.Cut(address, "?")
	for path, like := range b.paths {
		if like.MatchString(address) {
			return path
		}
	}
	return ""
}

// check says what is wrong with an answer; nil when it is as documented.
func (b *book) check(method, address string, res *http.Response, body []byte) error {
	path, verb := b.path(address), strings.ToLower(method)
	if method == http.MethodHead {
		verb = "get"
	}
	status := strconv.Itoa(res.StatusCode)
	kind, _, _ := strings.Cut(res.Header.Get("Content-Type"), ";")
	if path == "" || b.at("paths", path, verb) == nil {
		if res.StatusCode != http.StatusNotFound && res.StatusCode != http.StatusMethodNotAllowed {
			return fmt.Errorf("an address that the document does not have answers %s", status)
		}
		return b.valid([]string{"components", "schemas", "Problem"}, body)
	}
	documented, ok := b.at("paths", path, verb, "responses", status).(map[string]any)
	if !ok {
		return fmt.Errorf("%s %s answers %s, which the document does not have", verb, path, status)
	}
	if err := checkHeaders(documented, res.Header); err != nil {
		return fmt.Errorf("%s %s %s: %w", verb, path, status, err)
	}
	if method == http.MethodHead || res.StatusCode == http.StatusNotModified {
		return nil
	}
	content := []string{"paths", path, verb, "responses", status, "content", kind}
	if b.at(content...) == nil {
		return fmt.Errorf("%s %s %s is %q, which the document does not have", verb, path, status, kind)
	}
	if kind == "application/x-ndjson" {
		for line := range bytes.Lines(body) {
			if err := b.valid(append(content, "schema"), line); err != nil {
				return err
			}
		}
		return nil
	}
	return b.valid(append(content, "schema"), body)
}

// ofEveryPage are headers that every response of the server has, its pages too.
var ofEveryPage = []string{
	"Date", "Content-Type", "Content-Length", "Vary", "Connection", "Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy",
	"Cross-Origin-Opener-Policy", "Cross-Origin-Resource-Policy", "Permissions-Policy", "Cache-Control", "Strict-Transport-Security",
}

// checkHeaders holds the headers of a response against the document, both ways.
func checkHeaders(documented map[string]any, sent http.Header) error {
	headers, _ := documented["headers"].(map[string]any)
	known := map[string]bool{}
	for name, h := range headers {
		known[http.CanonicalHeaderKey(name)] = true
		if h.(map[string]any)["required"] == true && len(sent.Values(name)) == 0 {
			return fmt.Errorf("the documented header %s was not sent", name)
		}
	}
	for name := range sent {
		if !known[name] && !slices.Contains(ofEveryPage, name) {
			return fmt.Errorf("it has the header %s, which the document does not", name)
		}
	}
	return nil
}

// valid holds JSON against the schema at a place of the document.
func (b *book) valid(place []string, body []byte) error {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("no JSON: %w: %s", err, body)
	}
	schema, err := b.schema(place)
	if err != nil {
		return err
	}
	if err := schema.Validate(v); err != nil {
		if wrong, ok := err.(*jsonschema.ValidationError); ok {
			return fmt.Errorf("%s\n%s", wrong.LocalizedError(message.NewPrinter(language.English)), body)
		}
		return err
	}
	return nil
}

func (b *book) schema(place []string) (*jsonschema.Schema, error) {
	pointer := "api.json#"
	for _, k := range place {
		pointer += "/" + strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(k)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if s := b.ready[pointer]; s != nil {
		return s, nil
	}
	s, err := b.compiler.Compile(pointer)
	if err != nil {
		return nil, fmt.Errorf("schema %s: %w", pointer, err)
	}
	b.ready[pointer] = s
	return s, nil
}

// checked is the way to the API: no answer passes that is not as documented.
type checked struct{ d *desk }

// RoundTrip asks and holds the answer against the document.
func (c *checked) RoundTrip(req *http.Request) (*http.Response, error) {
	address := req.URL.Opaque
	res, err := c.d.transport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	res.Body.Close()
	if wrong := c.d.book.check(req.Method, address, res, body); wrong != nil {
		c.d.tb.Errorf("%s %s is not as documented: %v", req.Method, address, wrong)
	}
	if leaks := hasSecret(body); leaks {
		c.d.tb.Errorf("%s %s shows a secret or a card number: %s", req.Method, address, body)
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	return res, nil
}

// hasSecret reports whether an answer holds what none may.
func hasSecret(body []byte) bool {
	return bytes.Contains(body, []byte("4111111111111111")) || bytes.Contains(body, []byte("4111 1111")) || wholeKey.Match(body)
}

// wholeKey is a secret; its first four characters may be shown.
var wholeKey = regexp.MustCompile(`vk_live_[a-z2-7]{5}`)
