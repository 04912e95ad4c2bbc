package commands

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"veinte/models/audit/trailfile"
	"veinte/models/audit/trailfile/notes"
)

// auditWitnessCommand watches a trail from outside, or answers servers that ask it to
// cosign. The exit code is 0 when the
// trail continues what was seen before, 1 when it contradicts that, and 2 when this
// cannot be decided.
type auditWitnessCommand struct {
	URL         string        `name:"url" placeholder:"https://…" help:"The server to ask, with an API key of the scope audit:checkpoint in VEINTE_API_KEY or the file VEINTE_API_KEY_FILE."`
	APIKey      string        `name:"api-key" env:"VEINTE_API_KEY" secret:"" hidden:""`
	Database    bool          `help:"Ask the database of DATABASE_URL instead of a server."`
	DatabaseURL string        `name:"database-url" env:"DATABASE_URL" secret:"" hidden:""`
	Key         []string      `sep:"none" placeholder:"VKEY" help:"Public key that must have signed; may be repeated while one is replaced by another."`
	State       string        `required:"" type:"path" help:"File with the last checkpoint seen; with --listen a directory. Keep it where whoever runs the server cannot write."`
	Every       time.Duration `help:"Keep watching: look again after this long, such as 1m. It ends when something contradicts."`
	Compare     []string      `type:"existingfile" help:"File with a checkpoint that somebody else holds; may be repeated."`
	Listen      string        `placeholder:"ADDR" help:"Be a witness that servers ask to cosign (C2SP tlog-witness), at this address, such as 127.0.0.1:7380; instead of --url."`
	WitnessKey  string        `type:"path" help:"With --listen: file with the witness' private key, of veinte audit keygen --witness."`
	Log         []string      `sep:"none" placeholder:"VKEY" help:"With --listen: public key of a trail that may ask; may be repeated."`
}

func altered(format string, args ...any) error {
	return ExitError{exitAltered, fmt.Errorf("altered: "+format, args...)}
}

func undecided(format string, args ...any) error {
	return ExitError{exitUndecided, fmt.Errorf("cannot decide: "+format, args...)}
}

func (c *auditWitnessCommand) Run(ctx context.Context, files *SecretFiles) error {
	if len(files.Problems) > 0 {
		return undecided("%s", files.Problems[0])
	}
	if c.Listen != "" {
		return c.serve(ctx)
	}
	if c.WitnessKey != "" || len(c.Log) > 0 {
		return undecided("--witness-key and --log go with --listen alone")
	}
	keys, err := trailfile.ParsePublic(c.Key...)
	if err != nil {
		return undecided("--key: %w", err)
	}
	source, err := c.source(ctx)
	if err != nil {
		return err
	}
	defer source.close()
	w := &witness{keys: keys, source: source, state: witnessState{c.State}, compare: c.Compare}
	if c.Every <= 0 {
		seen, err := w.check(ctx)
		if err == nil {
			fmt.Printf("intact: %s\n", described(seen))
		}
		return err
	}
	return w.watch(ctx, c.Every, slog.New(slog.NewTextHandler(os.Stderr, nil)))
}

// source returns the source that the flags name.
func (c *auditWitnessCommand) source(ctx context.Context) (witnessSource, error) {
	switch {
	case c.Database && c.URL != "":
		return nil, undecided("either --url or --database")
	case c.Database && c.DatabaseURL == "":
		return nil, undecided("--database: DATABASE_URL is not set")
	case c.Database:
		return databaseSource(ctx, c.DatabaseURL)
	case c.URL == "":
		return nil, undecided("--url or --database says where the trail is")
	}
	return serverSource(c.URL, c.APIKey)
}

// witnessSource provides a trail's checkpoints and proofs. Nothing from it is
// trusted without a proof.
type witnessSource interface {
	checkpoint(ctx context.Context) (note string, err error)
	// consistency returns the proof that the tree of size from is a prefix of the
	// tree of size to. An error that wraps errNoProof means that there is no proof;
	// any other error leaves the question open.
	consistency(ctx context.Context, from, to int64) (tlog.TreeProof, error)
	close()
}

// errNoProof is wrapped when a source states that it has no proof.
var errNoProof = errors.New("no proof was given")

// witness stores the last checkpoint that it saw, and accepts only checkpoints that
// extend it.
type witness struct {
	keys    note.Verifiers
	source  witnessSource
	state   witnessState
	compare []string
}

