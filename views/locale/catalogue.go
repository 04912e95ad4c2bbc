package locale

import (
	"embed"
	"encoding/json"
	"fmt"
	"strings"

	"golang.org/x/text/language"
)

//go:embed *.json
var files embed.FS

// Languages are those we speak; the first is the default.
var Languages = []string{"es-MX", "en"}

// catalogue is one language, ready to answer from maps: plain text, text with a few values,
// and text with a form for each kind of number.
type catalogue struct {
	tag     language.Tag
	plain   map[string]string
	filled  map[string]filled
	plurals map[string]map[string]filled // by the kind of number: one, many, other
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
	c := &catalogue{
		tag:     language.MustParse(lang),
		plain:   make(map[string]string, len(messages)),
		filled:  make(map[string]filled),
		plurals: make(map[string]map[string]filled),
	}
	for key, message := range messages {
		forms, plural := message.(map[string]any)
		text, _ := message.(string)
		switch {
		case plural:
			c.plurals[key] = make(map[string]filled, len(forms))
			for kind, form := range forms {
				text, _ := form.(string)
				c.plurals[key][kind] = parse(text)
			}
		case strings.Contains(text, "{{"):
			c.filled[key] = parse(text)
		default:
			c.plain[key] = text
		}
	}
	return c, nil
}
