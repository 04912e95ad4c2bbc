package locale

import (
	"embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/language"
)

//go:embed *.json
var files embed.FS

// Languages are those we speak; the first is the default.
var Languages = []string{"es-MX", "en"}

// catalogue is one language, ready to answer. Almost every message is plain
// text or text with a few values, which are answered from maps; go-i18n is
// asked only for plurals, whose rules it knows.
type catalogue struct {
	plain   map[string]string
	filled  map[string]filled
	plurals map[string]bool
	i18n    *i18n.Localizer
}

// The catalogues are embedded and a test reads them all, so a broken one is a
// broken build and not something to handle.
var catalogues = func() map[string]*catalogue {
	all := make(map[string]*catalogue, len(Languages))
	for _, lang := range Languages {
		c, err := load(lang)
		if err != nil {
			panic(err)
		}
		all[lang] = c
	}
	return all
}()

func load(lang string) (*catalogue, error) {
	data, err := files.ReadFile(lang + ".json")
	if err != nil {
		return nil, fmt.Errorf("read catalogue: %w", err)
	}
	var messages map[string]any
	if err := json.Unmarshal(data, &messages); err != nil {
		return nil, fmt.Errorf("read catalogue %s: %w", lang, err)
	}
	bundle := i18n.NewBundle(language.MustParse(Languages[0]))
	if _, err := bundle.ParseMessageFileBytes(data, lang+".json"); err != nil {
		return nil, fmt.Errorf("read catalogue %s: %w", lang, err)
	}
	c := &catalogue{
		plain:   make(map[string]string, len(messages)),
		filled:  make(map[string]filled),
		plurals: make(map[string]bool),
		i18n:    i18n.NewLocalizer(bundle, lang),
	}
	for key, message := range messages {
		text, ok := message.(string)
		switch {
		case !ok:
			c.plurals[key] = true
		case strings.Contains(text, "{{"):
			c.filled[key] = parse(text)
		default:
			c.plain[key] = text
		}
	}
	return c, nil
}
