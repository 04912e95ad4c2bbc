package locale

import (
	"context"
	"log/slog"
	"slices"
	"strings"

	"github.com/nicksnyder/go-i18n/v2/i18n"
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
	if c.plurals[key] {
		return c.plural(key, args)
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
	return plain || filled || c.plurals[key]
}

func (c *catalogue) plural(key string, args []any) string {
	data := make(map[string]any, len(args)/2)
	var count any = 0
	for i := 0; i+1 < len(args); i += 2 {
		name, _ := args[i].(string)
		data[name] = args[i+1]
		if name == "Count" {
			count = args[i+1]
		}
	}
	if n, ok := count.(int64); ok {
		count = int(n)
	}
	text, err := c.i18n.Localize(&i18n.LocalizeConfig{MessageID: key, TemplateData: data, PluralCount: count})
	if err != nil && text == "" {
		slog.Error("no words for a number", "key", key, "error", err)
		return sane(key)
	}
	return text
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
