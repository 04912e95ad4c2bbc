package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"veinte/web/lab"
)

// hours are the parts of the day. The first is not compared: caches fill in it.
const hours = 8

// gauge reads what the server that lives has taken.
type gauge struct {
	url  string
	pool *pgxpool.Pool
	seen []state
}

// state is what a server held at a time.
type state struct {
	hour        int
	live        float64 // bytes of the heap that were in use after a collection
	resident    float64 // bytes
	goroutines  float64
	files       float64
	connections float64 // to the database, of all servers
}

// watch reads forty times an hour.
func (g *gauge) watch(ctx context.Context, begin time.Time, took time.Duration) {
	tick := time.NewTicker(took / hours / 40)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		// While the database is away nothing is read.
		_ = g.read(ctx, min(int(hours*time.Since(begin)/took), hours-1))
	}
}

func (g *gauge) read(ctx context.Context, hour int) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, g.url, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(resp.Body)
	if err != nil {
		return err
	}
	value := func(name string) float64 { return families[name].GetMetric()[0].GetGauge().GetValue() }
	s := state{
		hour: hour, resident: value("process_resident_memory_bytes"), goroutines: value("go_goroutines"), files: value("process_open_fds"),
		// The collector aims at twice what was left.
		live: value("go_memstats_next_gc_bytes") / 2,
	}
	err = g.pool.QueryRow(ctx, `SELECT count(*) FROM pg_stat_activity
		WHERE application_name LIKE 'veinte%' AND application_name <> 'veinte lab'`).Scan(&s.connections)
	if err != nil {
		return err
	}
	g.seen = append(g.seen, s)
	return nil
}

// report compares the last hour with the second, and what is left when everybody has gone
// with what there was before anybody came.
func (g *gauge) report(ctx context.Context, r *lab.Report, before state) error {
	for _, measure := range []struct {
		name  string
		of    func(state) float64
		scale float64
		most  float64 // that the last hour may have more
	}{
		{"live heap, MiB", func(s state) float64 { return s.live }, 1 << 20, 0.05},
		{"resident, MiB", func(s state) float64 { return s.resident }, 1 << 20, 0.05},
		{"goroutines", func(s state) float64 { return s.goroutines }, 1, 0.05},
		{"open files", func(s state) float64 { return s.files }, 1, 0.05},
		{"connections to PostgreSQL", func(s state) float64 { return s.connections }, 1, 0.05},
	} {
		text := ""
		var second, last float64
		for hour := range hours {
			last = g.median(hour, measure.of) / measure.scale
			if hour == 1 {
				second = last
			}
			text += fmt.Sprintf("%.0f ", last)
		}
		r.Add(measure.name+", median of each hour", text, fmt.Sprintf("last / second %.3f, at most %.2f", last/second, 1+measure.most))
		if last > second*(1+measure.most) {
			r.Violate("%s: %.1f in the second hour, %.1f in the last", measure.name, second, last)
		}
	}
	left := before
	err := lab.Eventually(ctx, 2*time.Minute, "those who left are gone from the server", func(ctx context.Context) (bool, error) {
		if err := g.read(ctx, hours); err != nil {
			return false, err
		}
		left = g.seen[len(g.seen)-1]
		return left.goroutines <= before.goroutines*1.05+10, nil
	})
	r.Add("goroutines before anybody came, after all left", fmt.Sprintf("%.0f, %.0f", before.goroutines, left.goroutines), "the same")
	if err != nil {
		r.Violate("goroutines stay: %v", err)
	}
	return nil
}

// median is that of an hour.
func (g *gauge) median(hour int, of func(state) float64) float64 {
	var all []float64
	for _, s := range g.seen {
		if s.hour == hour {
			all = append(all, of(s))
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}
