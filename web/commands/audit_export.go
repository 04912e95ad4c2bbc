package commands

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/audit/attest"
	"veinte/models/audit/export"
	"veinte/models/audit/trailfile"
	"veinte/models/audit/verify"
	"veinte/models/database"
	"veinte/models/wiring"
	"veinte/views/locale"
)

// trailURL is the flag for the database whose trail is read.
type trailURL struct {
	appURL     `embed:""`
	Cutoff     string `name:"cutoff" env:"CUTOFF" default:"20:00" help:"When the day's sales can no longer be canceled."`
	CutoffZone string `name:"cutoff-zone" env:"CUTOFF_ZONE" default:"America/Mexico_City" help:"Whose days a period is of."`
}

// with gives f the services over the database, and the command line's actor, who may
// read the whole trail.
func (t trailURL) with(ctx context.Context, f func(*wiring.Services, models.Actor) error) error {
	actor := Operator()
	actor.Grants = []models.Permission{models.ReadAudit}
	config := database.DBConfig{URL: t.DatabaseURL, Application: "veinte audit", MaxConns: 6}
	return withCalendar(ctx, config, t.SealKeys, t.Cutoff, t.CutoffZone, func(s *wiring.Services) error { return f(s, actor) })
}

type auditProveCommand struct {
	trailURL   `embed:""`
	Entry      int64    `arg:"" help:"Number of the entry (id), as the trail's pages show it."`
	Checkpoint []string `type:"path" placeholder:"FILE" sep:"none" help:"Checkpoints that somebody has kept; may be repeated. The proof then holds, of the largest in each file, that the trail continues it: verify --proof compares them."`
}

func (p *auditProveCommand) Run(ctx context.Context) error {
	return p.with(ctx, func(services *wiring.Services, actor models.Actor) error {
		if _, err := services.Verify.EntryDetail(ctx, actor, p.Entry); err != nil { // this records the access in the trail
			return p.gone(ctx, services, err)
		}
		proved, err := services.Sealing.Prove(ctx, p.Entry)
		if err != nil {
			return err
		}
		if proved.Leaf == nil {
			return p.gone(ctx, services, verify.ErrEntryArchived)
		}
		proof := trailfile.Proof{N: proved.N, Leaf: *proved.Leaf, Proof: proved.Proof}
		if proof.Consistency, err = p.continues(ctx, services, proved.Checkpoint.Size); err != nil {
			return err
		}
		if err := attest.Complete(ctx, services.DB, services.Sealing, &proof, proved.Checkpoint); err != nil {
			return err
		}
		file, err := proof.File()
		if err == nil {
			_, err = os.Stdout.Write(file)
		}
		return err
	})
}

// continues proves that the trail of size entries continues the kept checkpoints.
func (p *auditProveCommand) continues(
	ctx context.Context, services *wiring.Services, size int64,
) (proofs []trailfile.Consistency, err error) {
	for _, name := range p.Checkpoint {
		notes, err := ReadCheckpoints([]string{name})
		if err != nil {
			return nil, err
		}
		var kept int64
		for _, note := range notes {
			if c, err := trailfile.Unverified(note); err == nil {
				kept = max(kept, c.Size)
			}
		}
		if kept > size {
			return nil, fmt.Errorf("checkpoint %s: it has %d entries, and the trail %d: its end was cut, or it is another trail", name, kept, size)
		}
		c := trailfile.Consistency{From: kept, To: size}
		if c.Proof, err = services.Sealing.ProveConsistency(ctx, kept, size); err != nil {
			return nil, err
		}
		proofs = append(proofs, c)
	}
	return proofs, nil
}

// gone explains where to prove an entry whose month is archived.
func (p *auditProveCommand) gone(ctx context.Context, services *wiring.Services, err error) error {
	if !errors.Is(err, verify.ErrEntryArchived) {
		return err
	}
	e, why := services.Verify.ArchivedEntry(ctx, p.Entry)
	switch {
	case why != nil:
		return err
	case e.Month == nil:
		return fmt.Errorf("entry %d was sealed as leaf %d, of %s, and is not here, although nothing says that its month was archived: verify "+
			"the trail",
			p.Entry, e.N, e.At.UTC().Format(time.RFC3339))
	}
	return fmt.Errorf("entry %d is leaf %d, of %s, which was archived: the file of that month proves it, SHA-256 %s", p.Entry, e.N,
		e.Month.Month, e.Month.Archived.SHA256)
}

type auditExportCommand struct {
	trailURL `embed:""`
	Filter   map[string]string `help:"Only some entries, by the names that the trail's page has in its address, such as --filter store=3 --filter from=2026-11-01: q, store, terminal, person, role, action, outcome, reason, min, max, address, attempt, sale, from, to." placeholder:"NAME=VALUE" mapsep:"none"`
}

// Run streams the export to standard output.
func (e *auditExportCommand) Run(ctx context.Context) error {
	f, err := e.filter()
	if err != nil {
		return err
	}
	return e.with(ctx, func(services *wiring.Services, actor models.Actor) error {
		x, err := services.Export.StartExport(ctx, actor, export.Request{Format: export.JSONL, Filter: f, Query: e.query()})
		if err != nil {
			return err
		}
		out := &counted{out: os.Stdout, bar: newBar("bytes, about so far"), expected: x.Expected * bytesOfEntry}
		err = services.Export.RunSealedExport(ctx, actor, x, f, out)
		out.bar.end()
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "export %d: %d entries", x.ID, x.Entries)
		if x.Unsealed > 0 {
			fmt.Fprintf(os.Stderr, "; %d more are not sealed yet and not in it", x.Unsealed)
		}
		fmt.Fprintln(os.Stderr)
		return nil
	})
}

// bytesOfEntry is the approximate length of an entry's line, for the progress bar.
const bytesOfEntry = 700

// filter parses the flags. It refuses what the trail's page would refuse beside its
// field.
func (e *auditExportCommand) filter() (audit.Filter, error) {
	for name := range e.Filter {
		if !slices.Contains(audit.Names, name) {
			return audit.Filter{}, fmt.Errorf("no filter is named %s; there are %s", strconv.Quote(name), strings.Join(audit.Names, ", "))
		}
	}
	f, wrong := audit.ParseFilter(func(name string) string { return e.Filter[name] }, time.Now())
	var all []error
	for _, w := range wrong {
		words := w.Code
		if locale.Has(w.Code) {
			words = locale.In(locale.OfSystem(os.Getenv), w.Code)
		}
		all = append(all, fmt.Errorf("%s: %s", w.Field, words))
	}
	return f, errors.Join(all...)
}

// query returns the filter as the query string of the trail's page.
func (e *auditExportCommand) query() string {
	values := url.Values{}
	for name, value := range e.Filter {
		values.Set(name, value)
	}
	return values.Encode()
}
