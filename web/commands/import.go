package commands

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"veinte/models"
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

// Run imports the file.
func (s *salesImportCommand) Run(ctx context.Context) error { return s.run(ctx, imports.OfSales) }

// fileImport imports one file in one run. The exit code is 0 when everything
// requested was done, 3 when rows are wrong and nothing was imported, and 1 when the
// file cannot be read or the database does not respond.
type fileImport struct {
	appURL     `embed:""`
	Cutoff     string `name:"cutoff" env:"CUTOFF" default:"20:00" help:"When the day's sales can no longer be canceled."`
	CutoffZone string `name:"cutoff-zone" env:"CUTOFF_ZONE" default:"America/Mexico_City" help:"Whose clock that is, and that of times without a zone."`
	File       string `arg:"" type:"existingfile" help:"CSV or XLSX. Its columns are described in models/table/FORMAT.md."`
	DryRun     bool   `help:"Look at every row, and write nothing."`
	Partial    bool   `help:"Leave out the rows that are wrong, instead of importing nothing."`
	Rejects    string `type:"path" help:"Write the wrong rows to this CSV file, each with its reason."`
	JSON       bool   `help:"Print the counts as JSON."`
}

// exitWrongRows is the exit code when rows are wrong.
const exitWrongRows = 3

func (f *fileImport) run(ctx context.Context, kind imports.Kind) error {
	ctx = locale.With(ctx, "en")
	return f.appURL.with(ctx, func(db *database.DB, actor models.Actor) error {
		services, err := f.service(ctx, db)
		if err != nil {
			return err
		}
		file, err := os.Open(f.File)
		if err != nil {
			return err
		}
		defer file.Close()
		info, err := file.Stat()
		if err != nil {
			return err
		}
		told, err := newTeller(ctx, file, info.Size(), kind, f.Rejects)
		if err != nil {
			return err
		}
		imp, err := services.Imports.ImportFile(ctx, actor, imports.FileImport{
			Kind: kind, Name: filepath.Base(f.File), DryRun: f.DryRun, Partial: f.Partial, Remark: told.remark, Progress: told.progress,
		}, told, info.Size())
		if err := errors.Join(err, told.end()); err != nil && !errors.Is(err, imports.ErrInvalid) {
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

// service returns the services that imports use. It runs no jobs.
func (f *fileImport) service(ctx context.Context, db *database.DB) (*wiring.Services, error) {
	if err := database.CheckZoneData(ctx, db); err != nil {
		return nil, err
	}
	calendar, err := models.NewCalendar(f.Cutoff, f.CutoffZone)
	if err != nil {
		return nil, err
	}
	clock := models.ShiftedClock(0)
	return wiring.New(wiring.Config{
		DB: db, Clock: clock, Window: models.Window{Calendar: calendar}, Logger: slog.Default(),
	}), nil
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

// mostTold limits how many wrong rows are printed one by one.
const mostTold = 100

// teller reports progress on standard error: a bar while the file is read, then the
// wrong rows one by one.
type teller struct {
	io.ReaderAt
	ctx     context.Context
	size    int64
	at      int64 // position in the file
	bar     bool  // standard error is a terminal
	drawn   time.Time
	told    int
	rejects *os.File // nil: wrong rows are not written
	wrong   *exchangeview.WrongRows
	failed  error // error of writing the wrong rows
}

func newTeller(ctx context.Context, r io.ReaderAt, size int64, kind imports.Kind, rejects string) (*teller, error) {
	t := &teller{ReaderAt: r, ctx: ctx, size: size}
	if info, err := os.Stderr.Stat(); err == nil {
		t.bar = info.Mode()&os.ModeCharDevice != 0
	}
	if rejects == "" {
		return t, nil
	}
	var err error
	if t.rejects, err = os.OpenFile(rejects, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600); err != nil {
		return nil, err
	}
	t.wrong = exchangeview.NewWrongRows(ctx, t.rejects, imports.Columns(kind))
	return t, nil
}

// ReadAt reads the file and updates the progress.
func (t *teller) ReadAt(p []byte, off int64) (int, error) {
	n, err := t.ReaderAt.ReadAt(p, off)
	t.at = off + int64(n)
	return n, err
}

func (t *teller) progress(rows int) {
	if !t.bar || time.Since(t.drawn) < 100*time.Millisecond {
		return
	}
	t.drawn = time.Now()
	const width = 30
	full := int(t.at * width / max(1, t.size))
	fmt.Fprintf(os.Stderr, "\r[%s%s] %d rows ", strings.Repeat("=", full), strings.Repeat(" ", width-full), rows)
}

// remark prints a row that is wrong or that has a warning.
func (t *teller) remark(r *imports.Row) {
	if t.wrong != nil {
		t.failed = errors.Join(t.failed, t.wrong.Write(r))
	}
	if t.told++; t.told > mostTold {
		return
	}
	words := exchangeview.Reasons(t.ctx, r)
	for _, w := range r.Warnings {
		words += " warning: " + locale.In("en", w)
	}
	fmt.Fprintf(os.Stderr, "\rline %d: %s\n", r.Line, strings.TrimSpace(words))
}

// end clears the bar and closes the file of wrong rows.
func (t *teller) end() error {
	if t.bar && !t.drawn.IsZero() {
		fmt.Fprint(os.Stderr, "\r\x1b[K")
	}
	if t.told > mostTold {
		fmt.Fprintf(os.Stderr, "and %d more rows\n", t.told-mostTold)
	}
	if t.wrong == nil {
		return nil
	}
	if err := errors.Join(t.failed, t.wrong.Flush(), t.rejects.Close()); err != nil {
		return fmt.Errorf("keep wrong rows: %w", err)
	}
	return nil
}
