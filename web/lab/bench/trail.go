package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models"
	"veinte/web/lab"
)

const (
	trailAsked   = 120 // pages of a kind
	trailWarm    = 20  // before them, not measured
	trailWritten = 50  // entries in a second, meanwhile
)

// trailKinds are kinds of the trail's page. What is in braces is drawn for each.
var trailKinds = []struct{ name, query string }{
	{"no filter", ""},
	{"store", "store={store}"},
	{"terminal", "terminal={serial}"},
	{"person", "person={person}"},
	{"role", "role={manager|supervisor|administrator|system|terminal|anonymous}"},
	{"action", "action={action}"},
	{"outcome", "outcome={success|failure|denied|unknown}"},
	{"reason", "reason={duplicate|wrongAmount|other|never}"},
	{"amounts", "min={amount}&max=9000"},
	{"address", "address=189.{byte}.2.{byte}"},
	{"attempt", "attempt={1|2|3}"},
	{"a day", "from={day}&to={day}"},
	{"store and action", "store={store}&action={cancellation.requested|cancellation.refused|rules.changed}"},
	{"person and outcome", "person={person}&outcome={failure|denied}"},
	{"action and outcome", "action={session.started|inquiry.sent}&outcome={failure|unknown}"},
	{"never together: role and action", "role={administrator|manager|supervisor}&action={sales.recorded|cancellation.moved}"},
	{"never together: store and action", "store=7&action=cancellation.refused"},
	{"never together: outcome and words", "outcome=denied&q={cobro|cliente|confirmed}"},
	{"a rare word", "q=zanahoria"},
	{"a word of nowhere", "q={xilófono|quetzalcóatl|brontosaurio}"},
	{"a common word", "q={sucursal|confirmed|caja|terminal|cliente}"},
	{"common words", "q={sucursal confirmed|caja denied|ana torres confirmed|cliente opinion|luis sucursal roma}"},
	{"a name", "q={sofia nunez|RAÚL|elena gomez rios|ximena vega}"},
	{"the beginning of a word", "q={zanah|canc|sof|torr|confi}"},
	{"words and store", "q={cobro|opinion|confirmed}&store={store}"},
	{"words and a day", "q={cobro|sofia|confirmed|canc|zanahoria}&from={day}"},
	{"readings left out: person", "person=2000"},
	{"readings left out: role", "role=auditor"},
	{"readings left out: words", "q=quevedo"},
	{"readings among all", "reads=in"},
	{"four fields", "store={store}&action=cancellation.moved&outcome=success&attempt=2&min=100&max=900"},
}

var drawn = regexp.MustCompile(`\{[^}]*\}`)

// draw fills in what a kind leaves open. A day is the same throughout.
func (b *bench) draw(r *rand.Rand, query string) string {
	day := b.now.AddDate(0, 0, -r.IntN(360)).Format(time.DateOnly)
	return drawn.ReplaceAllStringFunc(query, func(open string) string {
		switch what := strings.Trim(open, "{}"); what {
		case "store":
			return strconv.Itoa(1 + r.IntN(stores))
		case "serial":
			return strconv.Itoa(firstSerial + r.IntN(stores*4))
		case "person":
			return strconv.Itoa(1 + r.IntN(trailPeople))
		case "action":
			return string(models.Actions[r.IntN(len(models.Actions))])
		case "amount":
			return strconv.Itoa(10 + r.IntN(8000))
		case "byte":
			return strconv.Itoa(1 + r.IntN(200))
		case "day":
			return day
		default:
			words := strings.Split(what, "|")
			return url.QueryEscape(words[r.IntN(len(words))])
		}
	})
}

// measureTrail requests pages of a full trail, by a supervisor of all stores and by one
// of three, while entries are added at the rate of a busy evening.
func (b *bench) measureTrail(ctx context.Context) error {
	if !b.reused {
		if err := b.fillTrail(ctx); err != nil {
			return err
		}
		b.reused = true
	}
	limited, err := b.person(ctx, "limited", models.Supervisor, 5, 77, 301)
	if err != nil {
		return err
	}
	return b.serving(ctx, func(p *lab.Process) error {
		writing, enough := context.WithCancel(ctx)
		written := make(chan error, 1)
		go func() { written <- b.addToTrail(writing) }()
		err := errors.Join(
			b.askTrail(ctx, &user{"http://" + p.Addr, b.supervisor}, ""),
			b.askTrail(ctx, &user{"http://" + p.Addr, limited}, " (three stores)"),
		)
		enough()
		return errors.Join(err, <-written)
	})
}

// addToTrail adds entries until the context ends.
func (b *bench) addToTrail(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, b.owner())
	if err != nil {
		return err
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

// askTrail requests pages of every kind, and records how many of a kind stopped early
// and stated how far they had searched.
func (b *bench) askTrail(ctx context.Context, u *user, suffix string) error {
	r := rand.New(rand.NewPCG(20, 26))
	for _, kind := range trailKinds {
		if suffix != "" && (strings.Contains(kind.query, "store=") || strings.Contains(kind.query, "terminal=")) {
			continue // most would be others' places
		}
		var took []time.Duration
		partial := 0
		for i := range trailWarm + trailAsked {
			path := "/audit?" + b.draw(r, kind.query)
			begin := time.Now()
			body, err := u.get(ctx, path)
			if err != nil {
				return err
			}
			if i < trailWarm {
				continue
			}
			took = append(took, time.Since(begin))
			if strings.Contains(string(body), `data-testid="looked-to"`) {
				partial++
			}
		}
		name := "the trail by " + kind.name + suffix
		b.recordTimes(name, "under 100", took)
		if partial > 0 {
			b.record(name+", of 120 searched in part", "", "", float64(partial))
		}
	}
	return nil
}
