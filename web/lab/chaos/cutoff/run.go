package cutoff

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Options say how much is tried.
type Options struct {
	Seed      uint64 // of everything that is left to chance
	First     int    // number of the first schedule, to play one again alone; below 0 it is a sharp one
	Schedules int
	Sharp     int          // schedules besides that leap exactly onto the last instant; their numbers end at -1
	EveryDay  int          // 1: every day of 2026 to 2030; n: each n-th, and those around a change of clocks; 0: none
	Stampede  int          // cases that are asked for in the last minute; 0: none
	Workers   int          // schedules at a time; 0: two for each processor
	Progress  func(string) // hears how it goes; nil: nobody
}

// run is the experiment under way.
type run struct {
	Options
	ctx    context.Context
	office *office
	clicks atomic.Int64

	mu     sync.Mutex
	report Report
}

// Run does the experiment. The error says that it could not be done; what it
// found is in the report.
func Run(ctx context.Context, o Options) (Report, error) {
	if o.Workers == 0 {
		o.Workers = 2 * runtime.GOMAXPROCS(0)
	}
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	r := &run{Options: o, ctx: ctx, report: newReport(o)}
	began := time.Now()
	err := r.all()
	r.report.Seconds = time.Since(began).Round(time.Second / 10).Seconds()
	return r.report, err
}

func (r *run) all() (err error) {
	if r.EveryDay > 0 {
		r.Progress("days and zones")
		if err := r.lookAtDays(r.EveryDay); err != nil {
			return err
		}
	}
	if r.Schedules+r.Sharp+r.Stampede == 0 {
		return nil
	}
	r.Progress("starting PostgreSQL")
	if r.office, err = openOffice(r.ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.office.close()) }()
	if r.Stampede > 0 {
		r.Progress(fmt.Sprintf("a stampede of %d", r.Stampede))
		if err := r.stampede(); err != nil {
			return fmt.Errorf("stampede: %w", err)
		}
	}
	return r.allSchedules()
}

// allSchedules plays them on several stages at once; each has its own time.
func (r *run) allSchedules() error {
	ctx, stop := context.WithCancelCause(r.ctx)
	defer stop(nil)
	numbers := make(chan int)
	var workers sync.WaitGroup
	for range r.Workers {
		workers.Go(func() {
			for n := range numbers {
				if err := r.schedule(n); err != nil {
					stop(fmt.Errorf("schedule %d: %w", n, err))
				}
			}
		})
	}
	for i := -r.Sharp; i < r.Schedules && ctx.Err() == nil; i++ {
		n := i
		if i >= 0 {
			n += r.First
		}
		if i > 0 && i%1000 == 0 {
			r.Progress(fmt.Sprintf("%d schedules", i))
		}
		select {
		case numbers <- n:
		case <-ctx.Done():
		}
	}
	close(numbers)
	workers.Wait()
	return context.Cause(ctx)
}

// violation notes what must not be.
func (r *run) violation(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report.Violations++
	if len(r.report.Examples) < maxExamples {
		r.report.Examples = append(r.report.Examples, fmt.Sprintf(format, args...))
	}
}

// maxExamples is how many violations are told in words.
const maxExamples = 20
