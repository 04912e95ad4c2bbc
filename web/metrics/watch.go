package metrics

import (
	"context"
	"log/slog"
	"net/http"
	"runtime"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"veinte/models"
	"veinte/models/database"
	"veinte/models/webhooks"
)

// Watch counts what happens in this process, as it happens.
type Watch struct {
	requests   *prometheus.HistogramVec
	service    *prometheus.HistogramVec
	firstByte  prometheus.Histogram
	settled    *prometheus.HistogramVec
	moves      *prometheus.CounterVec
	results    *prometheus.CounterVec
	signIns    *prometheus.CounterVec
	jobs       *prometheus.HistogramVec
	deliveries *prometheus.HistogramVec
}

// Buckets, in seconds: of what a person waits for, and of what takes a terminal and its
// people.
var (
	quick = []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}
	slow  = []float64{.5, 1, 2, 5, 10, 20, 30, 60, 120, 180, 300, 600, 1800, 7200}
)

// NewWatch returns one that has seen nothing.
func NewWatch() *Watch {
	histogram := func(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
	}
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	return &Watch{
		requests: histogram("veinte_http_request_duration_seconds",
			"Requests by the pattern of their route; other is an address that is nobody's.", quick, "method", "route", "code"),
		service: histogram("veinte_service_request_duration_seconds", "Requests to the cancellation service, by what the answer means.",
			quick, "operation", "meaning"),
		firstByte: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "veinte_cancellation_first_byte_seconds", Buckets: quick,
			Help: "From the click to the first byte that left for the service.",
		}),
		settled: histogram("veinte_cancellation_settled_seconds",
			"From the click to the end of a cancellation, by its last state.", slow, "state"),
		moves: counter("veinte_cancellation_moves_total", "Moves of cancellations, by the new state.", "state"),
		results: counter("veinte_results_total",
			"Posts of terminals that were read, by what they are about and what became of them.", "kind", "status"),
		signIns:    counter("veinte_sign_ins_total", "Sign-ins: begun, refused, or turnedAway because there were too many.", "outcome"),
		jobs:       histogram("veinte_job_duration_seconds", "Jobs of the queue: done, later (put off) or failed.", quick, "kind", "outcome"),
		deliveries: histogram("veinte_delivery_duration_seconds", "Tries to deliver to an endpoint, by what came of them.", quick, "outcome"),
	}
}

// collectors are what a registry takes.
func (w *Watch) collectors() []prometheus.Collector {
	return []prometheus.Collector{
		w.requests, w.service, w.firstByte, w.settled, w.moves, w.results, w.signIns, w.jobs, w.deliveries,
	}
}

// signInRoutes are where people come in by a form.
var signInRoutes = map[string]bool{"/login": true, "/login/code": true, "/login/passkey": true, "/counter": true}

// Request counts an answer.
func (w *Watch) Request(method, route string, status int, took time.Duration) {
	switch method {
	case http.MethodGet, http.MethodPost, http.MethodHead, http.MethodPut, http.MethodPatch, http.MethodDelete:
	default:
		method = "other" // which a client may choose freely
	}
	w.requests.WithLabelValues(method, route, strconv.Itoa(status)).Observe(took.Seconds())
	if method != http.MethodPost || !signInRoutes[route] || status < http.StatusBadRequest {
		return
	}
	outcome := "refused"
	if status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests {
		outcome = "turnedAway"
	}
	w.signIns.WithLabelValues(outcome).Inc()
}

// Service counts an answer of the cancellation service.
func (w *Watch) Service(operation string, meaning models.Meaning, took time.Duration) {
	w.service.WithLabelValues(operation, string(meaning)).Observe(took.Seconds())
}

// Job counts a job.
func (w *Watch) Job(kind, outcome string, took time.Duration) {
	w.jobs.WithLabelValues(kind, outcome).Observe(took.Seconds())
}

// Delivery counts a try.
func (w *Watch) Delivery(r webhooks.Response) {
	w.deliveries.WithLabelValues(string(r.Detail)).Observe(r.Duration.Seconds())
}

// Event counts what a transaction has stored.
func (w *Watch) Event(event any) {
	switch e := event.(type) {
	case models.Moved:
		state := string(e.Cancellation.State)
		w.moves.WithLabelValues(state).Inc()
		if !e.Cancellation.State.Open() {
			w.settled.WithLabelValues(state).Observe(e.Cancellation.ChangedAt.Sub(e.Cancellation.RequestedAt).Seconds())
		}
	case models.FirstByte:
		w.firstByte.Observe(e.After.Seconds())
	case models.ResultRead:
		w.results.WithLabelValues(string(e.Kind), string(e.Status)).Inc()
	case models.SignedIn:
		w.signIns.WithLabelValues("begun").Inc()
	}
}

// Committed counts what a transaction has stored, and has one line in the log for each move of
// a cancellation.
func (w *Watch) Committed(log *slog.Logger) func(event any) {
	return func(event any) {
		w.Event(event)
		if m, ok := event.(models.Moved); ok {
			c := &m.Cancellation
			log.Info("cancellation moved", "cancellation", c.ID, "sale", c.SaleID, "from", m.From, "to", c.State, "detail", c.Detail,
				"attempts", c.Attempts, "by", m.By.Role, "request", m.By.RequestID, "sinceClick", c.ChangedAt.Sub(c.RequestedAt))
		}
	}
}

// buildInfo is 1, with the version.
func buildInfo(version string) prometheus.Collector {
	g := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "veinte_build_info", Help: "1, with the version of the program.",
		ConstLabels: prometheus.Labels{"version": version, "goversion": runtime.Version()},
	})
	g.Set(1)
	return g
}

var (
	poolMaxMetric   = describe("veinte_database_pool_max_connections", "Connections that each kind of work may have.", "share")
	poolBusyMetric  = describe("veinte_database_pool_busy_connections", "Connections in use, by kind of work.", "share")
	poolWaitsMetric = describe("veinte_database_pool_waits_total", "How often a connection had to be waited for, by kind of work.", "share")
	poolWaitMetric  = describe("veinte_database_pool_wait_seconds_total", "How long all of them waited together.", "share")
)

// poolMetrics measures the connections of each kind of work.
type poolMetrics struct{ db *database.DB }

// Describe sends nothing: a demo has one kind alone.
func (poolMetrics) Describe(chan<- *prometheus.Desc) {}

// Collect sends the values.
func (p poolMetrics) Collect(to chan<- prometheus.Metric) {
	for share, s := range p.db.Pool().Stats() {
		to <- prometheus.MustNewConstMetric(poolMaxMetric, prometheus.GaugeValue, float64(s.MaxConns()), share)
		to <- prometheus.MustNewConstMetric(poolBusyMetric, prometheus.GaugeValue, float64(s.AcquiredConns()), share)
		to <- prometheus.MustNewConstMetric(poolWaitsMetric, prometheus.CounterValue, float64(s.EmptyAcquireCount()), share)
		to <- prometheus.MustNewConstMetric(poolWaitMetric, prometheus.CounterValue, s.EmptyAcquireWaitTime().Seconds(), share)
	}
}

// ofOne measures what is the same for all processes in one of them alone: sums over all
// would count it several times.
func ofOne(leads func(context.Context) bool, c collector) collector {
	return func(ctx context.Context, gauge gaugeFunc) {
		if leads(ctx) {
			c(ctx, gauge)
		}
	}
}