// watch checks repeatedly until ctx ends or it finds a contradiction.
func (w *witness) watch(ctx context.Context, every time.Duration, log *slog.Logger) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		seen, err := w.check(ctx)
		var wrong ExitError
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil:
			log.Info("intact", "entries", seen.Size, "root", seen.Root.String(), "sealed", seen.Time)
		case errors.As(err, &wrong) && wrong.Code == exitAltered:
			log.Error("the trail contradicts what was seen before", "error", err)
			return err
		default:
			log.Warn("not decided; looking again", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// check fetches the latest checkpoint. It requires that this continues the last one
// seen and every one in the given files.
func (w *witness) check(ctx context.Context) (*trailfile.Checkpoint, error) {
	release, err := w.state.lock()
	if err != nil {
		return nil, undecided("state: %w", err)
	}
	defer release()
	lastNote, err := w.state.read()
	if err != nil {
		return nil, undecided("state %s: %w; if you know why, move it away and begin anew", w.state.path, err)
	}
	nowNote, err := w.source.checkpoint(ctx)
	if err != nil {
		return nil, undecided("%w", err)
	}
	now, err := trailfile.Open(nowNote, w.keys)
	if err != nil {
		return nil, w.notOpened("the checkpoint", err, lastNote, nowNote)
	}
	if lastNote != "" {
		last, err := trailfile.Open(lastNote, w.keys)
		if err != nil {
			return nil, undecided("state %s: %w; if you know why, move it away and begin anew", w.state.path, err)
		}
		if err := w.continues(ctx, &last, &now); err != nil {
			return nil, w.withEvidence(err, lastNote, nowNote)
		}
	}
	for _, file := range w.compare {
		if err := w.compared(ctx, file, &now, nowNote); err != nil {
			return nil, err
		}
	}
	if err := w.state.write(nowNote, time.Now()); err != nil {
		return nil, undecided("state: %w", err)
	}
	return &now, nil
}

// notOpened returns the error for a checkpoint that cannot be opened.
func (w *witness) notOpened(what string, err error, lastNote, note string) error {
	if errors.Is(err, trailfile.ErrBadSignature) {
		return w.withEvidence(altered("%s: %w", what, err), lastNote, note)
	}
	return undecided("%s: %w", what, err)
}

// compared compares the trail with a checkpoint from a file.
func (w *witness) compared(ctx context.Context, file string, now *trailfile.Checkpoint, nowNote string) error {
	text, err := readSmall(file, notes.Max)
	if err != nil {
		return undecided("--compare: %w", err)
	}
	other, err := trailfile.Open(string(text), w.keys)
	if err != nil {
		return w.notOpened("--compare "+file, err, string(text), nowNote)
	}
	if err := w.continues(ctx, &other, now); err != nil {
		return w.withEvidence(err, string(text), nowNote)
	}
	return nil
}

// continues checks that the trail at before is a prefix of the trail at now.
func (w *witness) continues(ctx context.Context, before, now *trailfile.Checkpoint) error {
	if !notes.SameTrail(now.Origin, before.Origin) {
		return undecided("it is another trail: %q, and %q before", now.Origin, before.Origin)
	}
	err := w.extends(ctx, before, now)
	var wrong ExitError
	if now.Origin != before.Origin && errors.As(err, &wrong) && wrong.Code == exitAltered {
		return undecided("entries were lost, and the trail began anew as %q (%q before): its entries sealing.stopped and sealing.resumed "+
			"say when and why; if you know it, move the state away and begin anew (%s)", now.Origin, before.Origin,
			strings.TrimPrefix(err.Error(), "altered: "))
	}
	return err
}

// extends checks that the tree at before is the beginning of that at now.
func (w *witness) extends(ctx context.Context, before, now *trailfile.Checkpoint) error {
	switch {
	case now.Size < before.Size:
		return altered("the trail had %s entries at %s, now %s (signed %s): its end was cut, or an old copy was put in its place",
			grouped(before.Size), clockUTC(before.Time), grouped(now.Size), clockUTC(now.Time))
	case now.Size == before.Size && now.Root != before.Root:
		return altered("two different trails of %s entries were signed, root %s at %s and root %s at %s: a split view",
			grouped(now.Size), before.Root, clockUTC(before.Time), now.Root, clockUTC(now.Time))
	case now.Size == before.Size || before.Size == 0:
		return nil
	}
	proof, err := w.source.consistency(ctx, before.Size, now.Size)
	if errors.Is(err, errNoProof) {
		return altered("the trail has %s entries now, and no proof that it begins with the %s of %s: %w", grouped(now.Size),
			grouped(before.Size), clockUTC(before.Time), err)
	}
	if err != nil {
		return undecided("no proof that %s entries begin with the %s of %s: %w", grouped(now.Size), grouped(before.Size), clockUTC(before.Time),
			err)
	}
	if err := tlog.CheckTree(proof, now.Size, now.Root, before.Size, before.Root); err != nil {
		return altered("the trail of %s entries does not begin with the %s that were signed at %s: entries were changed, or it is another "+
			"trail under the same key (%w)",
			grouped(now.Size), grouped(before.Size), clockUTC(before.Time), err)
	}
	return nil
}

// withEvidence stores both notes as evidence of a contradiction.
func (w *witness) withEvidence(err error, before, now string) error {
	var wrong ExitError
	if !errors.As(err, &wrong) || wrong.Code != exitAltered {
		return err
	}
	path, failed := w.state.evidence(wrong.Error(), before, now, time.Now())
	if failed != nil {
		return ExitError{exitAltered, fmt.Errorf("%w; the evidence could not be written: %w", wrong.error, failed)}
	}
	return ExitError{exitAltered, fmt.Errorf("%w; both checkpoints are in %s", wrong.error, path)}
}

func described(c *trailfile.Checkpoint) string {
	return fmt.Sprintf("%s entries, root %s, signed %s", grouped(c.Size), c.Root, clockUTC(c.Time))
}

func clockUTC(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

// grouped formats a number with commas, as in 1,204.
func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
