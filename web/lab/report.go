package lab

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// Report is an experiment's result, printed as text.
type Report struct {
	Experiment string
	Seed       uint64
	Took       time.Duration
	Figures    []Figure // in the order of the experiment
	Verdict    *Verdict // the judge's, if any
	Violations []string // found besides the judge's

	began time.Time
}

// Figure is one measurement: a number, a duration or a text.
type Figure struct {
	Name  string
	Value any
	Goal  string // the expected value, in words
}

// Add adds a figure; the goal may be "".
func (r *Report) Add(name string, value any, goal string) {
	r.Figures = append(r.Figures, Figure{Name: name, Value: value, Goal: goal})
}

// Violate records a mistake of the product.
func (r *Report) Violate(format string, args ...any) {
	r.Violations = append(r.Violations, fmt.Sprintf(format, args...))
}

// All returns every violation, including the judge's.
func (r *Report) All() []string {
	if r.Verdict == nil {
		return r.Violations
	}
	return append(slices.Clone(r.Verdict.Violations), r.Violations...)
}

// ErrViolated is wrapped by the error of a report with violations.
var ErrViolated = errors.New("the product did wrong")

// Err is nil when there is no violation.
func (r *Report) Err() error {
	if n := len(r.All()); n > 0 {
		return fmt.Errorf("%s, seed %d: %w: %d violations", r.Experiment, r.Seed, ErrViolated, n)
	}
	return nil
}

// shownViolations limits how many violations the text has.
const shownViolations = 40

// Text writes the report as text, the seed first.
func (r *Report) Text(w io.Writer) {
	fmt.Fprintf(w, "%s: seed %d, took %s\n", r.Experiment, r.Seed, r.Took.Round(time.Second))
	line := func(name string, value any, goal string) {
		if d, ok := value.(time.Duration); ok {
			value = d.Round(time.Millisecond)
		}
		fmt.Fprintf(w, "  %-46s %-24v %s\n", name, value, goal)
	}
	for _, f := range r.Figures {
		line(f.Name, f.Value, f.Goal)
	}
	if v := r.Verdict; v != nil {
		line("sales, of them canceled by their terminal", fmt.Sprintf("%d, %d", v.Sales, v.Canceled), "")
		line("clicks, acknowledged, unanswered", fmt.Sprintf("%d, %d, %d", v.Clicks, v.Acknowledged, v.Unanswered), "")
		line("cases", Counts(v.States), "")
		line("faults of the service", Counts(v.Faults), "")
		line("deliveries, requests cut off", fmt.Sprintf("%d, %d", v.Deliveries, v.CutRequests), "")
		line("doubles", v.Doubles, "0")
		line("deliveries of no committed attempt", v.Unrecorded, "0")
		line("acknowledged clicks lost", v.Lost, "0")
		line("posts that were acknowledged, lost", fmt.Sprintf("%d, %d", v.Posts, v.PostsLost), "0 lost")
		line("final states that contradict the ledger", v.Contradictions, "0")
		line("ends claimed without proof in the ledger", v.Unproven, "0")
		line("moves in the trail, each of the table", v.Moves, "")
		line("settled by itself, by people, left open", fmt.Sprintf("%d, %d, %d", v.Automatically, v.ByPeople, v.LeftOpen), "")
	}
	all := r.All()
	line("violations", len(all), "0")
	for _, text := range all[:min(len(all), shownViolations)] {
		fmt.Fprintln(w, "    ! "+text)
	}
}

// Counts writes a map of counts in one line, with the total.
func Counts(m map[string]int) string {
	var parts []string
	total := 0
	for _, name := range slices.Sorted(maps.Keys(m)) {
		total += m[name]
		parts = append(parts, fmt.Sprintf("%s %d", name, m[name]))
	}
	return fmt.Sprintf("%d: %s", total, strings.Join(parts, ", "))
}

// Setup is an experiment's input.
type Setup struct {
	Bin      string       // the product's program, with its crash points; see Build
	Seed     uint64       // of every random choice
	Progress func(string) // receives progress messages; may be nil
}

// NewReport begins the report of an experiment.
func NewReport(name string, setup Setup) *Report {
	return &Report{Experiment: name, Seed: setup.Seed, began: time.Now()}
}

// Done sets the report's duration and returns the report.
func (r *Report) Done() *Report {
	r.Took = time.Since(r.began)
	return r
}
