package main

import (
	"context"

	"veinte/web/lab"
	"veinte/web/lab/chaos/cutoff"
)

// cutoffExperiment is `chaos cutoff`. It needs no processes of the product: its
// clock is its own, so the parts run inside this one.
type cutoffExperiment struct {
	Schedules int `default:"10000" help:"Seeded evenings between 19:58:00 and 20:00:30."`
	Sharp     int `default:"1000" help:"Evenings besides that leap exactly onto the last instant."`
	First     int `help:"Number of the first one, to play it again alone."`
	EveryDay  int `default:"1" help:"1: every day of 2026 to 2030 in ten zones; n: each n-th; 0: none."`
	Stampede  int `default:"120" help:"Cases that are asked for in the last minute; 0: none."`
}

// Run plays the evenings.
func (x *cutoffExperiment) Run(ctx context.Context, setup lab.Setup) (*lab.Report, error) {
	report := lab.NewReport("cutoff", setup)
	found, err := cutoff.Run(ctx, cutoff.Options{
		Seed: setup.Seed, First: x.First, Schedules: x.Schedules, Sharp: x.Sharp, EveryDay: x.EveryDay, Stampede: x.Stampede,
		Progress: func(what string) { setup.Progress(what) },
	})
	if err != nil {
		return nil, err
	}
	report.Add("evenings, days and the stampede", found, "")
	for _, example := range found.Examples {
		report.Violate("%s", example)
	}
	if more := found.Violations - len(found.Examples); more > 0 {
		report.Violate("and %d more", more)
	}
	return report.Done(), nil
}
