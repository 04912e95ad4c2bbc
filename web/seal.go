package web

import (
	"context"
	"errors"
	"fmt"

	"veinte/migrations"
	"veinte/models"
	"veinte/models/audit/attest"
	"veinte/models/audit/sealing"
	"veinte/models/database"
	"veinte/models/goroutine"
	"veinte/web/commands"
)

// sealCommand seals the trail in a process of its own. Its settings are the server's.
type sealCommand struct {
	DatabaseURL        string `name:"database-url" env:"DATABASE_URL" secret:"" required:"" help:"PostgreSQL, as the role of veinte migrate up --sealer-role."`
	InsecureDatabase   string `name:"insecure-database" env:"INSECURE_DATABASE" default:"off" help:"on connects without TLS to a database on another machine: on or off."`
	AuditKeyFile       string `name:"audit-key-file" env:"AUDIT_KEY_FILE" required:"" help:"The private keys that seal the trail, the newest first."`
	AuditCheckpointDir string `name:"audit-checkpoint-dir" env:"AUDIT_CHECKPOINT_DIR" help:"Where checkpoints are kept outside the database."`
	AuditTSA           string `name:"audit-tsa" env:"AUDIT_TSA" secret:"" help:"Time stamping authorities (RFC 3161), by commas."`
	AuditWitnesses     string `name:"audit-witnesses" env:"AUDIT_WITNESSES" help:"A file of witnesses: a line each, public key and address."`
	LogLevel           string `name:"log-level" env:"LOG_LEVEL" default:"info" help:"debug, info, warn or error."`
	LogFormat          string `name:"log-format" env:"LOG_FORMAT" default:"json" help:"json or text."`
}

// Run seals until ctx ends, and then what was committed last.
func (s *sealCommand) Run(ctx context.Context, files *commands.SecretFiles) error {
	same := settings{
		DatabaseURL: s.DatabaseURL, InsecureDatabase: s.InsecureDatabase,
		AuditKeyFile: s.AuditKeyFile, AuditCheckpointDir: s.AuditCheckpointDir,
		AuditTSA: s.AuditTSA, AuditWitnesses: s.AuditWitnesses, LogLevel: s.LogLevel, LogFormat: s.LogFormat,
	}
	m, c := mistakes(files.Problems), &checked{}
	same.checkDatabaseTLS(&m)
	same.checkSealing(&m, c)
	c.log = same.logger(&m)
	if c.auditKeys != nil && len(c.auditKeys.Signers()) == 0 {
		m.add("AUDIT_KEY_FILE", "holds public keys alone; to seal takes the private one")
	}
	if err := m.err(); err != nil {
		return err
	}
	db, err := database.Open(ctx, database.DBConfig{URL: s.DatabaseURL, Application: "veinte seal", Logger: c.log, MaxConns: 4})
	if err != nil {
		return err
	}
	defer db.Close()
	seals, err := sealerOver(ctx, db, c)
	if err != nil {
		return err
	}
	c.log.Info("sealing the trail", "directory", c.checkpointDir)
	others := attest.New(attest.Config{DB: db, Clock: models.ShiftedClock(0), Seals: seals, Asked: c.attesters, Logger: c.log})
	asking := goroutine.Result(c.log, "having checkpoints signed", func() error { others.Run(ctx); return nil })
	seals.Run(ctx)
	<-asking
	return seals.SealAll(context.WithoutCancel(ctx), lastSealTime)
}

// sealerOver returns the sealer over a database that it may seal.
func sealerOver(ctx context.Context, db *database.DB, c *checked) (*sealing.Service, error) {
	pending, err := migrations.Pending(ctx, db.SQL())
	if err != nil {
		return nil, err
	}
	if len(pending) > 0 {
		return nil, fmt.Errorf("the schema is not up to date (%d pending, next %s): run veinte migrate up", len(pending), pending[0])
	}
	may, err := db.Rights(ctx)
	if err != nil {
		return nil, err
	}
	if !may.Seals {
		return nil, errors.New("DATABASE_URL: its role may not seal; veinte migrate up --sealer-role grants it the right")
	}
	missing, err := db.MissingRights(ctx)
	if err != nil {
		return nil, err
	}
	if len(missing) > 0 {
		c.log.Error("DATABASE_URL: its role lacks rights: run veinte migrate up --sealer-role ROLE as the owner", "missing", missing)
	}
	seals := sealing.New(sealing.Config{
		DB: db, Clock: models.ShiftedClock(0), Signers: c.auditKeys.Signers(), Public: c.auditKeys.Public(),
		Dir: c.checkpointDir, Logger: c.log,
	})
	return seals, seals.Check(ctx)
}
