package web

import (
	"bytes"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	otlp "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// collector takes traces as an operator's would.
type collector struct {
	mu    sync.Mutex
	spans []*tracev1.Span
	bytes []byte
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var sent otlp.ExportTraceServiceRequest
	if err != nil || r.URL.Path != "/v1/traces" || proto.Unmarshal(body, &sent) != nil {
		http.Error(w, "no traces", http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bytes = append(c.bytes, body...)
	for _, of := range sent.ResourceSpans {
		for _, scope := range of.ScopeSpans {
			c.spans = append(c.spans, scope.Spans...)
		}
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
}

func (c *collector) find(match func(*tracev1.Span) bool) *tracev1.Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.spans {
		if match(s) {
			return s
		}
	}
	return nil
}

// below waits for a part of a part.
func (c *collector) below(t *testing.T, of *tracev1.Span, name string) (found *tracev1.Span) {
	t.Helper()
	eventually(t, 10*time.Second, "a part "+name, func() bool {
		found = c.find(func(s *tracev1.Span) bool {
			return strings.HasPrefix(s.Name, name) && (of == nil || bytes.Equal(s.ParentSpanId, of.SpanId))
		})
		return found != nil
	})
	return found
}

// A collector that an operator names gets what a click did, in the trace that it came with,
// and nothing that is secret or somebody's.
func TestWhatHappensIsTraced(t *testing.T) {
	t.Parallel()
	var c collector
	operator := httptest.NewServer(&c)
	t.Cleanup(operator.Close)
	s := newShop(t)
	p := s.serve("OTEL_EXPORTER_OTLP_ENDPOINT="+operator.URL, "OTEL_BSP_SCHEDULE_DELAY=50")
	ana := s.signIn(p, "ana@shop.example")
	_, id := s.sell(0, "")
	ana.cancel(id, true)
	s.becomes(id, 10*time.Second, "confirmed")
	ana.get("/sales?q=4242424242424242")

	click := c.below(t, nil, "POST /sales/:id/cancellation")
	c.below(t, click, "INSERT")
	job := c.below(t, nil, "job dispatch")
	if asked := c.below(t, job, "service cancel"); len(asked.Attributes) != 1 || asked.Attributes[0].Value.GetStringValue() != "accepted" {
		t.Errorf("what was asked has %v, want what the answer meant", asked.Attributes)
	}
	req, err := http.NewRequest(http.MethodGet, p.url+"/login", http.NoBody)
	must(t, err)
	req.Header.Set("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	resp, err := http.DefaultClient.Do(req)
	must(t, err)
	resp.Body.Close()
	eventually(t, 10*time.Second, "the trace goes on", func() bool {
		return c.find(func(s *tracev1.Span) bool {
			return s.Name == "GET /login" && hex.EncodeToString(s.TraceId) == "0af7651916cd43dd8448eb211c80319c" &&
				hex.EncodeToString(s.ParentSpanId) == "b7ad6b7169203331"
		}) != nil
	})
	if !strings.Contains(p.log(), "route=/login status=200") || !strings.Contains(p.log(), "trace=0af7651916cd43dd8448eb211c80319c") {
		t.Error("the log names another trace")
	}
	p.end(syscall.SIGTERM)
	if c.find(func(s *tracev1.Span) bool { return strings.HasSuffix(s.Name, "z") }) != nil {
		t.Error("probes are traced")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, secret := range []string{"results-secret-0123456789", "4242", "una clave", "ana@shop", "Bearer"} {
		if bytes.Contains(c.bytes, []byte(secret)) {
			t.Errorf("a trace has %q", secret)
		}
	}
}

// A collector that is away costs nothing but its traces.
func TestAServerWithoutItsCollector(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	p := s.serve("OTEL_EXPORTER_OTLP_ENDPOINT=http://"+freeAddr(t), "OTEL_BSP_SCHEDULE_DELAY=50")
	ana := s.signIn(p, "ana@shop.example")
	_, id := s.sell(0, "")
	ana.cancel(id, true)
	s.becomes(id, 10*time.Second, "confirmed")
	eventually(t, 20*time.Second, "the log says so", func() bool { return strings.Contains(p.log(), "traces are not taken") })
}
