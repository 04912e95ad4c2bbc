package ui

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"github.com/a-h/templ"

	"veinte/static"
	"veinte/views/locale"
)

// spoken are the words that scripts say and pages do not. A browser keeps them with the
// scripts, so that no page carries them. Scripts have them as inWords.
var spoken = append([]string{
	"cutoff.say60", "cutoff.say15", "cutoff.say5", "cutoff.closed",
	"sales.newOne", "sales.newMany", "sales.newFull", "sales.findWhole",
	"scan.open", "scan.close", "scan.hint", "scan.denied",
	"layout.keySearch", "layout.keysOn", "layout.keysOff", "shortcuts.title", "shortcuts.noRow", "shortcuts.mayNot", "error.paused",
	"sheet.closed", "sheet.unreachable", "sheet.seeSale",
}, locale.Keys("shortcuts.not.")...)

// scriptsIn are the scripts of every page, a file per language. It begins with their words,
// and with where what they load by themselves is (inFiles).
var scriptsIn = func() map[string]string {
	in := make(map[string]string, len(locale.Languages))
	files := map[string]string{"scan.js": static.URL("scan.js"), "scan.css": static.URL("scan.css")} // loaded when they are needed
	for _, lang := range locale.Languages {
		words := make(map[string]string, len(spoken))
		for _, key := range spoken {
			words[key] = locale.In(lang, key)
		}
		begins := "self.inWords=" + inJSON(words) + ";\nself.inFiles=" + inJSON(files) + ";\n"
		in[lang] = "app." + lang + ".js"
		static.Add(in[lang], []byte(begins), "app.js")
	}
	return in
}()

func inJSON(texts map[string]string) string {
	data, err := json.Marshal(texts)
	if err != nil {
		panic(err) // texts alone
	}
	return string(data)
}

func scripts(ctx context.Context) string { return static.URL(scriptsIn[locale.Of(ctx)]) }

// instant is one that scripts count from, to the millisecond.
func instant(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// Icon is a picture of the sprite, beside words that say the same. name is ours.
func Icon(name string) templ.Component { return icon(name) }

// icon is written as short as HTML allows: a page has a dozen.
type icon string

var iconBegins = `<svg class=icon aria-hidden=true><use href=` + static.URL("icons.svg") + "#"

// Render implements templ.Component.
func (i icon) Render(_ context.Context, w io.Writer) error {
	for _, part := range [...]string{iconBegins, string(i), ` /></svg>`} {
		if _, err := io.WriteString(w, part); err != nil {
			return err
		}
	}
	return nil
}
