package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models/audit/trailfile"
	"veinte/models/audit/verify"
	"veinte/models/database"
	"veinte/models/wiring"
)

// Verifying is the speed of verifying a trail.
type Verifying struct {
	Entries  int64   `json:"entries"`
	Database float64 `json:"databaseSeconds"` // the median of the turns, as for the file
	File     float64 `json:"fileSeconds"`
	Bytes    int64   `json:"fileBytes"`
	Proof    float64 `json:"proofMs"` // made from the database and checked
	ProofP99 float64 `json:"proofP99Ms"`
}

const (
	verifiedEntries = 1_000_000
	provedEntries   = 500
)

// measureVerifying verifies a million entries in the database and in a file, and
// proves some of them.
func (b *bench) measureVerifying(ctx context.Context) error {
	if err := b.fillVerified(ctx); err != nil {
		return err
	}
	keyFile, err := b.sealTrail(ctx)
	if err != nil {
		return err
	}
	keys, err := trailfile.LoadKeys(keyFile)
	if err != nil {
		return err
	}
	db, err := b.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	last, err := wiring.Over(db).Sealing.LatestCheckpoint(ctx)
	if err != nil {
		return err
	}
	b.progress("verifying the trail in the database")
	b.report.Verifying.Database, err = b.medianOf(func() error {
		v, err := wiring.Over(db).Verify.VerifyTrail(ctx, verify.TrailCheck{Keys: keys.Verifiers(), Checkpoints: []string{last.Note}})
		if err == nil && v.State != verify.Intact {
			err = fmt.Errorf("the trail is %s: %+v", v.State, v.First)
		}
		if err == nil {
			b.report.Verifying.Entries = v.Checked
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := b.verifyFile(ctx, keyFile, keys); err != nil {
		return err
	}
	return b.prove(ctx, db, keys)
}

// medianOf runs f in every round and returns the median in seconds.
func (b *bench) medianOf(f func() error) (float64, error) {
	var took []time.Duration
	for range max(1, b.Turns) {
		begin := time.Now()
		if err := f(); err != nil {
			return 0, err
		}
		took = append(took, time.Since(begin))
	}
	return quantile(took, 0.5).Seconds(), nil
}

// wholeEntries writes entries whose columns match their bytes.
const wholeEntries = `INSERT INTO audit_entries (at, actor_id, actor_name, actor_role, action, outcome,
		store_id, store_name, serial_number,
		sale_id, order_id, cancellation_id, attempt_number, amount, before, after, reason, address, user_agent, request_id, canonical)
	SELECT at, 7, 'Ana Pérez', 'manager', 'cancellation.moved', 'success', 1 + n % 40, 'Roma Norte', '1490000001', n, 'ORDER-' || n, n, 1,
		125000 + n % 1000,
		'{"state":"requested"}', '{"state":"sending"}', 'customer', '192.0.2.7', 'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36', 'r-' || n,
		convert_to(format('{"v":2,"nonce":"%s","at":"%s","actorId":7,"actor":"Ana Pérez","role":"manager","action":"cancellation.moved",' ||
			'"outcome":"success","storeId":%s,"store":"Roma Norte","serialNumber":"1490000001","saleId":%s,"orderId":"ORDER-%s",' ||
			'"cancellationId":%s,"attempt":1,"amountCentavos":%s,"before":{"state":"requested"},"after":{"state":"sending"},' ||
			'"reason":"customer","address":"192.0.2.7","userAgent":"Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36","requestId":"r-%s"}',
			gen_random_uuid(), to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 1 + n % 40, n, n, n, 125000 + n % 1000, n), 'UTF8')
	FROM (SELECT n, now() - interval '5 minutes' + n * interval '100 microseconds' AS at FROM generate_series($1::bigint, $2) n) e`

// fillVerified writes a trail of such valid entries.
func (b *bench) fillVerified(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, b.pg.DSN("bench", "postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	const step = 20_000
	b.progress(fmt.Sprintf("writing %d entries", verifiedEntries))
	for n := 1; n <= verifiedEntries; n += step {
		if _, err := conn.Exec(ctx, wholeEntries, n, n+step-1); err != nil {
			return fmt.Errorf("write entries: %w", err)
		}
	}
	_, err = conn.Exec(ctx, `VACUUM ANALYZE audit_entries`)
	return err
}

// verifyFile exports the trail and verifies the file.
func (b *bench) verifyFile(ctx context.Context, keyFile string, keys *trailfile.Keys) error {
	path := filepath.Join(b.dir, "export.jsonl")
	if err := b.download(ctx, path, keyFile); err != nil {
		return err
	}
	b.progress("verifying the file")
	var err error
	b.report.Verifying.File, err = b.medianOf(func() error {
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		v := trailfile.Verify(file, trailfile.Check{Keys: keys.Verifiers(), Progress: func(n int64) { b.report.Verifying.Bytes = n }})
		if v.State != trailfile.Intact {
			return fmt.Errorf("the file is %s: %v", v.State, v.Findings)
		}
		return nil
	})
	return err
}

func (b *bench) download(ctx context.Context, path, keyFile string) (err error) {
	p, _, err := b.serve(ctx, "AUDIT_KEY_FILE="+keyFile)
	if err != nil {
		return err
	}
	defer func() { _ = p.Stop() }()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.Addr+"/audit.jsonl", nil)
	if err != nil {
		return err
	}
	req.AddCookie(&http.Cookie{Name: "veinte_session", Value: b.supervisor})
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	defer resp.Body.Close()
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, resp.Body)
	return errors.Join(err, file.Close())
}

// prove proves a sample of entries, and checks each proof.
func (b *bench) prove(ctx context.Context, db *database.DB, keys *trailfile.Keys) error {
	b.progress("proving entries")
	r := rand.New(rand.NewPCG(20, 26))
	var took []time.Duration
	for range provedEntries {
		id := 1 + r.Int64N(verifiedEntries)
		begin := time.Now()
		p, err := wiring.Over(db).Sealing.Prove(ctx, id)
		if err != nil {
			return err
		}
		file, err := trailfile.Proof{N: p.N, Leaf: *p.Leaf, Proof: p.Proof, Checkpoint: p.Checkpoint.Note}.File()
		if err != nil {
			return err
		}
		if _, v := trailfile.VerifyProof(bytes.NewReader(file), trailfile.Check{Keys: keys.Verifiers()}); v.State != trailfile.Intact {
			return fmt.Errorf("the proof of entry %d: %v", id, v.Findings)
		}
		took = append(took, time.Since(begin))
	}
	b.report.Verifying.Proof, b.report.Verifying.ProofP99 = ms(quantile(took, 0.5)), ms(quantile(took, 0.99))
	return nil
}
