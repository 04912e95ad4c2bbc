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
	registry.MustRegister(
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		serviceMetrics(s), deliveryMetrics(deliveries), sealingMetrics(seals), sealedMetric(seals))
	for name, value := range map[string]func() float64{
		"veinte_database_connections":      func() float64 { return float64(db.Pool().Stat().TotalConns()) },
		"veinte_database_connections_busy": func() float64 { return float64(db.Pool().Stat().AcquiredConns()) },
	} {
		registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: "Connections to PostgreSQL."}, value))
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return &adminServer{http: &http.Server{Addr: addr, Handler: mux, ReadHeaderTimeout: 5 * time.Second}}
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
