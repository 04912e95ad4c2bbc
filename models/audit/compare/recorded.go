package compare

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models/database"
)

const (
	tableRecorded = "recorded_rows"
	tableResults  = "results"
)

// bound is what an entry says of rows that were recorded together: the hash of their lines.
type bound struct {
	sha256 string
	entry  int64
}

// compareRecorded holds the stored lines against their entries. Lines that are not what
// was hashed bind nothing.
func (r *run) compareRecorded(ctx context.Context, tx pgx.Tx) error {
	table := r.table(tableRecorded)
	of := map[string]map[int64]bound{"sales": r.records.imports, tableResults: r.records.results}
	var kind, digest string
	var subject, rows int64
	// Of one block the hash of its lines, of several that of their hashes.
	err := each(ctx, tx, `SELECT of_table, subject, sum(length(lines) - length(replace(lines, E'\n', '')))::bigint,
			CASE of_table WHEN 'results' THEN min(encode(sha256(convert_to(lines, 'UTF8')), 'hex'))
				ELSE encode(sha256(convert_to(string_agg(encode(sha256(convert_to(lines, 'UTF8')), 'hex') || E'\n', '' ORDER BY block),
					'UTF8')), 'hex')
			END
		FROM recorded_rows GROUP BY of_table, subject ORDER BY of_table, subject`, []any{&kind, &subject, &rows, &digest}, func() error {
		b, told := of[kind][subject]
		delete(of[kind], subject)
		name := fmt.Sprintf("%s %d", kind, subject)
		switch {
		case !told && len(r.months) > 0:
			table.Archived++ // its entry may be in a month that is not here
			if kind == "sales" {
				r.closed[name] = 0
			}
		case !told:
			r.add(Difference{Kind: Unrecorded, Table: tableRecorded, Row: name, Found: digest})
		case b.sha256 != digest:
			table.Compared++
			r.add(Difference{
				Kind: Changed, Table: tableRecorded, Row: name, Field: "lines", Recorded: b.sha256, Found: digest, EntryID: b.entry,
			})
		default:
			table.Compared++
			r.closed[name] = b.entry
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("compare recorded rows: %w", err)
	}
	for kind, left := range of {
		for _, subject := range slices.Sorted(maps.Keys(left)) {
			r.add(Difference{
				Kind: Missing, Table: tableRecorded, Row: fmt.Sprintf("%s %d", kind, subject), Recorded: left[subject].sha256,
				EntryID: left[subject].entry,
			})
		}
	}
	return nil
}

type (
	resultRow struct {
		id            int64
		content, hash string // of the body, computed and stored
		sale          int64
	}
	boundResult struct {
		id      int64
		content string
		block   int64
	}
)

const (
	resultsSQL = `SELECT id, encode(sha256(convert_to(body, 'UTF8')), 'hex'), body_hash, coalesce(sale_id, 0) FROM results ORDER BY id`
	// boundResultsSQL opens the lines.
	boundResultsSQL = `SELECT split_part(l, ' ', 1)::bigint, split_part(l, ' ', 2), r.subject
		FROM recorded_rows r, unnest(string_to_array(rtrim(r.lines, E'\n'), E'\n')) l WHERE r.of_table = 'results' ORDER BY 1`
)

// compareResults holds what terminals posted against what was bound of it.
func (r *run) compareResults(ctx context.Context, tx pgx.Tx) error {
	rows, err := open(ctx, tx, "result_rows", resultsSQL, func(x *resultRow) []any { return []any{&x.id, &x.content, &x.hash, &x.sale} })
	if err != nil {
		return err
	}
	said, err := open(ctx, tx, "bound_results", boundResultsSQL, func(x *boundResult) []any { return []any{&x.id, &x.content, &x.block} })
	if err != nil {
		return err
	}
	table := r.table(tableResults)
	for {
		x, b := rows.peek(), said.peek()
		switch {
		case x == nil && b == nil:
			if rows.err != nil {
				return rows.err
			}
			return said.err
		case b == nil || x != nil && x.id < b.id:
			table.NotBound++
			r.ownHash(x)
			rows.take()
		case x == nil || b.id < x.id:
			if entry, ok := r.closed[resultBlock(b.block)]; ok {
				table.Compared++
				r.add(Difference{Kind: Missing, Table: tableResults, Row: id(b.id), Recorded: b.content, EntryID: entry})
			}
			said.take()
		default:
			r.result(table, x, b)
			rows.take()
			said.take()
		}
	}
}

func resultBlock(subject int64) string { return fmt.Sprintf("%s %d", tableResults, subject) }

func (r *run) result(table *Table, x *resultRow, b *boundResult) {
	entry, ok := r.closed[resultBlock(b.block)]
	if !ok {
		table.NotBound++
		r.ownHash(x)
		return
	}
	table.Compared++
	if table.Since == 0 || entry < table.Since {
		table.Since = entry
	}
	if found := x.content[:min(len(x.content), len(b.content))]; found != b.content {
		r.add(Difference{
			Kind: Changed, Table: tableResults, Row: id(x.id), Field: "body", Recorded: b.content, Found: found, EntryID: entry, SaleID: x.sale,
		})
	}
}

// ownHash compares a body with the hash that its row has: not proof, but whoever changes one
// forgets the other.
func (r *run) ownHash(x *resultRow) {
	if x.content != x.hash {
		r.add(Difference{Kind: Changed, Table: tableResults, Row: id(x.id), Field: "body", Recorded: x.hash, Found: x.content, SaleID: x.sale})
	}
}

const (
	// boundAtOnce is how many results one comparison binds, and settled how long after a post
	// nothing older can still come to be stored.
	boundAtOnce = 2_000_000
	settled     = 10 * time.Minute
)

// bind records what terminals have posted since, and returns the hashes of its lines for the
// entry, by the number of the first.
func bind(ctx context.Context, t database.Tx, until time.Time) (map[string]string, error) {
	rows, err := database.TxRows[struct {
		Subject int64
		Digest  string
	}](ctx, t, `WITH fresh AS (
			SELECT id, left(encode(sha256(convert_to(body, 'UTF8')), 'hex'), 32) AS content, (row_number() OVER (ORDER BY id) - 1) / 10000 AS g
			FROM results WHERE received_at < $1 AND id > coalesce((SELECT (regexp_match(lines, '(\d+) [0-9a-f]+\n$'))[1]::bigint
				FROM recorded_rows WHERE of_table = 'results' ORDER BY subject DESC LIMIT 1), 0)
			ORDER BY id LIMIT $2),
		added AS (
			INSERT INTO recorded_rows (of_table, subject, block, lines)
			SELECT 'results', min(id), 0, string_agg(id || ' ' || content || E'\n', '' ORDER BY id) FROM fresh GROUP BY g RETURNING subject, lines)
		SELECT subject, encode(sha256(convert_to(lines, 'UTF8')), 'hex') AS digest FROM added ORDER BY subject`,
		until.Add(-settled), boundAtOnce)
	if err != nil {
		return nil, fmt.Errorf("bind results: %w", err)
	}
	said := map[string]string{}
	for _, b := range rows {
		said[id(b.Subject)] = b.Digest
	}
	return said, nil
}
