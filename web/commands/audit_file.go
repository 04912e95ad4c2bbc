package commands

import (
	"context"
	"errors"
	"fmt"
	"os"

	"veinte/models/audit/trailfile"
	"veinte/models/audit/trailfile/exportnote"
)

type auditFileCommand struct {
	File string   `arg:"" type:"path" help:"The file that left: CSV, XLSX or JSONL."`
	Note string   `required:"" type:"path" placeholder:"FILE" help:"The signed note of its export, from the page of the export."`
	Key  []string `required:"" placeholder:"VKEY" sep:"none" help:"Public key that you trust, as text: name+hash+key; may be repeated."`
}

// Run says whether the file is what left, and of what it is a file. Exit codes are those of
// audit verify.
func (f *auditFileCommand) Run(context.Context) error {
	keys, err := trailfile.ParsePublic(f.Key...)
	if err != nil {
		return ExitError{exitUndecided, err}
	}
	signed, err := os.ReadFile(f.Note)
	if err != nil {
		return ExitError{exitUndecided, err}
	}
	n, err := exportnote.Open(string(signed), keys)
	switch {
	case errors.Is(err, trailfile.ErrBadSignature):
		return ExitError{exitAltered, err}
	case err != nil:
		return ExitError{exitUndecided, err}
	}
	file, err := os.Open(f.File)
	if err != nil {
		return ExitError{exitUndecided, err}
	}
	defer func() { _ = file.Close() }()
	differs, err := n.Compare(file)
	switch {
	case err != nil:
		return ExitError{exitUndecided, err}
	case differs != "":
		return ExitError{exitAltered, fmt.Errorf("this is not the file of export %d: %s", n.Export, differs)}
	}
	fmt.Printf("This is the file of export %d (%s), byte for byte.\nEntries: %d, by the filters %s, of stores %s.\n"+
		"Made under the checkpoint of %d entries, root %s; entry %d of the trail says the same.\n",
		n.Export, n.Format, n.Entries, n.Filters, n.Stores, n.Size, n.Root, n.Entry)
	return nil
}
