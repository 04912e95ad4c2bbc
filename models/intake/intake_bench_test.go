package intake_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"veinte/models"
	"veinte/models/intake"
	"veinte/models/modelstest"
)

// BenchmarkRecordSales reports sales one by one from many callers, and a thousand at
// a time from one.
func BenchmarkRecordSales(b *testing.B) {
	o := modelstest.NewOffice(b)
	var n atomic.Int64
	next := func() models.SaleInput { return modelstest.GivenSale(o, fmt.Sprintf("BENCH-%d", n.Add(1))) }
	tell := func(b *testing.B, sales []models.SaleInput) {
		got, err := o.Intake.RecordSales(b.Context(), modelstest.RequestKey(), modelstest.ByAPI, sales)
		if err != nil || got[0].Status != intake.Created {
			b.Fatalf("RecordSales() = %v, %v", got, err)
		}
	}
	b.Run("single", func(b *testing.B) {
		b.SetParallelism(32)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				tell(b, []models.SaleInput{next()})
			}
		})
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "sales/s")
	})
	b.Run("thousand", func(b *testing.B) {
		for b.Loop() {
			sales := make([]models.SaleInput, 1000)
			for i := range sales {
				sales[i] = next()
			}
			tell(b, sales)
		}
		b.ReportMetric(1000*float64(b.N)/b.Elapsed().Seconds(), "sales/s")
	})
}
