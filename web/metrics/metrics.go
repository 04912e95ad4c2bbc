// Package metrics serves metrics and profiles to whoever operates the program. It changes
// nothing.
package metrics

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"veinte/handlers/results"
	"veinte/models/audit/attest"
	"veinte/models/audit/sealing"
	"veinte/models/database"
	"veinte/models/goroutine"
	"veinte/models/operations"
	"veinte/models/terminals"
	"veinte/models/webhooks"
	"veinte/models/wiring"
)

var (
	clockMetric = describe("veinte_service_clock_ahead_seconds",
		"How far the cancellation service's clock is ahead of ours beyond doubt, by its last answer; 0 when it may be the same. Beyond 2 "+
			"either way people are told.")
	readyMetric      = describe("veinte_ready", "1 when cancellations can be recorded and sent from here, else 0.")
	pausedMetric     = describe("veinte_paused", "1 while an administrator has paused cancellations.")
	unansweredMetric = describe("veinte_service_unanswered",
		"Requests in an unbroken row to which the service gave no answer; 0 when it answers.")
	accessMetric = describe("veinte_service_access_refused",
		"1 while the cancellation service refuses our access token, by its last answers: the configuration has to be corrected.")
	cancellationsMetric = describe("veinte_cases", "Open cases by state.", "state")

	waitingMetric = describe("veinte_deliveries_waiting",
		"Deliveries that have not arrived yet, by endpoint.", "endpoint", "kind", "state")
	oldestMetric = describe("veinte_deliveries_oldest_seconds",
		"How long the oldest of them has waited; 0 when none waits.", "endpoint", "kind", "state")
	failingMetric = describe("veinte_endpoint_failing_seconds",
		"For how long nothing has arrived at an endpoint; 0 when the last delivery did.", "endpoint", "kind", "state")
	failedMetric = describe("veinte_deliveries_failed",
		"Deliveries of the last 30 days that were given up or set aside, by endpoint.", "endpoint", "kind", "state")

	postsMetric = describe("veinte_results_posts_total",
		"Posts of terminals since this process began: own, olderKey, otherTerminal and shared by the address at which they came; "+
			"wrongSecret, sharedEnded, outsideNetworks, tooFast and notStored were not taken.", "what")

	addressMetric = describe("veinte_terminals_by_address",
		"Terminals in use by where they last posted: own, older (an address of the key before the newest), shared, or notYet known.", "address")

	sealLagMetric = describe("veinte_trail_seal_lag_seconds",
		"For how long the oldest entry of the trail that is not sealed has waited; 0 when all are, or the trail was never sealed.")
	sealSizeMetric = describe("veinte_trail_sealed_entries", "Entries of the trail that are sealed, whichever process did it.")
	sealHeldMetric = describe("veinte_trail_seal_held_seconds",
		"For how long the transaction has run that the oldest entry which is not sealed waits for; 0 when it waits for none. A high lag with "+
			"0 here is not the fault of a transaction.")
	sealTroubleMetric = describe("veinte_trail_seal_trouble",
		"1 for what keeps this process from sealing, or any from writing checkpoints out (directory). shorter and different mean that the "+
			"trail contradicts a checkpoint that left it, whichever process saw it; foreign, that the directory holds what was not signed here; "+
			"unguarded, that triggers of the database which refuse changes are off.",
		"trouble")

	signedMetric = describe("veinte_attester_signed_seconds",
		"How long ago somebody else, such as a time stamping authority or a witness, last signed a checkpoint of the trail.", "kind", "name")
	signTroubleMetric = describe("veinte_attester_trouble",
		"1 for what keeps somebody else from signing: away and wrong pass, silent means that no process asks, and refused that a witness "+
			"saw another trail.", "kind", "name", "trouble")
)

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, labels, nil)
}

// gaugeFunc sends the value of a gauge.
type gaugeFunc func(d *prometheus.Desc, value float64, labels ...string)

