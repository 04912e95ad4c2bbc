package handlers_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"veinte/handlers"
	"veinte/models/modelstest"
	"veinte/models/operations"
	settingsview "veinte/views/settings"
)

// service is a client of which only the connection page knows.
type service struct {
	probes  int
	arrived chan struct{} // nil: a probe ends at once
	leave   chan struct{}
}

func (s *service) TokenState() operations.TokenState { return operations.TokenState{Cached: true} }
func (s *service) ClockState() operations.ClockState { return operations.ClockState{} }

func (s *service) Probe(context.Context) []operations.ProbeStep {
	s.probes++
	if s.arrived != nil {
		close(s.arrived)
		<-s.leave
	}
	return []operations.ProbeStep{
		{Step: "dns", OK: true, Code: "isAddress", Note: "192.0.2.1"}, {Step: "connect", Code: "refused", Millis: 7},
	}
}

func withService(s *service) func(*handlers.Config) {
	return func(c *handlers.Config) {
		c.Connection = s
		c.Setup = []settingsview.Setting{
			{Name: "TOKEN_PASSWORD", Value: "***"}, {Name: "RESULTS_SECRET", Value: "http://veinte.test/results/***"},
		}
	}
}

// The page names what differs from the cancellation document, and the domains that
// terminals must reach, from the settings.
func TestConnectionPageNamesDomainsAndDifferences(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"https://payments.example/gateway": "payments.example *.payments.example",
		"https://api.pagos.example:8443":   "api.pagos.example *.api.pagos.example",
		"http://127.0.0.1:8021":            "127.0.0.1", "http://[::1]:8021/x": "::1", "": "",
	} {
		h := newHouse(t, withService(&service{}), func(c *handlers.Config) {
			c.Setup = append(c.Setup, settingsview.Setting{Name: "CANCEL_BASE_URL", Value: base})
			c.Differs = func(now time.Time) []settingsview.Difference {
				return []settingsview.Difference{{
					Code: "differs.cutoffEarlier", Args: []any{"Cutoff", "18:30", "Zone", "America/Cancun", "There", now.Format("15:04")},
				}}
			}
		})
		p := h.administrator().get("/settings/connection").want(200)
		p.says("Aquí el día termina a las 18:30 de America/Cancun, que hoy son las " + h.Clock.Now().Format("15:04"))
		var named []string
		for _, n := range p.byTestID("service-domain") {
			named = append(named, n.FirstChild.Data)
		}
		if got := strings.Join(named, " "); got != want {
			t.Errorf("CANCEL_BASE_URL=%s: the page names %q, want %q", base, got, want)
		}
		if want != "" {
			p.says("pantalla principal de la aplicación de la terminal")
		}
	}
}

// The terminal's page says what the document asks of a terminal.
func TestTerminalPageSaysWhatATerminalNeeds(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	admin := h.administrator()
	page := fmt.Sprintf("/terminals/%d", h.Terminal.ID)
	p := admin.get(page).want(200)
	for _, words := range []string{
		"S/N " + string(h.Terminal.SerialNumber), "encendida, con la pantalla activa",
		"en la pantalla principal de la aplicación de la terminal",
		"sin restricción hacia el dominio del servicio y todos sus subdominios",
	} {
		p.says(words)
	}
	p.hides("no se parece")
}

func TestConnectionPage(t *testing.T) {
	t.Parallel()
	s := &service{}
	h := newHouse(t, withService(s))
	h.API.Then(modelstest.Acknowledged, modelstest.NoTerminal)
	for range 2 {
		h.Dispatch(h.Request(h.SaleAt(h.NewTerminal(h.Store), hereAmount)).ID)
	}
	admin := h.administrator()
	page := admin.get("/settings/connection").want(200)
	page.says("Fijo, puesto en la configuración")
	page.says("Contraseña del usuario *** TOKEN_PASSWORD")
	page.says("http://veinte.test/results/***")
	if got := strings.Join(page.attrs("answer-kind", "data-meaning"), " "); got != "refused accepted" && got != "accepted refused" {
		t.Errorf("the page lists answers %q, want one accepted and one refused", got)
	}

	tested := admin.follow(admin.post("/settings/connection/test", nil).wantTo("/settings/connection"))
	tested.says("Algo no respondió")
	tested.says("nadie escucha en ese puerto")
	if got := strings.Join(tested.attrs("probe-step", "data-step"), " "); got != "dns connect" {
		t.Errorf("the steps are %q", got)
	}
	admin.post("/settings/connection/test", nil).want(429).says("Acaba de hacerse una prueba") // pressed twice
	h.Clock.Advance(5 * time.Second)
	admin.post("/settings/connection/test", nil).wantTo("/settings/connection")
	if s.probes != 2 {
		t.Errorf("%d tests, want 2", s.probes)
	}
	if got := h.text(`SELECT string_agg(outcome || ' ' || jsonb_array_length(after->'steps'), ', ') FROM audit_entries
		WHERE action = 'connection.tested'`); got != "failure 2, failure 2" {
		t.Errorf("the trail says %q", got)
	}
	admin.get("/audit?action=connection.tested").want(200).says("Prueba de conexión")
}

// Two administrators at once: one test runs, the other is refused.
func TestOneConnectionTestAtATime(t *testing.T) {
	t.Parallel()
	s := &service{arrived: make(chan struct{}), leave: make(chan struct{})}
	h := newHouse(t, withService(s))
	admin := h.administrator()
	done := make(chan error, 1)
	go func() { done <- h.Operations.TestConnection(t.Context(), h.Admin, s.Probe) }()
	<-s.arrived
	admin.post("/settings/connection/test", nil).want(429).says("Ya hay una prueba en curso")
	close(s.leave)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if err := h.Operations.TestConnection(t.Context(), h.Supervisor, s.Probe); err == nil || s.probes != 1 {
		t.Errorf("a supervisor's test = %v, %d tests; want it refused", err, s.probes)
	}
}
