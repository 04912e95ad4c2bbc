package handlers

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"regexp"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
	oteltrace "go.opentelemetry.io/otel/trace"

	"veinte/handlers/kit"
)

// Tracer has requests traced.
type Tracer interface {
	// Request begins what a request is in the trace of its header traceparent, or in one
	// of its own.
	Request(method, traceparent string) oteltrace.Span
	// Answered ends it.
	Answered(span oteltrace.Span, method, route string, status int)
}

const (
	routeKey = "route" // where a request has the pattern of its route
	spanKey  = "span"  // where it has what it is in a trace
)

// named has a request carry the pattern of its route.
func named(pattern string, next fiber.Handler) fiber.Handler {
	return func(c *fiber.Ctx) error {
		c.Locals(routeKey, pattern)
		traced(c)
		return next(c)
	}
}

// traced has what is done for a request be a part of its trace.
func traced(c *fiber.Ctx) {
	if span, ok := c.Locals(spanKey).(oteltrace.Span); ok {
		c.SetUserContext(oteltrace.ContextWithSpan(c.UserContext(), span))
	}
}

// accounted has a line in the log for each request, and has it measured. The line has the
// pattern of the route instead of the address, which may be a secret or say what somebody
// looks for; who it was and what they did is in the trail, by the same request. While the
// server drains, connections end: a request that comes on one that was kept would find it
// closed.
func (h *Handlers) accounted(next fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(c *fasthttp.RequestCtx) {
		begun := time.Now()
		asked := string(c.Request.Header.Peek("traceparent"))
		trace := traceOf(asked)
		var span oteltrace.Span
		if h.config.Tracer != nil && !bytes.HasSuffix(c.Path(), []byte("z")) { // probes
			span = h.config.Tracer.Request(string(c.Method()), asked)
			of := span.SpanContext()
			trace.id, trace.span, trace.flags = of.TraceID().String(), of.SpanID().String(), of.TraceFlags().String()
			c.SetUserValue(spanKey, span)
		}
		next(c)
		took := time.Since(begun)
		if h.config.Draining != nil && h.config.Draining() {
			c.SetConnectionClose()
		}
		route, ok := c.UserValue(routeKey).(string)
		if !ok {
			route = "other"
		}
		request := kit.RequestOf(c)
		if request != "" {
			c.Response.Header.Set("X-Request-Id", request)
		}
		if asked != "" { // by somebody who traces
			c.Response.Header.Set("traceparent", trace.String())
		}
		method, status, size := string(c.Method()), c.Response.StatusCode(), -1
		if !c.Response.IsBodyStream() {
			size = len(c.Response.Body())
		}
		if h.config.Seen != nil {
			h.config.Seen(method, route, status, took)
		}
		if span != nil {
			h.config.Tracer.Answered(span, method[:min(len(method), 10)], route, status)
		}
		level := slog.LevelInfo
		if strings.HasSuffix(route, "z") { // probes
			level = slog.LevelDebug
		}
		h.Logger.LogAttrs(context.Background(), level, "request",
			slog.String("method", method[:min(len(method), 10)]), slog.String("route", route), slog.Int("status", status),
			slog.Int("bytes", size), slog.Duration("took", took), slog.String("request", request), slog.String("trace", trace.id))
	}
}

// trace is a W3C trace context: the id of a whole, and the part of it that is this request.
type trace struct{ id, span, flags string }

func (t trace) String() string { return "00-" + t.id + "-" + t.span + "-" + t.flags }

var traceparent = regexp.MustCompile(`^00-([0-9a-f]{32})-[0-9a-f]{16}-([0-9a-f]{2})$`)

// traceOf goes on with the trace of a header, or begins one.
func traceOf(header string) trace {
	var random [24]byte
	_, _ = rand.Read(random[:]) // which never fails
	t := trace{hex.EncodeToString(random[:16]), hex.EncodeToString(random[16:]), "00"}
	if m := traceparent.FindStringSubmatch(header); m != nil && strings.Trim(m[1], "0") != "" {
		t.id, t.flags = m[1], m[2]
	}
	return t
}