// collector measures at each scrape. It leaves out what cannot be read.
type collector func(ctx context.Context, gauge gaugeFunc)

// Describe sends nothing: which metrics there are depends on what can be read.
func (collector) Describe(chan<- *prometheus.Desc) {}

// Collect measures and sends the metrics.
func (c collector) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	c(ctx, func(d *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	})
}

// oneIf is 1 when something is the case, else 0.
func oneIf(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// serviceMetrics measures the state of the cancellation service and of this process.
func serviceMetrics(s *operations.Service) collector {
	return func(ctx context.Context, gauge gaugeFunc) {
		gauge(clockMetric, s.ClockAhead().Seconds())
		n := s.Notices(ctx)
		gauge(readyMetric, oneIf(n.Outage == nil))
		if n.Outage != nil {
			return
		}
		gauge(pausedMetric, oneIf(n.Pause != nil))
		times := 0
		if n.Unanswered != nil {
			times = n.Unanswered.Times
		}
		gauge(unansweredMetric, float64(times))
		gauge(accessMetric, oneIf(n.Access != nil))
	}
}

// openMetrics counts the open cancellations.
func openMetrics(s *operations.Service) collector {
	return func(ctx context.Context, gauge gaugeFunc) {
		open, err := s.CountOpen(ctx)
		if err != nil {
			return
		}
		for state, count := range open {
			gauge(cancellationsMetric, float64(count), string(state))
		}
	}
}

// deliveryMetrics measures the state of the webhook deliveries.
func deliveryMetrics(s *webhooks.Service) collector {
	return func(ctx context.Context, gauge gaugeFunc) {
		endpoints, err := s.EndpointHealth(ctx)
		if err != nil {
			return
		}
		for i := range endpoints {
			e := &endpoints[i]
			labels := []string{e.Name, string(e.Kind), string(e.State)}
			gauge(waitingMetric, float64(e.Waiting), labels...)
			gauge(oldestMetric, e.Age.Seconds(), labels...)
			gauge(failingMetric, e.Failing.Seconds(), labels...)
			gauge(failedMetric, float64(e.Failed), labels...)
		}
	}
}

// addressMetrics counts the terminals by where they post.
func addressMetrics(s *terminals.Service) collector {
	return func(ctx context.Context, gauge gaugeFunc) {
		counts, err := s.CountAddresses(ctx)
		if err != nil {
			return
		}
		for _, c := range counts {
			gauge(addressMetric, float64(c.Terminals), string(c.Use))
		}
	}
}

// postCounts counts what terminals posted, by where.
type postCounts struct{ *results.Endpoint }

// Describe sends the one metric.
func (postCounts) Describe(to chan<- *prometheus.Desc) { to <- postsMetric }

// Collect sends its values.
func (p postCounts) Collect(to chan<- prometheus.Metric) {
	for what, n := range p.Counts() {
		to <- prometheus.MustNewConstMetric(postsMetric, prometheus.CounterValue, float64(n), what)
	}
}

// sealedMetric counts what this process has sealed.
func sealedMetric(s *sealing.Service) prometheus.Collector {
	return prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "veinte_trail_sealed_total", Help: "Entries that this process has sealed since it began.",
	}, func() float64 { return float64(s.Sealed()) })
}

// sealingMetrics measures the state of sealing the trail.
func sealingMetrics(s *sealing.Service) collector {
	return func(ctx context.Context, gauge gaugeFunc) {
		status, err := s.Status(ctx)
		now := ""
		if t := s.Trouble(); t != nil {
			now = t.Code
		} else if status.Directory != nil {
			now = status.Directory.Code
		}
		if status.Stop != nil {
			now = status.Stop.Code
		}
		if len(status.Unguarded) > 0 && now == "" {
			now = sealing.Unguarded
		}
		for _, code := range []string{
			sealing.Shorter, sealing.Different, sealing.Unguarded, sealing.Directory, sealing.Foreign, sealing.Failing,
		} {
			gauge(sealTroubleMetric, oneIf(code == now), code[len("seal."):])
		}
		if err != nil {
			return
		}
		gauge(sealHeldMetric, status.PausedFor.Seconds())
		gauge(sealLagMetric, status.Lag.Seconds())
		gauge(sealSizeMetric, float64(status.Size))
	}
}

