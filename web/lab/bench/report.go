package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"
)

// Figure is one measurement: the median of its rounds. Where two programs are compared,
// they took turns.
type Figure struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit,omitempty"`
	Goal  string  `json:"goal,omitempty"`
	Value float64 `json:"value"`
	Old   float64 `json:"old,omitempty"`   // of the program that it is compared with
	Ratio float64 `json:"ratio,omitempty"` // of Value to Old

	values, olds []float64
}

// record adds a value of the program that is being measured.
func (b *bench) record(name, unit, goal string, value float64) {
	i := slices.IndexFunc(b.figures, func(f *Figure) bool { return f.Name == name })
	if i < 0 {
		i = len(b.figures)
		b.figures = append(b.figures, &Figure{Name: name, Unit: unit, Goal: goal})
	}
	f := b.figures[i]
	if b.bin == b.Old {
		f.olds = append(f.olds, value)
		f.Old = quantile(f.olds, 0.5)
	} else {
		f.values = append(f.values, value)
		f.Value = quantile(f.values, 0.5)
	}
	if f.Old != 0 {
		f.Ratio = f.Value / f.Old
	}
}

// recordTimes records the median and the 99th percentile, in milliseconds.
func (b *bench) recordTimes(name, goal string, each []time.Duration) {
	b.record(name+", median", "ms", "", ms(quantile(each, 0.5)))
	b.record(name+", p99", "ms", goal, ms(quantile(each, 0.99)))
}

// print writes the figures as text, or as JSON.
func (b *bench) print(w io.Writer) error {
	if b.JSON {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(b.figures)
	}
	for _, f := range b.figures {
		old := ""
		if b.Old != "" {
			old = fmt.Sprintf("old %8s  ratio %.2f  ", number(f.Old), f.Ratio)
		}
		fmt.Fprintf(w, "  %-66s %8s %-4s %s%s\n", f.Name, number(f.Value), f.Unit, old, f.Goal)
	}
	return nil
}

func number(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
