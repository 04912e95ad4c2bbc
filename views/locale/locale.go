package locale

import (
	"context"
	"log/slog"
	"slices"
	"strings"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

type contextKey struct{}

// With returns a context whose reader speaks lang; one that we do not speak
// becomes the default.
func With(ctx context.Context, lang string) context.Context {
	return context.WithValue(ctx, contextKey{}, Spoken(lang))
}

// Spoken returns the language, or the default if we do not speak it.
func Spoken(lang string) string {
	if catalogues[lang] == nil {
		return Languages[0]
	}
	return lang
}

// Of returns the language of the context's reader.
func Of(ctx context.Context) string {
	if lang, ok := ctx.Value(contextKey{}).(string); ok {
		return lang
	}
	return Languages[0]
}

var matcher = func() language.Matcher {
	tags := make([]language.Tag, len(Languages))
	for i, lang := range Languages {
		tags[i] = language.MustParse(lang)
	}
	return language.NewMatcher(tags)
}()

// Match returns the language that a program asks for (Accept-Language), else the default.
func Match(acceptLanguage string) string {
	wanted, _, err := language.ParseAcceptLanguage(acceptLanguage)
	if err != nil || len(wanted) == 0 {
		return Languages[0]
	}
	_, i, _ := matcher.Match(wanted...)
	return Languages[i]
}

// T returns the words for a key in the reader's language. args are names and
// values by turns: T(ctx, "list.count", "Count", 3).
func T(ctx context.Context, key string, args ...any) string {
	return In(Of(ctx), key, args...)
}

// In is T for a named language.
func In(lang, key string, args ...any) string {
	c := catalogues[lang]
	if text, ok := c.plain[key]; ok {
		return text
	}
	if f, ok := c.filled[key]; ok {
		return f.with(args)
	}
	if forms := c.plurals[key]; forms != nil {
		return c.counted(forms, args)
	}
	slog.Error("no words for a key", "key", key, "language", lang)
	return sane(key)
}

// Refusal is T for what is wrong with a field, in the words of that field if it has
// its own.
func Refusal(ctx context.Context, field, code string, args ...any) string {
	for _, prefix := range []string{"field.cardNumber.", "table.cardNumber."} {
		if own := prefix + field; code+"." == prefix && Has(own) {
			return T(ctx, own, args...)
		}
	}
	return T(ctx, code, args...)
}

// Has reports whether there are words for the key.
func Has(key string) bool {
	c := catalogues[Languages[0]]
	_, plain := c.plain[key]
	_, filled := c.filled[key]
	return plain || filled || c.plurals[key] != nil
}

// kinds are the kinds of numbers as catalogues name them, see CLDR's plural rules.
var kinds = map[plural.Form]string{plural.One: "one", plural.Many: "many"}

// counted is the form that a number takes; a language may have no other for it.
func (c *catalogue) counted(forms map[string]filled, args []any) string {
	count := 0
	for i := 0; i+1 < len(args); i += 2 {
		if args[i] != "Count" {
			continue
		}
		switch n := args[i+1].(type) {
		case int:
			count = n
		case int64:
			count = int(n)
		}
	}
	if count = max(count, -count); count >= 10_000_000 { // the rules go by what is above a million
		count = 1_000_000 + count%1_000_000
	}
	form, has := forms[kinds[plural.Cardinal.MatchPlural(c.tag, count, 0, 0, 0, 0)]]
	if !has {
		form = forms["other"]
	}
	return form.with(args)
}

// sane is what a missing key shows: its last part, readable at least.
func sane(key string) string {
	return strings.ReplaceAll(key[strings.LastIndexByte(key, '.')+1:], "_", " ")
}

// Keys returns the keys that begin with a prefix, in order.
func Keys(prefix string) []string {
	c := catalogues[Languages[0]]
	var keys []string
	for key := range c.plain {
		if strings.HasPrefix(key, prefix) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}