// attesterMetrics measures who signs checkpoints beside our own keys.
func attesterMetrics(s *attest.Service) collector {
	return func(ctx context.Context, gauge gaugeFunc) {
		all, err := s.Status(ctx)
		if err != nil {
			return
		}
		for i := range all {
			a := &all[i]
			if a.SignedAt != nil {
				gauge(signedMetric, time.Since(*a.SignedAt).Seconds(), string(a.Kind), a.Name)
			}
			for _, code := range []string{attest.Away, attest.Wrong, attest.Silent, attest.Refused} {
				gauge(signTroubleMetric, oneIf(code == a.Trouble), string(a.Kind), a.Name, code[len("attest."):])
			}
		}
	}
}

// Server serves them on a listener of its own, which cannot be reached through the public
// address.
type Server struct{ *http.Server }

// Config has what a Server measures.
type Config struct {
	Addr     string // "": nothing listens
	Version  string
	DB       *database.DB
	Services *wiring.Services
	Posts    *results.Endpoint
	Health   func(context.Context) []operations.Problem
	Watch    *Watch
	// Leads reports whether this process measures what is the same for all.
	Leads func(context.Context) bool
}

// New returns a Server that does not listen yet.
func New(c Config) *Server {
	addr, db, s, posts := c.Addr, c.DB, c.Services, c.Posts
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		serviceMetrics(s.Operations), ofOne(c.Leads, openMetrics(s.Operations)), ofOne(c.Leads, deliveryMetrics(s.Webhooks)),
		ofOne(c.Leads, addressMetrics(s.Terminals)), sealingMetrics(s.Sealing),
		ofOne(c.Leads, attesterMetrics(s.Attest)), sealedMetric(s.Sealing),
		postCounts{posts}, buildInfo(c.Version), poolMetrics{db})
	registry.MustRegister(c.Watch.collectors()...)
	for name, value := range map[string]func() float64{
		"veinte_database_connections":      func() float64 { all, _ := db.Pool().Count(); return float64(all) },
		"veinte_database_connections_busy": func() float64 { _, busy := db.Pool().Count(); return float64(busy) },
	} {
		registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: "Connections to PostgreSQL."}, value))
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) {
		status, body := operations.HealthAnswer(c.Health(r.Context()))
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write(body)
	})
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return &Server{&http.Server{Addr: addr, Handler: ofThisMachine(addr, mux), ReadHeaderTimeout: 5 * time.Second}}
}

// ofThisMachine refuses any name but this machine's own where only this machine can
// connect: a page in its browser may have a name of its own lead here, and would read what
// is answered.
func ofThisMachine(addr string, next http.Handler) http.Handler {
	if !loopback(addr) {
		return next // its operator names it as they like
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !loopback(r.Host) {
			http.Error(w, "ask for it by the address of this machine", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// loopback reports whether an address, with a port or without, is this machine alone.
func loopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		host = strings.Trim(addr, "[]")
	}
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.Unmap().IsLoopback()
}

// Start listens; with an empty address it does nothing.
func (a *Server) Start() error {
	if a.Addr == "" {
		return nil
	}
	ln, err := net.Listen("tcp", a.Addr)
	if err != nil {
		return fmt.Errorf("ADMIN_ADDR: %w", err)
	}
	goroutine.Go(nil, "answering at ADMIN_ADDR", func() { _ = a.Serve(ln) }) // ends with Shutdown; the error has no receiver
	return nil
}
