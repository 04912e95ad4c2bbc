package views

import (
	"strings"
	"testing"

	"veinte/models/operations"
	settingsview "veinte/views/settings"
)

func TestTheConnectionInWords(t *testing.T) {
	t.Parallel()
	v := shop.Connection()
	for _, tt := range []struct {
		fact  string
		token operations.TokenState
		want  string
	}{
		{"fetched", v.Token, "Hay uno, hasta: hoy a las 23:20"},
		{"without an end", operations.TokenState{Fetched: true, Cached: true}, "el servicio no dijo hasta cuándo"},
		{"given", operations.TokenState{Cached: true}, "Fijo, puesto en la configuración"},
		{"none yet", operations.TokenState{Fetched: true}, "Todavía no se ha pedido"},
		{"failed", operations.TokenState{Fetched: true, FailedAt: v.Now}, "No hay ninguno que se pueda usar"},
		{"unreadable", operations.TokenState{}, "No hay ninguno que se pueda usar"},
	} {
		v.Token = tt.token
		if got := draw(t, "es-MX", settingsview.Connection(v)); !strings.Contains(got, tt.want) {
			t.Errorf("a token %s: the page lacks %q", tt.fact, tt.want)
		}
	}
	got := draw(t, "es-MX", settingsview.Connection(v))
	for _, want := range []string{
		"Algo no respondió", "El certificado vence pronto", "Entre 35.0 y 37.0 s por delante", "1,312", "Sin configurar", "/results/***",
		"El servicio no encontró la terminal",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the connection page lacks %q", want)
		}
	}
}
