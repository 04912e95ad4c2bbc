// Package tracing has requests, jobs, questions to the database and to the cancellation
// service traced by OpenTelemetry, where an operator has named a collector. A span has the
// pattern of a route, the text of a statement without its values, and what an answer meant:
// never an address, a person, a card or a key.
package tracing

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/exaring/otelpgx"
	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"veinte/models"
)

// Tracer sends traces to a collector. Nil traces nothing.
type Tracer struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
}

// New begins to send traces by OTLP over HTTP to what the setting
// OTEL_EXPORTER_OTLP_ENDPOINT names. Headers, time limits and how much is sampled are read
// from the environment by the names that OpenTelemetry gives them. A collector that is away
// holds nothing up: what does not fit its queue is dropped.
func New(ctx context.Context, endpoint, version string, log *slog.Logger) (*Tracer, error) {
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(endpoint+"/v1/traces"))
	if err != nil {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_ENDPOINT: %w", err)
	}
	what, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", "veinte"),
		attribute.String("service.version", version)), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("traces are not taken", "error", err) }))
	provider := sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(what))
	return &Tracer{provider, provider.Tracer("veinte")}, nil
}

// Close sends what is left.
func (t *Tracer) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return t.provider.Shutdown(ctx)
}

// Database traces statements within what is traced. It is nil where nothing is.
func (t *Tracer) Database() pgx.QueryTracer {
	if t == nil {
		return nil
	}
	return otelpgx.NewTracer(otelpgx.WithTracerProvider(t.provider), otelpgx.WithDisableAcquireTracer(),
		otelpgx.WithDisableConnectionDetailsInAttributes())
}

// Request begins the part of a trace that is a request, within that of the header
// traceparent, if it has one.
func (t *Tracer) Request(method, traceparent string) trace.Span {
	ctx := propagation.TraceContext{}.Extract(context.Background(), propagation.MapCarrier{"traceparent": traceparent})
	_, span := t.tracer.Start(ctx, method, trace.WithSpanKind(trace.SpanKindServer))
	return span
}

// Answered ends the part of a request.
func (t *Tracer) Answered(span trace.Span, method, route string, status int) {
	span.SetName(method + " " + route)
	span.SetAttributes(attribute.String("http.request.method", method), attribute.String("http.route", route),
		attribute.Int("http.response.status_code", status))
	if status >= http.StatusInternalServerError {
		span.SetStatus(codes.Error, strconv.Itoa(status))
	}
	span.End()
}

// Job begins a job of the queue; what it returns ends it, with its outcome.
func (t *Tracer) Job(ctx context.Context, kind string) (inside context.Context, end func(outcome string)) {
	if t == nil {
		return ctx, func(string) {}
	}
	ctx, span := t.tracer.Start(ctx, "job "+kind, trace.WithSpanKind(trace.SpanKindConsumer), trace.WithNewRoot())
	return ctx, func(outcome string) {
		span.SetAttributes(attribute.String("veinte.outcome", outcome))
		span.End()
	}
}

// Service traces what is asked of the cancellation service. The service is not told of the
// trace: its document does not know such a header.
func (t *Tracer) Service(api models.CancelAPI) models.CancelAPI {
	if t == nil {
		return api
	}
	return cancelling{t, api}
}

// Inquiries traces what is asked of terminals through the service.
func (t *Tracer) Inquiries(api models.InquiryAPI) models.InquiryAPI {
	if t == nil {
		return api
	}
	return inquiring{t, api}
}

type cancelling struct {
	t   *Tracer
	api models.CancelAPI
}

func (c cancelling) Cancel(ctx context.Context, order models.Order) models.Reply {
	return c.t.asked(ctx, "cancel", func(ctx context.Context) models.Reply { return c.api.Cancel(ctx, order) })
}

type inquiring struct {
	t   *Tracer
	api models.InquiryAPI
}

func (i inquiring) Inquire(ctx context.Context, order models.Order) models.Reply {
	return i.t.asked(ctx, "inquire", func(ctx context.Context) models.Reply { return i.api.Inquire(ctx, order) })
}

// asked traces an exchange. What it means may be unknown, and then that is what it says.
func (t *Tracer) asked(ctx context.Context, operation string, ask func(context.Context) models.Reply) models.Reply {
	ctx, span := t.tracer.Start(ctx, "service "+operation, trace.WithSpanKind(trace.SpanKindClient))
	defer span.End()
	reply := ask(ctx)
	span.SetAttributes(attribute.String("veinte.meaning", string(reply.Meaning)))
	return reply
}
