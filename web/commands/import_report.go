package commands

import (
	"context"
	"encoding/json"
	"errors"
	"os"

	"veinte/models"
	"veinte/models/imports"
	exchangeview "veinte/views/exchange"
	"veinte/views/locale"
)

// importReport is what --json prints about an import. Codes are for programs; texts are
// in the language of whoever runs the command.
type importReport struct {
	ctx      context.Context
	State    string       `json:"state"` // imported or notImported
	ImportID int64        `json:"importId,omitempty"`
	Rows     int          `json:"rows"`
	New      int          `json:"new"`
	Known    int          `json:"known"`
	Conflict int          `json:"conflict"`
	Refused  int          `json:"refused"`
	LeftOut  int          `json:"leftOut"`
	Warned   int          `json:"warned"`
	Notes    []codedText  `json:"notes"` // on the file as a whole
	Lines    []importLine `json:"lines"` // all that are wrong or worth a check
	Error    *codedText   `json:"error,omitempty"`
}

type codedText struct {
	Column string `json:"column,omitempty"` // none: the row as a whole
	Code   string `json:"code,omitempty"`
	Text   string `json:"text"`
}

type importLine struct {
	Line     int         `json:"line"` // in the file, from 1
	Status   string      `json:"status"`
	Reasons  []codedText `json:"reasons"` // why it is not imported
	Warnings []codedText `json:"warnings"`
	Notes    []codedText `json:"notes,omitempty"` // how a cell was read
}

func newImportReport(ctx context.Context) *importReport {
	return &importReport{ctx: ctx, State: "notImported", Notes: []codedText{}, Lines: []importLine{}}
}

// line adds a row. A pass over the file that is repeated begins anew.
func (r *importReport) line(row *imports.Row) {
	if n := len(r.Lines); n > 0 && row.Line <= r.Lines[n-1].Line {
		r.Lines = r.Lines[:0]
	}
	l := importLine{Line: row.Line, Status: string(row.Status), Reasons: []codedText{}, Warnings: []codedText{}}
	for _, p := range row.Problems {
		l.Reasons = append(l.Reasons, codedText{p.Column, p.Code, exchangeview.ImportProblem(r.ctx, p)})
	}
	for _, n := range row.Notes {
		l.Notes = append(l.Notes, codedText{n.Column, n.Code, exchangeview.ImportProblem(r.ctx, n)})
	}
	for _, w := range row.Warnings {
		l.Warnings = append(l.Warnings, codedText{Code: w, Text: locale.T(r.ctx, w)})
	}
	r.Lines = append(r.Lines, l)
}

// of takes over the result.
func (r *importReport) of(imp *imports.Import) {
	r.Rows, r.New, r.Known, r.Conflict = imp.RowCount, imp.NewCount, imp.KnownCount, imp.ConflictCount
	r.Refused, r.LeftOut, r.Warned = imp.RefusedCount, imp.LeftOutCount, imp.WarnedCount
	if imp.ID != 0 && imp.State == imports.Imported {
		r.State, r.ImportID = "imported", imp.ID
	}
	for _, n := range imp.ReadNotes() {
		r.Notes = append(r.Notes, codedText{Code: n.Code, Text: locale.T(r.ctx, n.Code, "Detail", n.Detail)})
	}
}

// fail says why there is no result.
func (r *importReport) fail(err error) {
	r.Error = &codedText{Text: InWords(err, locale.Of(r.ctx))}
	var refused *models.Error
	var file *imports.FileError
	switch {
	case errors.As(err, &refused):
		r.Error.Code = refused.Code
	case errors.As(err, &file):
		r.Error.Code = file.Code
	}
}

func (r *importReport) print() error {
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	return out.Encode(r)
}

// InWords returns a domain error's message as the pages show it, in a language.
func InWords(err error, lang string) string {
	var refused *models.Error
	if errors.As(err, &refused) && locale.Has(refused.Code) {
		return locale.In(lang, refused.Code)
	}
	var file *imports.FileError
	if errors.As(err, &file) && locale.Has(file.Code) {
		return locale.In(lang, file.Code, file.Args()...)
	}
	return err.Error()
}
