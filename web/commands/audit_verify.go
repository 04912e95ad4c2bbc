package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"veinte/models/audit/trailfile"
	"veinte/models/audit/verify"
	"veinte/models/database"
	"veinte/models/wiring"
)

type auditVerifyCommand struct {
	File        string   `xor:"what" type:"path" placeholder:"FILE" help:"An export (JSONL); - reads standard input. Nothing else is needed: neither database nor network."`
	Proof       string   `xor:"what" type:"path" placeholder:"FILE" help:"The proof of one entry, as prove prints it; - reads standard input."`
	DatabaseURL string   `name:"database-url" env:"DATABASE_URL" secret:"" help:"Without a file, the trail in this database is verified."`
	Key         []string `required:"" placeholder:"VKEY" sep:"none" help:"Public key that you trust, as text: name+hash+key; may be repeated. Not one that came with the file."`
	Checkpoint  []string `type:"path" placeholder:"FILE" sep:"none" help:"Checkpoints that were kept elsewhere, such as a file of AUDIT_CHECKPOINT_DIR; may be repeated. Without one, a tail that was cut together with its checkpoints is invisible."`
	Consistency []string `type:"path" placeholder:"FILE" sep:"none" help:"Proof that two trails of other sizes are one, as GET /api/v1/audit/consistency answers it: with it a checkpoint of another size than the file's is compared; may be repeated. A proof that was made with prove --checkpoint holds its own."`
	Archive     []string `type:"path" placeholder:"FILE" sep:"none" help:"The file of a month that was archived, to verify a database with; may be repeated."`
	Witness     []string `placeholder:"VKEY" sep:"none" help:"Public key of a witness that you trust (name+hash+key), as the witness itself gave it to you; may be repeated. With it a checkpoint must bear its cosignature."`
	Quorum      int      `placeholder:"N" help:"How many of the witnesses must have signed one checkpoint; all of them until said otherwise."`
	TSARoot     []string `name:"tsa-root" type:"path" placeholder:"FILE" sep:"none" help:"Root certificate (PEM) of an authority for time stamps that you trust; may be repeated. With it a checkpoint must bear its time stamp (RFC 3161)."`

	MaxAge        time.Duration `placeholder:"DURATION" help:"The newest time stamp or cosignature is at most so old, such as 26h; needs --witness or --tsa-root."`
	StampedWithin time.Duration `placeholder:"DURATION" help:"Every entry was stamped so soon after it was made, such as 26h: shows a past that was rewritten and stamped anew. Needs --tsa-root."`

	JSON bool `name:"json" help:"Print the verdict as JSON."`
}

// Run verifies. An error that prevents verification leaves the verdict undecided.
func (v *auditVerifyCommand) Run(ctx context.Context) error {
	return Undecided(v.run(ctx))
}

func (v *auditVerifyCommand) run(ctx context.Context) error {
	keys, err := trailfile.ParsePublic(v.Key...)
	if err != nil {
		return err
	}
	notes, err := ReadCheckpoints(v.Checkpoint)
	if err != nil {
		return err
	}
	check := trailfile.Check{Keys: keys, Checkpoints: notes}
	if check.Consistency, err = readConsistency(v.Consistency); err != nil {
		return err
	}
	if check.Wishes, err = v.wishes(time.Now()); err != nil {
		return err
	}
	switch {
	case check.Wishes.Any() && v.File == "" && v.Proof == "":
		return errors.New(say("trailVerify.noDatabaseWishes"))
	case v.Proof != "":
		return v.proof(check)
	case v.File != "":
		return v.file(check)
	case v.DatabaseURL == "":
		return errors.New(say("trailVerify.what"))
	}
	return v.database(ctx, keys, notes)
}

// ReadCheckpoints reads the checkpoints of files. A file without one is an error,
// because the user relies on it.
func ReadCheckpoints(files []string) (notes []string, err error) {
	const most = 1 << 30
	for _, name := range files {
		info, err := os.Stat(name)
		if err != nil {
			return nil, fmt.Errorf("checkpoint: %w", err)
		}
		if !info.Mode().IsRegular() || info.Size() > most {
			return nil, fmt.Errorf("checkpoint %s: not a file of checkpoints", name)
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("checkpoint: %w", err)
		}
		found := trailfile.Notes(string(text))
		if len(found) == 0 {
			return nil, fmt.Errorf("checkpoint %s: holds no signed checkpoint", name)
		}
		notes = append(notes, found...)
	}
	return notes, nil
}

// readConsistency reads the files with proofs of consistency.
func readConsistency(files []string) (proofs []trailfile.Consistency, err error) {
	for _, name := range files {
		file, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("consistency: %w", err)
		}
		proof, err := trailfile.ReadConsistency(file)
		_ = file.Close()
		if err != nil {
			return nil, fmt.Errorf("consistency %s: %w", name, err)
		}
		proofs = append(proofs, proof)
	}
	return proofs, nil
}

// file verifies an export.
func (v *auditVerifyCommand) file(check trailfile.Check) error {
	in, size := io.Reader(os.Stdin), int64(0)
	if v.File != "-" {
		file, info, err := openFile(v.File)
		if err != nil {
			return err
		}
		defer file.Close()
		if info.IsDir() {
			return fmt.Errorf("%s is a directory, not an export", v.File)
		}
		in, size = file, info.Size()
	}
	bar := newBar("verified")
	check.Progress = func(n int64) { bar.draw(n, size) }
	verdict := trailfile.Verify(in, check)
	bar.end()
	return v.report(verdict)
}

// proof verifies the proof of one entry.
func (v *auditVerifyCommand) proof(check trailfile.Check) error {
	file := os.Stdin
	if v.Proof != "-" {
		var err error
		if file, err = os.Open(v.Proof); err != nil {
			return err
		}
		defer file.Close()
	}
	proof, verdict := trailfile.VerifyProof(file, check)
	if verdict.State == trailfile.Intact && !v.JSON {
		c := verdict.Checkpoint
		fmt.Println(say("trailVerify.proved", "ID", proof.Leaf.ID, "N", proof.N, "Size", c.Size, "Origin", c.Origin,
			"At", c.Time.Format(time.RFC3339)))
		fmt.Printf("%s\n", proof.Leaf.Canonical)
		v.kept(verdict)
		v.strangers(verdict)
		return nil
	}
	return v.report(verdict)
}

// database verifies the trail in the database.
func (v *auditVerifyCommand) database(ctx context.Context, keys trailfile.Verifiers, notes []string) error {
	db, err := database.Open(ctx, database.DBConfig{URL: v.DatabaseURL, Application: "veinte audit verify"})
	if err != nil {
		return err
	}
	defer db.Close()
	archives := make([]io.Reader, 0, len(v.Archive))
	for _, name := range v.Archive {
		file, err := os.Open(name)
		if err != nil {
			return fmt.Errorf("archive: %w", err)
		}
		defer file.Close()
		archives = append(archives, file)
	}
	bar := newBar("verified")
	verdict, err := wiring.Over(db).Verify.VerifyTrail(ctx,
		verify.TrailCheck{Keys: keys, Checkpoints: notes, Progress: bar.draw, Archives: archives})
	bar.end()
	if err != nil {
		return err
	}
	return v.reportTrail(verdict)
}
