package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"golang.org/x/mod/sumdb/note"

	"veinte/models"
	"veinte/models/audit/archive"
	"veinte/models/audit/trailfile"
	"veinte/models/audit/verify"
	"veinte/models/database"
)

type auditArchiveCommand struct {
	OwnerURL `embed:""`
	Month    string   `arg:"" help:"Month of the trail (UTC), such as 2026-08, that ended at least three months ago."`
	Out      string   `required:"" type:"path" placeholder:"FILE" help:"File for the month's entries; it is the only place that has them afterwards. One that holds them already, as a run that was broken off leaves it, is used."`
	Key      []string `placeholder:"VKEY" sep:"none" help:"Public key that you trust, as text, to verify the file with before anything is taken out; may be repeated. Else that of AUDIT_KEY_FILE."`
	SealKeys `embed:""`
}

// Run archives the month: it writes the file, verifies it, syncs it to the disk, and
// then deletes the entries from the database.
func (a *auditArchiveCommand) Run(ctx context.Context) error {
	err := a.run(ctx)
	if errors.Is(err, context.Canceled) { // else the program would end as if it had succeeded
		return errors.New("stopped: the month is still in the database; run it again to go on")
	}
	return err
}

func (a *auditArchiveCommand) run(ctx context.Context) error {
	keys, public, err := a.keys()
	if err != nil {
		return err
	}
	clock := models.ShiftedClock(0)
	db, err := database.Open(ctx, database.DBConfig{URL: a.DatabaseURL, Application: "veinte audit archive", MaxConns: 4})
	if err != nil {
		return err
	}
	defer db.Close()
	defer a.Seal(ctx, db)
	month, err := archive.Begin(ctx, db, clock.Now(), a.Month)
	var earlier *archive.ErrArchived
	if errors.As(err, &earlier) {
		return a.again(earlier)
	}
	if err != nil {
		return err
	}
	defer month.Close()
	f := archiveFile{name: a.Out, month: month, keys: keys, public: public, now: clock.Now()}
	archived, err := f.ready(ctx)
	if err != nil {
		return err
	}
	if err := month.Archive(ctx, Operator(), clock, archived); err != nil {
		return fmt.Errorf("%w\n%s holds the month and can be used when you run this again", err, a.Out)
	}
	fmt.Printf("%s is archived: %d entries, in %s\nSHA-256 %s\n", archived.Month, archived.Entries, a.Out, archived.SHA256)
	fmt.Fprintf(os.Stderr, "the file is now the only place that has them: keep copies; veinte audit verify --archive %s verifies the "+
		"trail with it\n", a.Out)
	return nil
}

// keys returns the public keys that verify the file.
func (a *auditArchiveCommand) keys() (keys note.Verifiers, public []string, err error) {
	keys, public, err = PublicKeys(a.Key, a.KeyFile)
	if err == nil && keys == nil {
		err = errors.New("without a public key the file could not be verified before the month is taken out: name one with --key, " +
			"or AUDIT_KEY_FILE")
	}
	return keys, public, err
}

// PublicKeys are the public keys that are named, else those of a file of keys; none without
// both.
func PublicKeys(named []string, file string) (keys note.Verifiers, public []string, err error) {
	switch {
	case len(named) > 0:
		keys, err = trailfile.ParsePublic(named...)
		return keys, named, err
	case file != "":
		own, err := trailfile.LoadKeys(file)
		if err != nil {
			return nil, nil, err
		}
		return own.Verifiers(), own.Public(), nil
	}
	return nil, nil, nil
}

// again handles a month that was archived before. It succeeds when the named file
// holds that month, as after a program that was stopped at the last moment.
func (a *auditArchiveCommand) again(earlier *archive.ErrArchived) error {
	sum, err := SHA256Of(a.Out)
	if err != nil || sum != earlier.Archived.SHA256 {
		return earlier
	}
	fmt.Printf("%s; that is %s\n", earlier, a.Out)
	return nil
}

// archiveFile is the file of an archived month. Until it is complete, verified and
// synced to the disk, it has the suffix .part.
type archiveFile struct {
	name   string
	month  *archive.Month
	keys   note.Verifiers
	public []string
	now    time.Time
}

// ready writes the file, or accepts an existing one that holds this month.
func (f *archiveFile) ready(ctx context.Context) (*verify.ArchivedMonth, error) {
	info, err := os.Lstat(f.name)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s exists, and is not a file", f.name)
	case err == nil:
		month, err := f.compare(f.name)
		if err != nil {
			return nil, fmt.Errorf("%s exists: %w", f.name, err)
		}
		fmt.Fprintf(os.Stderr, "%s is there already, and holds %s\n", f.name, f.month.Month)
		return month, SyncDir(f.name)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	bar := newBar("bytes, about so far")
	var month *verify.ArchivedMonth
	err = wholeFile(f.name, func(part io.Writer) error {
		out := &counted{out: part, bar: bar, expected: f.month.Entries * bytesOfEntry}
		return f.month.Write(ctx, f.now, f.public, out)
	}, func(part string) (err error) {
		bar.end()
		month, err = f.compare(part)
		return err
	})
	return month, err
}

// compare reads a file from the disk and compares it with the month.
func (f *archiveFile) compare(name string) (*verify.ArchivedMonth, error) {
	file, info, err := openFile(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	bar := newBar("bytes verified")
	defer bar.end()
	return f.month.Compare(file, trailfile.Check{Keys: f.keys, Progress: func(n int64) { bar.draw(n, info.Size()) }})
}
