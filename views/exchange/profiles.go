package exchange

import (
	"context"
	"strings"

	"veinte/models/reconciliation"
	"veinte/models/reconciliation/report"
	"veinte/views/locale"
	"veinte/views/ui"
)

// ReportProfilesView lists the profiles of providers' reports.
type ReportProfilesView struct {
	ui.Page
	Profiles []reconciliation.ReportProfile
}

// ReportProfileView is the form of a new or a known profile, with the preview of
// a sample where one was given.
type ReportProfileView struct {
	ui.Page
	ID      int64 // 0: a new one
	Retired bool
	SetBy   string // who made the present version
	Form    ProfileForm
	Preview *reconciliation.Preview
	Problem *report.FileProblem // why the sample cannot be read
}

// ProfileForm is what was entered of a profile.
type ProfileForm struct {
	Name            string
	Columns         map[report.Field]string
	Words           []ProfileWord
	NegativeCancels bool
	OneLine         bool
	Amounts         report.AmountStyle
	Dates           report.DateStyle
	Zone            string
	Cut             string
	Version         int
	Errors          ui.Errors
}

// ProfileWord is a word of the status column and what it means.
type ProfileWord struct {
	Word    string
	Meaning string // "" when nothing was chosen yet
	Lines   int    // of the sample that say it
}

// spareWords is how many empty lines the form has for more words.
const spareWords = 4

func (f *ProfileForm) words() []ProfileWord {
	return append(f.Words[:len(f.Words):len(f.Words)], make([]ProfileWord, spareWords)...)
}

func (v *ReportProfileView) title(ctx context.Context) string {
	if v.ID == 0 {
		return locale.T(ctx, "profile.new")
	}
	return v.Form.Name
}

func profilePath(id int64) string { return "/settings/reconciliation/" + ui.Itoa(id) }

// profileOrder is the order of the form's fields.
func profileOrder() []string {
	order := []string{"name=profile.name"}
	for _, f := range report.Fields {
		order = append(order, string(f)+"=reportField."+string(f))
	}
	return append(order, "words", "amounts", "dates", "zone", "cut", "file")
}

// understood writes how a line of the sample is read, cell by cell.
func understood(ctx context.Context, p ui.Page, r *report.ReportRow) []string {
	when := ""
	switch {
	case r.At != nil:
		when = ui.DateTime(ctx, *r.At, p.Zone())
	case r.Day != "":
		when = ui.Day(ctx, r.Day)
	}
	var more []string
	for _, part := range []string{r.Folio, r.AuthCode, r.Last4} {
		if part != "" {
			more = append(more, part)
		}
	}
	return []string{r.OrderID, r.SerialNumber, moneyOf(r.Amount), when, strings.Join(more, " · ")}
}

// lineMeaning says what a line of the sample is, or why nobody knows.
func lineMeaning(ctx context.Context, r *report.ReportRow) string {
	if r.Problem != "" {
		return locale.T(ctx, "reportProblem."+r.Problem, "Column", r.Column, "Value", r.Value)
	}
	return locale.T(ctx, "reportMeaning."+string(r.Meaning))
}

// previewColumns head what understood writes.
var previewColumns = []string{"sales.order", "terminal.serialShort", "sales.amount", "sales.time", "profile.codes"}

func retirementPath(retired bool) string {
	if retired {
		return "/restoration"
	}
	return "/retirement"
}

// Take brings what a sample says into the form: suggestions where nothing was
// entered, and every word of its status column, with how many lines say it.
func (f *ProfileForm) Take(p *reconciliation.Preview) {
	if len(f.Columns) == 0 {
		f.Columns, f.NegativeCancels, f.Words = p.Mapping.Columns, p.Mapping.NegativeCancels, nil
	}
	for _, w := range p.Words {
		known := -1
		for i := range f.Words {
			if report.SameWord(f.Words[i].Word, w.Word) {
				known = i
			}
		}
		if known < 0 {
			f.Words = append(f.Words, ProfileWord{Word: w.Word, Meaning: string(w.Meaning)})
			known = len(f.Words) - 1
		}
		f.Words[known].Lines = w.Lines
	}
}
