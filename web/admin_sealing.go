package web

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"veinte/models/audit/sealing"
)

// sealingMetrics is the collector for the state of sealing the trail. It measures at
// each scrape.
type sealingMetrics struct{ seals *sealing.Service }

var (
	sealLagMetric = prometheus.NewDesc("veinte_trail_seal_lag_seconds",
		"For how long the oldest entry of the trail that is not sealed has waited; 0 when all are, or the trail was never sealed.", nil, nil)
	sealSizeMetric = prometheus.NewDesc("veinte_trail_sealed_entries",
		"Entries of the trail that are sealed, whichever process did it.", nil, nil)
	sealedMetric = prometheus.NewDesc("veinte_trail_sealed_total",
		"Entries that this process has sealed since it began.", nil, nil)
	sealHeldMetric = prometheus.NewDesc("veinte_trail_seal_held_seconds",
		"For how long the transaction has run that the oldest entry which is not sealed waits for; 0 when it waits for none. A high lag with "+
			"0 here is not the fault of a transaction.", nil, nil)
	sealTroubleMetric = prometheus.NewDesc("veinte_trail_seal_trouble",
		"1 for what keeps this process from sealing or from writing checkpoints out. shorter and different mean that the trail contradicts a "+
			"checkpoint that left it, whichever process saw it.",
		[]string{"trouble"}, nil)
)

// Describe sends the descriptions of the metrics.
func (s sealingMetrics) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{sealLagMetric, sealHeldMetric, sealSizeMetric, sealedMetric, sealTroubleMetric} {
		to <- d
	}
}

// Collect measures and sends the metrics. It leaves out what cannot be read.
func (s sealingMetrics) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	to <- prometheus.MustNewConstMetric(sealedMetric, prometheus.CounterValue, float64(s.seals.Sealed()))
	standing, err := s.seals.Status(ctx)
	now := ""
	if t := s.seals.Trouble(); t != nil {
		now = t.Code
	}
	if standing.Stop != nil {
		now = standing.Stop.Code
	}
	for _, code := range []string{sealing.Shorter, sealing.Different, sealing.Directory, sealing.Failing} {
		value := 0.0
		if code == now {
			value = 1
		}
		to <- prometheus.MustNewConstMetric(sealTroubleMetric, prometheus.GaugeValue, value, code[len("seal."):])
	}
	if err != nil {
		return
	}
	to <- prometheus.MustNewConstMetric(sealHeldMetric, prometheus.GaugeValue, standing.PausedFor.Seconds())
	to <- prometheus.MustNewConstMetric(sealLagMetric, prometheus.GaugeValue, standing.Lag.Seconds())
	to <- prometheus.MustNewConstMetric(sealSizeMetric, prometheus.GaugeValue, float64(standing.Size))
}
