package exchange

import (
	"context"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/imports"
	"veinte/views/locale"
	"veinte/views/ui"
)

// ImportsView lists the files that were given.
type ImportsView struct {
	ui.Page
	Imports []imports.Import
	More    bool
	Kinds   []imports.Kind // that the reader may give
}

// next is where the list goes on.
func (v *ImportsView) next() string {
	if !v.More {
		return ""
	}
	return "/imports?before=" + ui.Itoa(v.Imports[len(v.Imports)-1].ID)
}

// ImportNewView is the form for a file.
type ImportNewView struct {
	ui.Page
	Kind    imports.Kind
	Problem *imports.FileError // why the last one was refused
}

// reads says how a file of the kind is read, as catalogue keys.
func (v *ImportNewView) reads() []string {
	if v.Kind == imports.OfTerminals {
		return []string{
			"import.readsForms", "import.readsStores", "import.readsFrom", "import.readsMoves", "import.readsDates", "import.readsZone",
			"import.readsZeros",
		}
	}
	return []string{
		"import.readsForms", "import.readsDates", "import.readsZone", "import.readsStatus", "import.readsAmounts", "import.readsFormulas",
		"import.readsZeros", "import.readsCards",
	}
}

// ImportView is one file, what it holds and what became of it.
type ImportView struct {
	ui.Page
	Detail   imports.Detail
	Errors   ui.Errors
	Meanings []imports.Meaning // chosen in a form that was refused
}

func (v *ImportView) path() string { return "/imports/" + ui.Itoa(v.Detail.ID) }

// percent is how far the pass is.
func (v *ImportView) percent() int {
	return min(100, v.Detail.DoneCount*100/max(1, v.Detail.RowCount))
}

// undoable reports whether the reader is offered to take it back.
func (v *ImportView) undoable() bool { return v.Detail.State == imports.Imported }

// remarks are the remarks on rows that cannot be imported, and those on rows
// that only deserve a second look.
func (v *ImportView) remarks(wrong bool) []imports.Row {
	var some []imports.Row
	for i := range v.Detail.Remarks {
		if v.Detail.Remarks[i].Wrong() == wrong {
			some = append(some, v.Detail.Remarks[i])
		}
	}
	return some
}

// words are the values of the file's status columns.
func (v *ImportView) words() []imports.StatusWord { return v.Detail.StatusWords() }

// asks reports whether somebody has to say what a value means.
func (v *ImportView) asks() bool { return v.Detail.State == imports.Checked && v.Detail.Unanswered() }

// told reports whether all values are understood, and may be corrected.
func (v *ImportView) told() bool {
	return v.Detail.State == imports.Checked && len(v.words()) > 0 && !v.Detail.Unanswered()
}

// meaningAt is what the reader chose for a value, in a form that was refused, or what
// it means.
func (v *ImportView) meaningAt(i int, w imports.StatusWord) string {
	if i < len(v.Meanings) {
		return string(v.Meanings[i])
	}
	return string(w.Meaning)
}

func shownWord(ctx context.Context, w imports.StatusWord) string {
	if w.Word == "" {
		return locale.T(ctx, "import.wordEmpty")
	}
	return w.Word
}

// columns are those of the preview that hold anything in its rows.
func (v *ImportView) columns() []int {
	var some []int
	for i := range imports.Columns(v.Detail.Kind) {
		for _, r := range v.Detail.First {
			if i < len(r.Values) && r.Values[i] != "" {
				some = append(some, i)
				break
			}
		}
	}
	return some
}

// importLook is the colour and icon of a state, those of sales.
func importLook(s imports.State) (look, icon string) {
	switch s {
	case imports.Checked:
		return "requested", "clock"
	case imports.Imported:
		return "confirmed", "check"
	case imports.Discarded, imports.Undone:
		return "tooLate", "ban"
	}
	return "sending", "hourglass"
}

// columnWord names a column for people, beside its name in files.
func columnWord(ctx context.Context, name string) string { return ui.Maybe(ctx, "column.", name) }

// ImportProblem says what is wrong with a cell or a row.
func ImportProblem(ctx context.Context, p imports.Problem) string {
	return locale.Refusal(ctx, p.Column, p.Code, p.Args()...)
}

// says reports whether what stands in the cell is still to be said beside the
// words: those of the reader of tables repeat it where it matters.
func says(p imports.Problem) bool { return !strings.HasPrefix(p.Code, "table.") }

// shownValue is a value of the preview; an instant in Mexico City's time.
func shownValue(ctx context.Context, v *ImportView, r imports.Row, i int) string {
	if i >= len(r.Values) {
		return ""
	}
	value := r.Values[i]
	if at, err := time.Parse(time.RFC3339, value); err == nil {
		return shownTime(ctx, v, r, at)
	}
	if wall, err := time.Parse("2006-01-02T15:04:05", value); err == nil { // of a store that is not known yet
		return ui.DateSeconds(ctx, wall, time.UTC)
	}
	if m, err := models.ParseMoney(value); err == nil && imports.Columns(v.Detail.Kind)[i] == "amount" {
		return ui.Money(m)
	}
	return imports.ShownValue(value)
}

// shownTime is an instant in Mexico City's time. One that was read by a store's clock
// is shown as that clock shows it, with its name, and beside it Mexico City's where
// that differs.
func shownTime(ctx context.Context, v *ImportView, r imports.Row, at time.Time) string {
	zone, err := time.LoadLocation(r.Zone)
	if r.Zone == "" || err != nil {
		return ui.DateSeconds(ctx, at, v.Zone())
	}
	shown := ui.DateSeconds(ctx, at, zone) + " (" + locale.T(ctx, "import.storeClock", "Zone", ui.ZoneName(ctx, r.Zone)) + ")"
	if !ui.SameClock(zone, v.Zone(), at) {
		shown += " · " + ui.ClockSeconds(at, v.Zone()) + " " + ui.ZoneName(ctx, v.Zone().String())
	}
	return shown
}

// Reasons says in one line all that is wrong with a row.
func Reasons(ctx context.Context, r *imports.Row) string {
	parts := make([]string, len(r.Problems))
	for i, p := range r.Problems {
		parts[i] = ImportProblem(ctx, p)
		if p.Column != "" {
			parts[i] = p.Column + ": " + parts[i]
		}
	}
	return strings.Join(parts, " ")
}
