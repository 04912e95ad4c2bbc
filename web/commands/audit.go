package commands

import (
	"context"
	"errors"
	"fmt"
	"os"

	"veinte/models/audit/trailfile"
	"veinte/models/audit/trailfile/cosign"
	"veinte/views/verifier"
)

// Audit groups the commands about the audit trail and its proofs.
type Audit struct {
	Verify      auditVerifyCommand      `cmd:"" help:"Verify an export, the proof of an entry, or the trail in the database. Exits 0 when it is intact, 1 when it was altered, 2 when that cannot be decided."`
	Compare     auditCompareCommand     `cmd:"" help:"Compare the tables of the shop with the trail: sales, cancellations, closings, people, keys, rules. Exits 0 when every row is as it was recorded, 1 when one is not, 2 when that cannot be decided."`
	Prove       auditProveCommand       `cmd:"" help:"Prove one entry: the proof is printed, for verify --proof."`
	File        auditFileCommand        `cmd:"" help:"Compare a file, of any format, with the signed note of its export. Neither database nor network is needed."`
	Export      auditExportCommand      `cmd:"" help:"Export sealed entries as JSONL that verifies offline, on standard output."`
	Stamp       auditStampCommand       `cmd:"" help:"Have whoever signs checkpoints beside us (AUDIT_TSA, AUDIT_WITNESSES) sign now: the process that seals asks them. Print what each signed last."`
	Checkpoints auditCheckpointsCommand `cmd:"" help:"Print all checkpoints that others signed, as a file of checkpoints for verify --checkpoint."`
	Keygen      auditKeygenCommand      `cmd:"" help:"Make a key that seals the trail; print the public key."`
	Archive     auditArchiveCommand     `cmd:"" help:"Put a month of the trail, at least three months old, into a file that verifies offline, and take it out of the database. Needs the database's owner. Nothing is put away by itself."`
	Verifier    auditVerifierCommand    `cmd:"" help:"Print the page that verifies exports and proofs in a browser, without network: veinte audit verifier > verifier.html"`
	Witness     auditWitnessCommand     `cmd:"" help:"Watch from elsewhere that the trail only grows: keep the last checkpoint seen, demand a proof that the next one continues it. With --listen it cosigns for servers that ask."`
}

// The exit codes of verification.
const (
	exitAltered   = 1
	exitUndecided = 2
)

type auditVerifierCommand struct{}

// Run prints the page.
func (*auditVerifierCommand) Run(context.Context) error {
	page, err := verifier.Page()
	if err == nil {
		_, err = os.Stdout.Write(page)
	}
	return err
}

type auditKeygenCommand struct {
	Name string `required:"" help:"The trail's name, such as tienda.example/bitacora. A new key of a sealed trail must bear the old name."`
	Out  string `required:"" type:"path" help:"File for the private key; it must not exist. Put the new key's line before the old ones of AUDIT_KEY_FILE."`

	Witness bool `help:"Make the key of a witness instead, for veinte audit witness --listen, with a name such as testigo.example/1."`
}

// Run makes the key. Only the public key goes to standard output.
func (k *auditKeygenCommand) Run(context.Context) error {
	generate := trailfile.GenerateKey
	if k.Witness {
		generate = cosign.Generate
	}
	private, public, err := generate(k.Name)
	if err != nil {
		return err
	}
	if err := WriteSynced(k.Out, os.O_EXCL, Content(private+"\n")); err != nil {
		return fmt.Errorf("keep the private key: %w", err)
	}
	fmt.Println(public)
	fmt.Fprintf(os.Stderr, "the private key is in %s; give the public one to whoever shall verify\n", k.Out)
	return nil
}

// ExitError ends the program with a specific exit code.
type ExitError struct {
	Code int
	error
}

// Altered is the error of a verification that found something altered.
func Altered(err error) error { return ExitError{exitAltered, err} }

// Undecided is err as that of a verification which could not decide, unless it says what
// was decided.
func Undecided(err error) error {
	var coded ExitError
	if err == nil || errors.As(err, &coded) {
		return err
	}
	return ExitError{exitUndecided, err}
}
