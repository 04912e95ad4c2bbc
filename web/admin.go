package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"veinte/models/audit/sealing"
	"veinte/models/database"
	"veinte/models/goroutine"
	"veinte/models/operations"
	"veinte/models/webhooks"
)

// adminServer serves metrics and profiles on a listener of its own, which cannot be
// reached through the public address.
type adminServer struct{ http *http.Server }

func newAdminServer(addr string, db *database.DB, s *operations.Service, deliveries *webhooks.Service,
	seals *sealing.Service,
) *adminServer {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for name, value := range map[string]func() float64{
		"veinte_database_connections":      func() float64 { return float64(db.Pool().Stat().TotalConns()) },
		"veinte_database_connections_busy": func() float64 { return float64(db.Pool().Stat().AcquiredConns()) },
	} {
		registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: "Connections to PostgreSQL."}, value))
	}
	registry.MustRegister(standing{s}, forwarding{deliveries}, sealingMetrics{seals})
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return &adminServer{http: &http.Server{Addr: addr, Handler: mux, ReadHeaderTimeout: 5 * time.Second}}
}

// standing is the collector for the state of the service. It measures at each
// scrape.
type standing struct{ operations *operations.Service }

var (
	clockMetric = prometheus.NewDesc("veinte_service_clock_ahead_seconds",
		"How far the cancellation service's clock is ahead of ours beyond doubt, by its last answer; 0 when it may be the same. Beyond 2 "+
			"either way people are told.", nil, nil)
	readyMetric      = prometheus.NewDesc("veinte_ready", "1 when cancellations can be recorded and sent from here, else 0.", nil, nil)
	pausedMetric     = prometheus.NewDesc("veinte_paused", "1 while an administrator has paused cancellations.", nil, nil)
	unansweredMetric = prometheus.NewDesc("veinte_service_unanswered",
		"Requests in an unbroken row to which the service gave no answer; 0 when it answers.", nil, nil)
	casesMetric = prometheus.NewDesc("veinte_cases", "Open cases by state.", []string{"state"}, nil)
)

// Describe sends the descriptions of the metrics.
func (s standing) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{clockMetric, readyMetric, pausedMetric, unansweredMetric, casesMetric} {
		to <- d
	}
}

// Collect measures and sends the metrics. It leaves out what cannot be read.
func (s standing) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	is := func(yes bool) float64 {
		if yes {
			return 1
		}
		return 0
	}
	gauge(clockMetric, s.operations.ClockAhead().Seconds())
	n := s.operations.Notices(ctx)
	gauge(readyMetric, is(n.Outage == nil))
	if n.Outage != nil {
		return
	}
	gauge(pausedMetric, is(n.Pause != nil))
	times := 0
	if n.Unanswered != nil {
		times = n.Unanswered.Times
	}
	gauge(unansweredMetric, float64(times))
	if open, err := s.operations.CountOpen(ctx); err == nil {
		for state, count := range open {
			gauge(casesMetric, float64(count), string(state))
		}
	}
}

// start listens; with an empty address it does nothing.
func (a *adminServer) start() error {
	if a.http.Addr == "" {
		return nil
	}
	ln, err := net.Listen("tcp", a.http.Addr)
	if err != nil {
		return fmt.Errorf("ADMIN_ADDR: %w", err)
	}
	goroutine.Go(nil, "answering at ADMIN_ADDR", func() { _ = a.http.Serve(ln) }) // ends with stop; the error has no receiver
	return nil
}

func (a *adminServer) stop(ctx context.Context) error {
	if err := a.http.Shutdown(ctx); err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("stop admin listener: %w", err)
	}
	return nil
}
