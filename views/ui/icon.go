package ui

import (
	"context"
	"io"

	"github.com/a-h/templ"

	"veinte/static"
)

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
