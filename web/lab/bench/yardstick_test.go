package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"veinte/models/modelstest/roundtrips"
	"veinte/web/lab"
	"veinte/web/lab/bench/yardstick"
)

// yardsticks are the pages that the product's are measured by.
type yardsticks struct{ hand, naive fixedPage }

type fixedPage struct {
	ask          asker
	trips, bytes float64
	words        string
}

// markup is what two pages that say the same may write differently.
var markup = regexp.MustCompile(`<[^>]*>|\s`)

// filled makes the database of both, once.
var filled = sync.OnceValue(func() error {
	if err := shared.administer(context.Background(), "CREATE DATABASE yardstick"); err != nil {
		return err
	}
	return yardstick.Fill(context.Background(), shared.pg.DSN("yardstick", "postgres"), *tableSales)
})

// startYardsticks starts both, each a process of its own, for the time of the benchmark.
func (s *bench) startYardsticks(b *testing.B) (*yardsticks, error) {
	if err := filled(); err != nil {
		return nil, err
	}
	y := &yardsticks{}
	for kind, into := range map[string]*fixedPage{"hand": &y.hand, "naive": &y.naive} {
		if err := s.startYardstick(b, kind, into); err != nil {
			return nil, fmt.Errorf("%s: %w", kind, err)
		}
	}
	switch sales := strings.Count(y.hand.words, "Cancelar"); {
	case y.hand.trips != 1:
		return nil, fmt.Errorf("the yardstick asks its database %v times", y.hand.trips)
	case sales != 50:
		return nil, fmt.Errorf("the yardstick shows %d sales", sales)
	case y.hand.words != y.naive.words:
		return nil, errors.New("the naive page does not say what the yardstick says")
	}
	return y, nil
}

func (s *bench) startYardstick(b *testing.B, kind string, into *fixedPage) error {
	ctx, url := b.Context(), s.pg.DSN("yardstick", "postgres")
	start := func(url string) (*lab.Process, error) {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		p, _, err := s.startProcess(ctx, self, "/ready", []string{"YARDSTICK=" + kind, "DATABASE_URL=" + url}, "ADDR")
		return p, err
	}
	wire, err := roundtrips.New(url)
	if err != nil {
		return err
	}
	defer wire.Close()
	counted, err := start(wire.URL)
	if err != nil {
		return err
	}
	u := &user{"http://" + counted.Addr, yardstick.Session}
	if into.trips, err = tripsOf(ctx, wire, u, "/"); err != nil {
		return err
	}
	body, err := u.get(ctx, "/")
	if err != nil {
		return err
	}
	into.words = markup.ReplaceAllString(string(body), "")
	if into.bytes = float64(len(body)); into.bytes < 0.95*yardstick.PageBytes || into.bytes > 1.05*yardstick.PageBytes {
		return fmt.Errorf("the page has %v bytes, want %d", into.bytes, yardstick.PageBytes)
	}
	if err := counted.Stop(); err != nil {
		return err
	}
	p, err := start(url)
	if err != nil {
		return err
	}
	b.Cleanup(func() { _ = p.Stop() })
	into.ask = page("http://"+p.Addr+"/", yardstick.Session)
	return nil
}
