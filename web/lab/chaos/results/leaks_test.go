package results

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"
)

// likeID is the shape of attempt ids.
var likeID = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// searcher looks for what must be kept nowhere.
type searcher struct{ ids map[string]bool }

// secrets are the attempt ids that ever left, and the planted card numbers.
func (r *run) secrets() (*searcher, error) {
	entries, err := r.Box.Ledger()
	if err != nil {
		return nil, err
	}
	s := &searcher{ids: map[string]bool{}}
	for _, e := range entries {
		if id := e.AttemptID(); id != "" && e.Kind == "request" {
			s.ids[id] = true
		}
	}
	return s, nil
}

var separators = strings.NewReplacer(" ", "", "-", "")

// find returns the secret that a text holds; "" for none.
func (s *searcher) find(text string) string {
	for _, id := range likeID.FindAllString(text, -1) {
		if s.ids[id] {
			return "an attempt id"
		}
	}
	digits := ""
	for _, card := range cards {
		number := separators.Replace(card)
		if !strings.Contains(text, number[:4]) {
			continue
		}
		if digits == "" {
			digits = separators.Replace(text)
		}
		if strings.Contains(digits, number[:len(number)-4]) {
			return "a card number"
		}
	}
	return ""
}

// leaks looks through everything that was written since the books.
func (r *run) leaks(ctx context.Context, since *books) error {
	secrets, err := r.secrets()
	if err != nil {
		return err
	}
	for _, q := range []struct {
		table string
		from  int64
		sql   string
	}{
		{"results", since.results, `SELECT concat_ws(' | ', body, serial_number, merchant_id, order_id, folio, last4, card_brand, auth_code,
			standing, response_code) FROM results WHERE id > $1`},
		{"sales", 0, `SELECT concat_ws(' | ', serial_number, merchant_id, order_id, last4, card_brand, auth_code, folio) FROM sales
			WHERE id > $1`},
		{"trail", since.trail, `SELECT concat_ws(' | ', serial_number, order_id, before, after, reason, convert_from(canonical, 'UTF8'))
			FROM audit_entries WHERE id > $1`},
	} {
		rows, err := r.Pool.Query(ctx, q.sql, q.from)
		if err != nil {
			return fmt.Errorf("look through %s: %w", q.table, err)
		}
		var text string
		if _, err := pgx.ForEachRow(rows, []any{&text}, func() error {
			if found := secrets.find(text); found != "" {
				r.violate("%s: %s is kept: %.600s", q.table, found, text)
			}
			return nil
		}); err != nil {
			return fmt.Errorf("look through %s: %w", q.table, err)
		}
	}
	return nil
}

// examineLogs looks through what the servers wrote in all their lives.
func (r *run) examineLogs() error {
	secrets, err := r.secrets()
	if err != nil {
		return err
	}
	lines := 0
	for _, s := range r.Servers {
		for line := range strings.Lines(s.Log()) {
			lines++
			if found := secrets.find(line); found != "" {
				r.violate("the log of server %d holds %s: %.300s", s.Number, found, line)
			}
			for _, bad := range []string{"panic", "level=ERROR", "goroutine "} {
				if strings.Contains(line, bad) {
					r.violate("the log of server %d: %.400s", s.Number, line)
				}
			}
		}
	}
	r.report.Add("lines of the servers' logs", lines, "")
	return nil
}
