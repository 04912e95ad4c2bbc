package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
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
func (s *bench) draw(r *rand.Rand, query string) string {
	day := s.now.AddDate(0, 0, -r.IntN(360)).Format(time.DateOnly)
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

// BenchmarkTrail requests pages of a full trail, by a supervisor of all stores and by
// one of three, while entries are added at the rate of a busy evening; p99-ms should be
// under 100.
func BenchmarkTrail(b *testing.B) {
	s := setup(b)
	limited, err := s.person(b.Context(), "limited", models.Supervisor, 5, 77, 301)
	if err != nil {
		b.Fatal(err)
	}
	if err := s.fillTrail(b.Context()); err != nil {
		b.Fatal(err)
	}
	writing, enough := context.WithCancel(b.Context())
	written := make(chan error, 1)
	go func() { written <- s.addToTrail(writing) }()
	for _, kind := range trailKinds {
		s.run(b, "all-stores/"+kind.name, func(ctx context.Context, p *build) error {
			return p.askTrail(ctx, s.supervisor, kind.query)
		})
		if strings.Contains(kind.query, "store=") || strings.Contains(kind.query, "terminal=") {
			continue // most would be others' places
		}
		s.run(b, "three-stores/"+kind.name, func(ctx context.Context, p *build) error {
			return p.askTrail(ctx, limited, kind.query)
		})
	}
	enough()
	if err := <-written; err != nil {
		b.Error(err)
	}
}

// addToTrail adds entries until the context ends.
func (s *bench) addToTrail(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, s.owner())
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	begin, step := s.trailBegin()
	tick := time.NewTicker(time.Second / trailWritten)
	defer tick.Stop()
	for n := *trailEntries + 1; ; n++ {
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

// askTrail requests pages of a kind, and records of how many in a hundred the search
// stopped early and stated how far it had got.
func (p *build) askTrail(ctx context.Context, session, query string) error {
	return p.serving(ctx, func(server *lab.Process) error {
		u := &user{"http://" + server.Addr, session}
		r := rand.New(rand.NewPCG(20, 26))
		var took []time.Duration
		partial := 0
		for i := range trailWarm + trailAsked {
			path := "/audit?" + p.draw(r, query)
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
		p.recordTimes("", took)
		p.record("searched-in-part-%", 100*float64(partial)/trailAsked)
		return nil
	})
}
