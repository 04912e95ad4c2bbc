package imports

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"veinte/models"
	"veinte/models/database"
	"veinte/models/table"
)

// reading is a file while its rows are read, with what a person should know of it.
type reading struct {
	kind     *importer
	file     *table.Table
	rows     int
	formulas int            // rows with a cell that is the result of a formula
	zones    map[string]int // times that were read by a store's clock
	words    map[string]*StatusWord
	status   []string // the status columns that the file has
}

func newReading(k *importer, file *table.Table) *reading {
	r := &reading{kind: k, file: file, zones: map[string]int{}, words: map[string]*StatusWord{}}
	for _, c := range statusColumns {
		if k == salesImport && file.Has(c.Name) {
			r.status = append(r.status, c.Name)
		}
	}
	return r
}

// each reads the file's rows to its end and passes them on, some hundreds at a time.
func (r *reading) each(ctx context.Context, t database.Tx, f func([]*Row) error) error {
	rows := make([]*Row, 0, chunkRows)
	pass := func() error {
		if r.kind.place != nil {
			if err := r.kind.place(ctx, t, rows); err != nil {
				return err
			}
		}
		for _, row := range rows {
			r.count(row)
		}
		return f(rows)
	}
	for r.file.Next() {
		row := r.kind.read(r.file.Row())
		if err := r.tally(r.file.Row()); err != nil {
			return err
		}
		if rows = append(rows, &row); len(rows) == chunkRows {
			if err := pass(); err != nil {
				return err
			}
			rows = rows[:0]
		}
	}
	if err := r.file.Err(); err != nil || len(rows) == 0 {
		return err
	}
	return pass()
}

func (r *reading) count(row *Row) {
	r.rows++
	if row.Zone != "" {
		r.zones[row.Zone]++
	}
	if len(row.Notes) > 0 {
		r.formulas++
	}
}

// tally counts the values of the status columns. A row that is wrong as a whole may
// have ended before them.
func (r *reading) tally(row *table.Row) error {
	if row.Problem != nil {
		return nil
	}
	for _, column := range r.status {
		word := statusValue(row.Cell(column))
		key := wordKey(column, word)
		if r.words[key] == nil {
			if len(r.words) == maxStatusWords {
				e := *ErrStatusWords
				e.Column, e.Detail, e.Max = column, table.Shown(r.file.HeaderOf(column)), maxStatusWords
				return &e
			}
			r.words[key] = &StatusWord{Column: column, Word: word, Meaning: knownWords[table.Fold(word)]}
		}
		r.words[key].Rows++
	}
	return nil
}

// statusValue is a cell of a status column, safe to store and show. What cannot be
// read is asked about like a word.
func statusValue(c table.Cell) string {
	if computed, ok := c.Computed(); ok {
		c = computed
	}
	if v, wrong := c.Value(); wrong == nil {
		return table.Shown(v)
	}
	return table.Shown(c.Raw())
}

// statusWords are the values of the columns, most frequent first. A column that is
// empty throughout says nothing.
func (r *reading) statusWords() []StatusWord {
	filled := map[string]bool{}
	for _, w := range r.words {
		filled[w.Column] = filled[w.Column] || w.Word != ""
	}
	words := []StatusWord{}
	for _, w := range r.words {
		if filled[w.Column] {
			words = append(words, *w)
		}
	}
	slices.SortFunc(words, func(a, b StatusWord) int {
		return cmp.Or(cmp.Compare(b.Column, a.Column), cmp.Compare(b.Rows, a.Rows), cmp.Compare(a.Word, b.Word))
	})
	return words
}

// notes are the notes about the file, and about how its rows were read.
func (r *reading) notes() []table.Note {
	notes := slices.Clone(r.file.Notes())
	if len(r.zones) > 0 {
		var zones []string
		for _, zone := range slices.Sorted(maps.Keys(r.zones)) {
			zones = append(zones, fmt.Sprintf("%s (%d)", zone, r.zones[zone]))
		}
		notes = append(notes, table.Note{Code: "import.note.zones", Detail: strings.Join(zones, ", ")})
	}
	if r.formulas > 0 {
		notes = append(notes, table.Note{Code: "import.note.formulas", Detail: strconv.Itoa(r.formulas)})
	}
	return notes
}

// store stores what is known of a file once all of it is read.
func (r *reading) store(t database.Tx, imp *Import, said map[string]Meaning) (err error) {
	if imp.Notes, err = encodeNotes(r.notes()); err != nil {
		return err
	}
	words := r.statusWords()
	for i := range words {
		if m, ok := said[table.Fold(words[i].Word)]; ok {
			words[i].Meaning, words[i].By = m, imp.UploadedBy
		}
	}
	if err := imp.setStatusWords(words); err != nil {
		return err
	}
	imp.RowCount = r.rows
	if err := t.Model(imp).Select("row_count", "notes", "status_words").Updates(imp).Error; err != nil {
		return fmt.Errorf("store what was read of import %d: %w", imp.ID, err)
	}
	return nil
}

// ParseMeanings reads the answers of the command line: what each value of a status
// column means.
func ParseMeanings(said map[string]string) (map[string]Meaning, error) {
	meanings := map[string]Meaning{}
	for word, meaning := range said {
		if !slices.Contains(Meanings, Meaning(meaning)) {
			return nil, models.Invalid("status", "import.wordWithoutMeaning")
		}
		meanings[table.Fold(word)] = Meaning(meaning)
	}
	return meanings, nil
}
