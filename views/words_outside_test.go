package views

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/a-h/templ/parser/v2"
)

// sameEverywhere are words that stand in templates because no language has others
// for them. Signs and numbers need no line.
var sameEverywhere = map[string]string{
	"Veinte":                          "the product's name",
	"MXN":                             "ISO 4217",
	"SHA-":                            "the name of a hash, before its number",
	"ms":                              "the unit",
	"Español":                         "a language's own name",
	"Authorization: Bearer vk_live_…": "a header to send",
	"veinte audit keygen --name tienda.example/bitacora --out audit.key\n" +
		"AUDIT_KEY_FILE=/etc/veinte/audit.key AUDIT_CHECKPOINT_DIR=/var/lib/veinte/checkpoints veinte serve": "commands to type",
}

// readAloud are the attributes that people read or hear.
var readAloud = []string{
	"title", "alt", "aria-label", "aria-description", "aria-roledescription", "aria-valuetext", "placeholder", "label", "summary",
	"data-label", "data-done", "data-busy", "data-copies", "data-none", "data-not", "data-on", "data-off",
}

// A word that people see is in the catalogues, or in no template.
func TestNoWordsOutsideTheCatalogues(t *testing.T) {
	t.Parallel()
	files := below(t, ".", ".templ")
	if len(files) < 40 {
		t.Fatalf("%d templates; want all of them", len(files))
	}
	for _, file := range files {
		f, err := parser.Parse(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, words := range outside(f) {
			t.Errorf("%s: %q is in no catalogue", file, words)
		}
	}
}

// The test would see what it looks for.
func TestWordsOutsideAreFound(t *testing.T) {
	t.Parallel()
	f, err := parser.ParseString(`package views

templ sample(v string) {
	<p title="a title" aria-label={ "a name" } class="no-words" data-x="none">
		plain text
		<i data-say-closed="a warning" alt={ "a part of " + v }></i>
		@other("no-word", "words given", locale.T(ctx, "form.send"))
		if v != "" {
			<input type="submit" value="a button" placeholder={ locale.T(ctx, "form.send") }/>
		} else {
			{ "a literal" } { v } Veinte · 3
		}
		<meta name="description" content="a description"/>
	</p>
}
`)
	if err != nil {
		t.Fatal(err)
	}
	got := outside(f)
	slices.Sort(got)
	want := []string{"a button", "a description", "a literal", "a name", "a part of", "a title", "a warning", "plain text", "words given"}
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

// outside are the words of a template that come from no catalogue.
func outside(f *parser.TemplateFile) []string {
	var found []string
	note := func(text string) {
		text = strings.TrimSpace(text)
		if strings.ContainsFunc(text, unicode.IsLetter) && sameEverywhere[text] == "" {
			found = append(found, text)
		}
	}
	literal := func(e parser.Expression) {
		for _, text := range saidBy(e.Value) {
			note(text)
		}
	}
	walk(reflect.ValueOf(f), func(node any) {
		switch n := node.(type) {
		case parser.Text:
			// An entity is a sign; a word before a number is not.
			for part := range strings.SplitSeq(entity.ReplaceAllString(n.Value, " "), "·") {
				note(strings.Trim(part, " .,:;()0123456789"))
			}
		case parser.StringExpression:
			literal(n.Expression)
		case parser.TemplElementExpression: // what another part is given
			literal(n.Expression)
		case parser.Element:
			for _, a := range n.Attributes {
				readAttribute(&n, a, note, literal)
			}
		}
	})
	return found
}

var entity = regexp.MustCompile(`&[a-z]+;|&#\d+;`)

func readAttribute(n *parser.Element, a parser.Attribute, note func(string), literal func(parser.Expression)) {
	read := func(name string) bool {
		switch name {
		case "value":
			return n.Name == "input" && kindOf(n, "submit", "button", "reset")
		case "content":
			return n.Name == "meta" && strings.Contains(kind(n, "name"), "description")
		}
		return slices.Contains(readAloud, name) || strings.HasPrefix(name, "data-say-")
	}
	switch a := a.(type) {
	case *parser.ConstantAttribute:
		if read(a.Key.String()) {
			note(a.Value)
		}
	case *parser.ExpressionAttribute:
		if read(a.Key.String()) {
			literal(a.Expression)
		}
	case *parser.ConditionalAttribute:
		for _, in := range append(slices.Clone(a.Then), a.Else...) {
			readAttribute(n, in, note, literal)
		}
	}
}

func kind(n *parser.Element, name string) string {
	for _, a := range n.Attributes {
		if c, ok := a.(*parser.ConstantAttribute); ok && c.Key.String() == name {
			return c.Value
		}
	}
	return ""
}

func kindOf(n *parser.Element, kinds ...string) bool { return slices.Contains(kinds, kind(n, "type")) }

// walk visits every struct under a value.
func walk(v reflect.Value, visit func(any)) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			walk(v.Elem(), visit)
		}
	case reflect.Slice:
		for i := range v.Len() {
			walk(v.Index(i), visit)
		}
	case reflect.Struct:
		visit(v.Interface())
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				walk(v.Field(i), visit)
			}
		}
	}
}
