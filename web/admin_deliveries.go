package web

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"veinte/models/webhooks"
)

// forwarding is the collector for the state of the webhook deliveries. It measures
// at each scrape.
type forwarding struct{ deliveries *webhooks.Service }

var (
	waitingMetric = prometheus.NewDesc("veinte_deliveries_waiting",
		"Deliveries that have not arrived yet, by endpoint.", []string{"endpoint", "kind", "state"}, nil)
	oldestMetric = prometheus.NewDesc("veinte_deliveries_oldest_seconds",
		"How long the oldest of them has waited; 0 when none waits.", []string{"endpoint", "kind", "state"}, nil)
	failingMetric = prometheus.NewDesc("veinte_endpoint_failing_seconds",
		"For how long nothing has arrived at an endpoint; 0 when the last delivery did.", []string{"endpoint", "kind", "state"}, nil)
	failedMetric = prometheus.NewDesc("veinte_deliveries_failed",
		"Deliveries of the last 30 days that were given up or set aside, by endpoint.", []string{"endpoint", "kind", "state"}, nil)
)

// Describe sends the descriptions of the metrics.
func (f forwarding) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{waitingMetric, oldestMetric, failingMetric, failedMetric} {
		to <- d
	}
}

// Collect measures and sends the metrics. It leaves out what cannot be read.
func (f forwarding) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	standings, err := f.deliveries.EndpointHealth(ctx)
	if err != nil {
		return
	}
	for i := range standings {
		s := &standings[i]
		gauge := func(d *prometheus.Desc, value float64) {
			to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, s.Name, string(s.Kind), string(s.State))
		}
		gauge(waitingMetric, float64(s.Waiting))
		gauge(oldestMetric, s.Age.Seconds())
		gauge(failingMetric, s.Failing.Seconds())
		gauge(failedMetric, float64(s.Failed))
	}
}
