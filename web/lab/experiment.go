package lab

import (
	"context"
	"time"
)

// Experiment is one of the programs below web/lab/chaos. Its exported fields are
// its flags, in kong's tags, with the long version's numbers as defaults.
type Experiment interface {
	// Run carries it out. The error is the laboratory's own failure; what the
	// product did wrong is in the report.
	Run(ctx context.Context, setup Setup) (*Report, error)
}

// Setup is what every experiment is started with.
type Setup struct {
	Bin      string       // the product's program, with its crash points; see Build
	Seed     uint64       // of every random choice
	Progress func(string) // hears what is being done; nil: nobody
}

// NewReport begins the report of an experiment.
func NewReport(name string, setup Setup) *Report {
	return &Report{Experiment: name, Seed: setup.Seed, began: time.Now()}
}

// Done ends the report's time; it returns the report.
func (r *Report) Done() *Report {
	r.Took = time.Since(r.began)
	return r
}
