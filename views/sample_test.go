package views

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/a-h/templ"

	"veinte/models"
	"veinte/views/locale"
	"veinte/views/samples"
	"veinte/views/ui"
)

// shop makes pages as a browser gets them; those of the gallery are not live.
var shop = samples.Shop{Frame: ui.Page{Live: true}}

// at is an instant of the sample day, in Mexico City.
func at(tb testing.TB, hhmmss string) time.Time {
	tb.Helper()
	return shop.At(hhmmss)
}

func window(tb testing.TB) models.Window {
	tb.Helper()
	return shop.Window()
}

// page is one drawn for a person of the role at an instant of the sample day.
func page(tb testing.TB, role models.Role, path, hhmmss string) ui.Page {
	tb.Helper()
	return shop.Page(role, path, hhmmss)
}

// draw renders a component in a language.
func draw(tb testing.TB, lang string, c templ.Component) string {
	tb.Helper()
	var b bytes.Buffer
	if err := c.Render(locale.With(context.Background(), lang), &b); err != nil {
		tb.Fatalf("render: %v", err)
	}
	return b.String()
}
