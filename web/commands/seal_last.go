package commands

import (
	"context"
	"fmt"
	"os"
	"time"

	"veinte/models"
	"veinte/models/audit/sealing"
	"veinte/models/audit/trailfile"
	"veinte/models/database"
)

// SealKeys are the flags of a command that may act while no server runs: with the key it
// seals its own entries. The settings are the server's.
type SealKeys struct {
	KeyFile       string `name:"audit-key-file" env:"AUDIT_KEY_FILE" type:"path" placeholder:"FILE" help:"Private keys that seal the trail: what the command does is sealed at its end. Without them the server seals it."`
	CheckpointDir string `name:"audit-checkpoint-dir" env:"AUDIT_CHECKPOINT_DIR" type:"path" placeholder:"DIR" help:"Where checkpoints are kept outside the database, for --audit-key-file."`
}

// sealLastTime is how long a command waits for its entries to be sealed.
const sealLastTime = 5 * time.Second

// Seal seals what a command did. What cannot be sealed now is sealed by the server: that
// is said, and the command has succeeded all the same.
func (k SealKeys) Seal(ctx context.Context, db *database.DB) {
	if k.KeyFile == "" {
		return
	}
	if err := k.seal(context.WithoutCancel(ctx), db); err != nil {
		fmt.Fprintln(os.Stderr, "veinte: not sealed yet, the server will:", err)
	}
}

func (k SealKeys) seal(ctx context.Context, db *database.DB) error {
	keys, err := trailfile.LoadKeys(k.KeyFile)
	if err != nil {
		return err
	}
	may, err := db.Rights(ctx)
	if err != nil || !may.Seals || len(keys.Signers()) == 0 {
		return err // another process seals
	}
	seals := sealing.New(sealing.Config{
		DB: db, Clock: models.ShiftedClock(0), Signers: keys.Signers(), Public: keys.Public(), Dir: k.CheckpointDir,
	})
	if err := seals.Check(ctx); err != nil {
		return err
	}
	return seals.SealAll(ctx, sealLastTime)
}
