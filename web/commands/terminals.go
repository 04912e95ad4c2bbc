package commands

import (
	"context"

	"veinte/models/imports"
)

// Terminals groups the commands about files of terminals.
type Terminals struct {
	Import terminalsImportCommand `cmd:"" help:"Register terminals, and open stores, from a CSV or XLSX file: all of it, or nothing when a row is wrong."`
}

type terminalsImportCommand struct {
	fileImport `embed:""`
}

// Run imports the file.
func (c *terminalsImportCommand) Run(ctx context.Context) error {
	return c.run(ctx, imports.OfTerminals)
}
