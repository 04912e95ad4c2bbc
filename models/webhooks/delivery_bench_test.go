package webhooks_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"veinte/models/webhooks"
)

// BenchmarkReceive compares the cost of storing a post with two relays and with
// none. The two alternate, so that other load of the machine affects both. It
// reports medians.
func BenchmarkReceive(b *testing.B) {
	plain, relayed := newReceiver(b, webhookInput(webhooks.EventConfirmed)), newReceiver(b, relayInput)
	second := relayInput
	second.Name = "Otro"
	relayed.endpoint(second)
	took := map[*receiver][]time.Duration{}
	b.ResetTimer()
	for range b.N {
		for _, r := range []*receiver{plain, relayed} {
			p := r.SalePost(r.Terminal.SerialNumber, 12050)
			p.Raw, p.ContentType = []byte(strings.Repeat("x", 2000)), "application/json"
			began := time.Now()
			if err := r.Results.Receive(b.Context(), p); err != nil {
				b.Fatal(err)
			}
			took[r] = append(took[r], time.Since(began))
		}
	}
	b.StopTimer()
	for name, r := range map[string]*receiver{"none-ms": plain, "two-relays-ms": relayed} {
		slices.Sort(took[r])
		b.ReportMetric(float64(took[r][b.N/2].Microseconds())/1000, name)
	}
}
