package commands

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"veinte/models/database"
	"veinte/models/imports"
	"veinte/models/wiring"
	exchangeview "veinte/views/exchange"
	"veinte/views/locale"
)

// Sales groups the commands about sales in files.
type Sales struct {
	Import salesImportCommand `cmd:"" help:"Import sales from a CSV or XLSX file: all of it, or nothing when a row is wrong."`
}

type salesImportCommand struct {
	fileImport `embed:""`
}

func (s *salesImportCommand) Run(ctx context.Context) error { return s.run(ctx, imports.OfSales) }

// Terminals groups the commands about files of terminals.
type Terminals struct {
	Import terminalsImportCommand `cmd:"" help:"Register terminals, and open stores, from a CSV or XLSX file: all of it, or nothing when a row is wrong."`
}

type terminalsImportCommand struct {
	fileImport `embed:""`
}

func (c *terminalsImportCommand) Run(ctx context.Context) error {
	return c.run(ctx, imports.OfTerminals)
}

// fileImport imports one file in one run. The exit code is 0 when everything
// requested was done, 3 when rows are wrong and nothing was imported, and 1 when the
// file cannot be read or the database does not respond.
type fileImport struct {
	appURL     `embed:""`
	Cutoff     string `name:"cutoff" env:"CUTOFF" default:"20:00" help:"When the day's sales can no longer be canceled."`
	CutoffZone string `name:"cutoff-zone" env:"CUTOFF_ZONE" default:"America/Mexico_City" help:"Whose clock that is. A time without a zone in the file is the store's own."`
	File       string `arg:"" type:"existingfile" help:"CSV or XLSX. Its columns are described in models/table/FORMAT.md."`
	DryRun     bool   `help:"Look at every row, and write nothing."`
	Partial    bool   `help:"Leave out the rows that are wrong, instead of importing nothing."`
	Rejects    string `type:"path" help:"Write the wrong rows to this CSV file, each with its reason."`
	JSON       bool   `help:"Print the counts as JSON."`
	// Status is what unknown values of a status column mean.
	Status map[string]string `help:"What a value of the status column means that is not known: \"En proceso=sale\"; declined, canceled or other leave its rows out."`
}

// exitWrongRows is the exit code when rows are wrong.
const exitWrongRows = 3

func (f *fileImport) run(ctx context.Context, kind imports.Kind) error {
	ctx = locale.With(ctx, "en")
	config := database.DBConfig{URL: f.DatabaseURL, Application: "veinte import", MaxConns: 2}
	return withCalendar(ctx, config, f.Cutoff, f.CutoffZone, func(services *wiring.Services) error {
		file, info, err := openFile(f.File)
		if err != nil {
			return err
		}
		defer file.Close()
		out, err := newImportOutput(ctx, file, info.Size(), kind, f.Rejects)
		if err != nil {
			return err
		}
		meanings, err := imports.ParseMeanings(f.Status)
		if err != nil {
			return fmt.Errorf("--status: it is sale, declined, canceled or other: %w", err)
		}
		imp, err := services.Imports.ImportFile(ctx, Operator(), imports.FileImport{
			Kind: kind, Name: filepath.Base(f.File), DryRun: f.DryRun, Partial: f.Partial, Meanings: meanings,
			Remark: out.remark, Progress: out.progress,
		}, out, info.Size())
		if err := errors.Join(err, out.end()); err != nil && !errors.Is(err, imports.ErrInvalid) {
			return err
		}
		if err := f.report(imp); err != nil {
			return err
		}
		if wrong := errors.Is(err, imports.ErrInvalid); wrong || f.DryRun && imp.Wrong() > 0 {
			return ExitError{exitWrongRows, fmt.Errorf("%d of %d rows are wrong; nothing was imported", imp.Wrong(), imp.RowCount)}
		}
		return nil
	})
}

// report prints the result of the rows on standard output.
func (f *fileImport) report(imp *imports.Import) error {
	for _, n := range imp.ReadNotes() {
		fmt.Fprintln(os.Stderr, "note:", locale.In("en", n.Code, "Detail", n.Detail))
	}
	counts := []struct {
		Name string
		N    int
	}{
		{"rows", imp.RowCount},
		{"new", imp.NewCount},
		{"known", imp.KnownCount},
		{"conflict", imp.ConflictCount},
		{"refused", imp.RefusedCount},
		{"leftOut", imp.LeftOutCount},
		{"warned", imp.WarnedCount},
	}
	if f.JSON {
		out := map[string]any{"state": "notImported"}
		if imp.ID != 0 && imp.State == imports.Imported {
			out["state"], out["importId"] = "imported", imp.ID
		}
		for _, c := range counts {
			out[c.Name] = c.N
		}
		return json.NewEncoder(os.Stdout).Encode(out)
	}
	for _, c := range counts {
		fmt.Printf("%s\t%d\n", c.Name, c.N)
	}
	if imp.ID != 0 && imp.State == imports.Imported {
		fmt.Printf("import\t%d\n", imp.ID)
	}
	return nil
}

// maxRemarks limits how many wrong rows are printed one by one.
const maxRemarks = 100

// importOutput writes to standard error: a bar while the file is read, and the rows
// that are wrong or have a warning.
type importOutput struct {
	io.ReaderAt
	ctx     context.Context
	size    int64
	at      int64 // position in the file
	bar     *progressBar
	remarks int
	rejects *os.File // nil: wrong rows are not written
	wrong   *exchangeview.WrongRows
	failed  error // error of writing the wrong rows
}

func newImportOutput(ctx context.Context, r io.ReaderAt, size int64, kind imports.Kind, rejects string) (*importOutput, error) {
	o := &importOutput{ReaderAt: r, ctx: ctx, size: size, bar: newBar("rows")}
	if rejects == "" {
		return o, nil
	}
	var err error
	if o.rejects, err = os.OpenFile(rejects, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600); err != nil {
		return nil, err
	}
	o.wrong = exchangeview.NewWrongRows(ctx, o.rejects, imports.Columns(kind))
	return o, nil
}

// ReadAt reads the file and remembers where.
func (o *importOutput) ReadAt(p []byte, off int64) (int, error) {
	n, err := o.ReaderAt.ReadAt(p, off)
	o.at = off + int64(n)
	return n, err
}

func (o *importOutput) progress(rows int) { o.bar.drawCount(o.at, o.size, int64(rows)) }

// remark prints a row that is wrong or that has a warning.
func (o *importOutput) remark(r *imports.Row) {
	if o.wrong != nil {
		o.failed = errors.Join(o.failed, o.wrong.Write(r))
	}
	if o.remarks++; o.remarks > maxRemarks {
		return
	}
	words := exchangeview.Reasons(o.ctx, r)
	for _, n := range r.Notes {
		words += " " + n.Column + ": " + exchangeview.ImportProblem(o.ctx, n)
	}
	for _, w := range r.Warnings {
		words += " warning: " + locale.In("en", w)
	}
	fmt.Fprintf(os.Stderr, "\rline %d: %s\n", r.Line, strings.TrimSpace(words))
}

// end clears the bar and closes the file of wrong rows.
func (o *importOutput) end() error {
	o.bar.end()
	if o.remarks > maxRemarks {
		fmt.Fprintf(os.Stderr, "and %d more rows\n", o.remarks-maxRemarks)
	}
	if o.wrong == nil {
		return nil
	}
	if err := errors.Join(o.failed, o.wrong.Flush(), o.rejects.Close()); err != nil {
		return fmt.Errorf("keep wrong rows: %w", err)
	}
	return nil
}
