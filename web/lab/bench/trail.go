package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/web/lab"
)

// TrailReport has the times of the trail's pages, by the kind of filter.
type TrailReport struct {
	Entries int         `json:"entries"`
	Pages   []TrailPage `json:"pages,omitempty"`
}

// TrailPage is a kind of page, requested sequentially by a supervisor; the times are
// of the whole response.
type TrailPage struct {
	Kind    string  `json:"kind"`
	Asked   int     `json:"asked"`
	Median  float64 `json:"medianMs"`
	P99     float64 `json:"p99Ms"`
	Worst   float64 `json:"maxMs"`
	Partial int     `json:"partial"` // pages that stopped early and stated how far they had searched
	Empty   int     `json:"empty"`   // of the others: those without an entry
}

// measureTrail requests pages of a full trail.
func (b *bench) measureTrail(ctx context.Context) error {
	if !b.trailFilled {
		if err := b.fillTrail(ctx); err != nil {
			return err
		}
	}
	limited, err := b.limitedReader(ctx)
	if err != nil {
		return err
	}
	p, _, err := b.serve(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = p.Stop() }()
	writing, enough := context.WithCancel(ctx)
	written := make(chan error, 1)
	go func() { written <- b.keepWriting(writing) }()
	if err := b.askTrailPages(p, limited); err != nil {
		enough()
		return errors.Join(err, <-written)
	}
	enough()
	return <-written
}

// keepWriting adds entries at the rate of a busy evening until the context ends.
func (b *bench) keepWriting(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, b.pg.DSN("bench", "postgres"))
	if err != nil {
		return fmt.Errorf("write while the trail is read: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	begin, step := b.trailBegin()
	tick := time.NewTicker(time.Second / trailWritten)
	defer tick.Stop()
	for n := b.Entries + 1; ; n++ {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if _, err := conn.Exec(ctx, trailEntry, n, n, begin, step); err != nil && ctx.Err() == nil {
			return fmt.Errorf("write while the trail is read: %w", err)
		}
	}
}

// askTrailPages requests pages of every kind.
func (b *bench) askTrailPages(p *lab.Process, limited string) error {
	b.report.Trail.Entries = b.Entries
	r := rand.New(rand.NewPCG(20, 26))
	for _, kind := range trailPages(b.now) {
		for _, who := range []struct{ suffix, cookie string }{{"", b.supervisor}, {" (three stores)", limited}} {
			if who.suffix != "" && !slices.Contains([]string{"no filter", "action", "rare word", "outcome", "period of a day"}, kind.kind) {
				continue
			}
			page, err := b.askTrail(p, kind.kind+who.suffix, who.cookie, func() string { return kind.query(r) })
			if err != nil {
				return err
			}
			b.report.Trail.Pages = append(b.report.Trail.Pages, page)
		}
	}
	for _, deep := range []struct{ kind, query string }{
		{"page 200 of all", ""},
		{"page 200 of an action", "action=cancellation.requested"},
		{"page 60 of a store", "store=9"},
	} {
		page, err := b.askDeep(p, deep.kind, deep.query)
		if err != nil {
			return err
		}
		b.report.Trail.Pages = append(b.report.Trail.Pages, page)
	}
	return nil
}

const (
	trailAsked   = 120 // pages of a kind
	trailWarm    = 20  // before them
	trailWritten = 50  // entries in a second, meanwhile
)

// askTrail requests pages of one kind, after a warm-up, and returns their times.
func (b *bench) askTrail(p *lab.Process, kind, cookie string, query func() string) (TrailPage, error) {
	b.progress("pages of the trail: " + kind)
	out := TrailPage{Kind: kind, Asked: trailAsked}
	var took []float64
	for i := range trailWarm + trailAsked {
		q := query()
		begin := time.Now()
		body, err := fetch(target{url: fmt.Sprintf("http://%s/audit?%s", p.Addr, q), cookie: cookie})
		if err != nil {
			return out, err
		}
		if i < trailWarm {
			continue
		}
		took = append(took, ms(time.Since(begin)))
		out.count(string(body))
	}
	out.times(took)
	return out, nil
}

// askDeep pages far back, and measures the pages after the first two hundred.
func (b *bench) askDeep(p *lab.Process, kind, query string) (TrailPage, error) {
	b.progress("pages of the trail: " + kind)
	out := TrailPage{Kind: kind}
	var took []float64
	path := "/audit?" + query
	for i := 0; path != "" && i < 260; i++ {
		begin := time.Now()
		body, err := fetch(target{url: "http://" + p.Addr + path, cookie: b.supervisor})
		if err != nil {
			return out, err
		}
		if i >= 60 {
			took = append(took, ms(time.Since(begin)))
			out.count(string(body))
		}
		path = ""
		if _, rest, ok := strings.Cut(string(body), `rel="next" href="`); ok {
			path, _, _ = strings.Cut(rest, `"`)
			path = strings.ReplaceAll(path, "&amp;", "&")
		}
	}
	out.Asked = len(took)
	out.times(took)
	return out, nil
}

func (t *TrailPage) count(body string) {
	switch {
	case strings.Contains(body, `data-testid="looked-to"`):
		t.Partial++
	case !strings.Contains(body, `data-testid="audit-entry"`):
		t.Empty++
	}
}

func (t *TrailPage) times(took []float64) {
	if len(took) == 0 {
		return
	}
	slices.Sort(took)
	t.Median, t.P99, t.Worst = took[len(took)/2], took[min(len(took)*99/100, len(took)-1)], took[len(took)-1]
}

// limitedReader is a supervisor of three stores.
func (b *bench) limitedReader(ctx context.Context) (cookie string, err error) {
	db, err := b.open(ctx)
	if err != nil {
		return "", err
	}
	defer db.Close()
	return b.person(ctx, db, accounts.Input{
		Email: "limited@veinte.example", Name: "Limited", Role: models.Supervisor, StoreIDs: []int64{5, 77, 301},
	})
}

// text writes this part of the text report.
func (t *TrailReport) text(w io.Writer) {
	if len(t.Pages) == 0 {
		return
	}
	fmt.Fprintf(w, "pages of a trail of %d entries, %d more written each second, each p99 under 100 ms\n", t.Entries, trailWritten)
	for _, p := range t.Pages {
		fmt.Fprintf(w, "  %-44s %6.1f ms median, %6.1f ms p99, %6.1f ms at most; %d of %d looked part of the way, %d empty\n",
			p.Kind, p.Median, p.P99, p.Worst, p.Partial, p.Asked, p.Empty)
	}
}
