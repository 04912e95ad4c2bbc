package compare

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models"
)

const (
	tableClosings         = "closings"
	tableClosingTerminals = "closing_terminals"
)

// closedEntry is what a day.closed says of its report.
type closedEntry struct {
	Day    string       `json:"day"`
	SHA256 string       `json:"sha256"`
	Sales  int64        `json:"sales"`
	Amount models.Money `json:"amount"`
	entry  int64
}

// compareClosings holds the bytes of every closing report against the hash in its entry,
// of which there is one a day, and its terminals against its bytes. closed is then which
// reports bind the sales that they list, and by which entry: 0 where that is in an archived
// month, and all that is known is that the report is of one piece.
func (r *run) compareClosings(ctx context.Context, tx pgx.Tx) error {
	entries := map[string][]closedEntry{}
	for _, e := range r.records.closings {
		entries[e.Day] = append(entries[e.Day], e)
	}
	rows, err := tx.Query(ctx, `SELECT day::text, encode(hash, 'hex'), encode(sha256(canonical), 'hex'), canonical, sales, amount, closed_at
		FROM closings ORDER BY day`)
	if err != nil {
		return fmt.Errorf("read closings: %w", err)
	}
	var days []closingRow
	for rows.Next() {
		var c closingRow
		var canonical []byte
		if err := rows.Scan(&c.day, &c.hash, &c.content, &canonical, &c.sales, &c.amount, &c.closed); err != nil {
			rows.Close()
			return fmt.Errorf("read closings: %w", err)
		}
		_ = json.Unmarshal(canonical, &c.report) // what is no report has another hash
		days = append(days, c)
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read closings: %w", err)
	}
	for i := range days {
		r.closing(&days[i], entries[days[i].day])
		if err := r.closingTerminals(ctx, tx, &days[i]); err != nil {
			return err
		}
		delete(entries, days[i].day)
	}
	for day, of := range entries {
		r.table(tableClosings).Compared++
		r.add(Difference{Kind: Missing, Table: tableClosings, Row: day, Recorded: of[0].SHA256, EntryID: of[0].entry})
	}
	return nil
}

type closingRow struct {
	day, hash, content string
	sales, amount      int64
	closed             time.Time
	report             closingReport
}

// closingReport is what a report's bytes bind of its terminals.
type closingReport struct {
	Stores []struct {
		ID        int64 `json:"id"`
		Terminals []struct {
			SerialNumber string `json:"serialNumber"`
			SalesSHA256  string `json:"salesSha256"`
		} `json:"terminals"`
	} `json:"stores"`
}

func (r *run) closing(c *closingRow, of []closedEntry) {
	table := r.table(tableClosings)
	if len(of) == 0 {
		if r.isArchived(monthOf(c.closed)) {
			table.Archived++
			if c.content != c.hash {
				r.add(Difference{Kind: Changed, Table: tableClosings, Row: c.day, Field: "canonical", Recorded: c.hash, Found: c.content})
			} else {
				r.closed[c.day] = 0
			}
		} else {
			r.add(Difference{Kind: Unrecorded, Table: tableClosings, Row: c.day, Found: c.content})
		}
		return
	}
	table.Compared++
	if len(of) > 1 {
		r.add(Difference{
			Kind: Duplicate, Table: tableClosings, Row: c.day, Recorded: of[0].SHA256, Found: of[1].SHA256, EntryID: of[1].entry,
		})
	}
	e := of[0]
	before := len(r.Differences) + int(r.More)
	differ := func(field, recorded, found string) {
		if recorded != found {
			r.add(Difference{Kind: Changed, Table: tableClosings, Row: c.day, Field: field, Recorded: recorded, Found: found, EntryID: e.entry})
		}
	}
	differ("canonical", e.SHA256, c.content)
	differ("hash", e.SHA256, c.hash)
	differ("sales", fmt.Sprint(e.Sales), fmt.Sprint(c.sales))
	differ("amount", e.Amount.Decimal(), centavos(c.amount))
	if before == len(r.Differences)+int(r.More) {
		r.closed[c.day] = e.entry
	}
}

// closingTerminals holds the lists of a report's sales against its bytes. A list that
// is not the one whose hash the report has binds no sale.
func (r *run) closingTerminals(ctx context.Context, tx pgx.Tx, c *closingRow) error {
	entry, bound := r.closed[c.day]
	if !bound {
		return nil
	}
	want := map[string]string{}
	for _, s := range c.report.Stores {
		for _, t := range s.Terminals {
			want[fmt.Sprintf("%d %s", s.ID, t.SerialNumber)] = t.SalesSHA256
		}
	}
	rows, err := tx.Query(ctx, `SELECT store_id, serial_number, sales_hash, sha256(convert_to((SELECT string_agg(f.id || ' ' || f.amount ||
			' ' || f.letter || E'\n', '' ORDER BY f.n) FROM unnest(t.sale_ids, t.amounts, string_to_array(t.standings, NULL))
			WITH ORDINALITY f(id, amount, letter, n)), 'UTF8'))
		FROM closing_terminals t WHERE day = $1::date`, c.day)
	if err != nil {
		return fmt.Errorf("read terminals of closing %s: %w", c.day, err)
	}
	defer rows.Close()
	table := r.table(tableClosingTerminals)
	differ := func(kind Kind, row, field, recorded, found string) {
		r.add(Difference{Kind: kind, Table: tableClosingTerminals, Row: row, Field: field, Recorded: recorded, Found: found, EntryID: entry})
		delete(r.closed, c.day) // its lists bind nothing
	}
	for rows.Next() {
		var store int64
		var serial string
		var said, content []byte
		if err := rows.Scan(&store, &serial, &said, &content); err != nil {
			return fmt.Errorf("read terminals of closing %s: %w", c.day, err)
		}
		key, name := fmt.Sprintf("%d %s", store, serial), c.day+" "+serial
		hash, known := want[key]
		delete(want, key)
		if !known {
			differ(Unrecorded, name, "", "", hex.EncodeToString(content))
			continue
		}
		table.Compared++
		if found := hex.EncodeToString(said); found != hash {
			differ(Changed, name, "sales_hash", hash, found)
		}
		if found := hex.EncodeToString(content); found != hash {
			differ(Changed, name, "sale_ids", hash, found)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read terminals of closing %s: %w", c.day, err)
	}
	missing := make([]string, 0, len(want))
	for key := range want {
		missing = append(missing, key)
	}
	slices.Sort(missing)
	for _, key := range missing {
		differ(Missing, c.day+" "+key, "", want[key], "")
	}
	return nil
}
