package commands

import (
	"context"
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
	"veinte/views/export"
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
	File       string `arg:"" type:"existingfile" help:"CSV or XLSX; - reads standard input. The columns: models/IMPORTS.md."`
	DryRun     bool   `help:"Look at every row, and write nothing."`
	Partial    bool   `help:"Leave out the rows that are wrong, instead of importing nothing."`
	Rejects    string `type:"path" help:"Write the wrong rows to this CSV file, each with its reason."`
	JSON       bool   `help:"Print the result as JSON: counts, notes, and each row that is wrong or worth a check with its line and reasons."`
	// Status is what unknown values of a status column mean.
	Status map[string]string `help:"What a value of the status column means that is not known: \"En proceso=sale\"; declined, canceled or other leave its rows out."`
}

// exitWrongRows is the exit code when rows are wrong.
const exitWrongRows = 3

func (f *fileImport) run(ctx context.Context, kind imports.Kind) error {
	ctx = locale.With(ctx, locale.OfSystem(os.Getenv))
	report := newImportReport(ctx)
	err := f.imported(ctx, kind, report)
	var coded ExitError
	if ctx.Err() != nil && err != nil {
		err = ExitError{1, errors.New(locale.T(ctx, "command.interrupted"))} // and not the success of a server that is told to stop
	}
	if err != nil && !errors.As(err, &coded) {
		report.fail(err)
	}
	if f.JSON {
		return errors.Join(err, report.print())
	}
	return err
}

func (f *fileImport) imported(ctx context.Context, kind imports.Kind, report *importReport) error {
	config := database.DBConfig{URL: f.DatabaseURL, Application: "veinte import", MaxConns: 2}
	return withCalendar(ctx, config, f.SealKeys, f.Cutoff, f.CutoffZone, func(services *wiring.Services) error {
		file, size, err := openInput(ctx, f.File)
		if err != nil {
			return err
		}
		defer file.Close()
		out, err := newImportOutput(ctx, file, size, kind, f.Rejects)
		if err != nil {
			return err
		}
		meanings, err := imports.ParseMeanings(f.Status)
		if err != nil {
			return fmt.Errorf("--status: it is sale, declined, canceled or other: %w", err)
		}
		if f.JSON {
			out.report = report
		}
		imp, err := services.Imports.ImportFile(ctx, Operator(), imports.FileImport{
			Kind: kind, Name: f.name(), DryRun: f.DryRun, Partial: f.Partial, Meanings: meanings,
			Remark: out.remark, Progress: out.progress,
		}, out, size)
		if err := errors.Join(err, out.end()); err != nil && !errors.Is(err, imports.ErrInvalid) {
			return err
		}
		report.of(imp)
		f.printCounts(ctx, report)
		if wrong := errors.Is(err, imports.ErrInvalid); wrong || f.DryRun && imp.Wrong() > 0 {
			return ExitError{exitWrongRows, errors.New(locale.T(ctx, "command.wrongRows", "N", imp.Wrong(), "Of", imp.RowCount))}
		}
		return nil
	})
}

// name is what the trail and the list of imports call the file.
func (f *fileImport) name() string {
	if f.File == "-" {
		return "stdin"
	}
	return filepath.Base(f.File)
}

// printCounts prints the notes on standard error and, unless JSON was asked for, the
// counts on standard output. Their names are for scripts, and the same in every
// language.
func (f *fileImport) printCounts(ctx context.Context, r *importReport) {
	for _, n := range r.Notes {
		fmt.Fprintln(os.Stderr, locale.T(ctx, "command.note"), n.Text)
	}
	if f.JSON {
		return
	}
	fmt.Printf("rows\t%d\nnew\t%d\nknown\t%d\nconflict\t%d\nrefused\t%d\nleftOut\t%d\nwarned\t%d\n",
		r.Rows, r.New, r.Known, r.Conflict, r.Refused, r.LeftOut, r.Warned)
	if r.ImportID != 0 {
		fmt.Printf("import\t%d\n", r.ImportID)
	}
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
	wrong   *export.WrongRows
	failed  error         // error of writing the wrong rows
	report  *importReport // nil: nobody asked for JSON
}

func newImportOutput(ctx context.Context, r io.ReaderAt, size int64, kind imports.Kind, rejects string) (*importOutput, error) {
	o := &importOutput{ReaderAt: r, ctx: ctx, size: size, bar: newBar(locale.T(ctx, "command.rows"))}
	if rejects == "" {
		return o, nil
	}
	var err error
	if o.rejects, err = os.OpenFile(rejects, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600); err != nil {
		return nil, err
	}
	o.wrong = export.NewWrongRows(ctx, o.rejects, imports.Columns(kind))
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
	if o.report != nil {
		o.report.line(r)
	}
	if o.remarks++; o.remarks > maxRemarks {
		return
	}
	words := exchangeview.Reasons(o.ctx, r)
	for _, n := range r.Notes {
		words += " " + n.Column + ": " + exchangeview.ImportProblem(o.ctx, n)
	}
	for _, w := range r.Warnings {
		words += " " + locale.T(o.ctx, "command.warning", "Text", locale.T(o.ctx, w))
	}
	fmt.Fprintln(os.Stderr, "\r"+locale.T(o.ctx, "command.line", "N", r.Line, "Text", strings.TrimSpace(words)))
}

// end clears the bar and closes the file of wrong rows.
func (o *importOutput) end() error {
	o.bar.end()
	if o.remarks > maxRemarks {
		fmt.Fprintln(os.Stderr, locale.T(o.ctx, "command.moreRows", "N", o.remarks-maxRemarks))
	}
	if o.wrong == nil {
		return nil
	}
	if err := errors.Join(o.failed, o.wrong.Flush(), o.rejects.Close()); err != nil {
		return fmt.Errorf("keep wrong rows: %w", err)
	}
	return nil
}
