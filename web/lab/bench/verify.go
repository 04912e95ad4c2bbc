package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models/audit/trailfile"
	"veinte/web/lab"
)

// provedEntries is how many entries are proved.
const provedEntries = 500

// measureVerifying exports a trail of a million sealed entries in each format, verifies
// it in the database and in a file, and proves some of it.
func (b *bench) measureVerifying(ctx context.Context) error {
	if err := b.fillSealed(ctx); err != nil {
		return err
	}
	for _, format := range []string{"csv", "xlsx", "jsonl", "jsonl?store=5"} {
		err := b.serving(ctx, func(p *lab.Process) error { return b.export(ctx, p, format) }, b.withKey())
		if err != nil {
			return err
		}
	}
	file := filepath.Join(b.dir, "export.jsonl")
	for _, from := range []struct {
		name string
		args []string
	}{
		{"verifying the trail in the database", nil},
		{"verifying a file of the trail", []string{"--file", file}},
	} {
		key := b.keys.Public()[0]
		begin := time.Now()
		if _, _, err := b.command(ctx, append([]string{"audit", "verify", "--key", key}, from.args...)...); err != nil {
			return err
		}
		b.record(from.name, "s", "1,000,000 under 5", time.Since(begin).Seconds())
	}
	return b.serving(ctx, func(p *lab.Process) error { return b.prove(ctx, p) }, b.withKey())
}

// fillSealed writes entries, unless they are there, and has them sealed.
func (b *bench) fillSealed(ctx context.Context) error {
	var there int
	if err := b.db.Pool().QueryRow(ctx, `SELECT count(*) FROM audit_entries`).Scan(&there); err != nil {
		return err
	}
	const step = 20_000
	for n := there; n < b.Sealed; n += step {
		if _, err := b.db.Pool().Exec(ctx, wholeEntries, n+1, n+step, b.now.Add(-5*time.Minute)); err != nil {
			return fmt.Errorf("write entries: %w", err)
		}
	}
	begin := time.Now()
	err := b.serving(ctx, func(*lab.Process) error { return b.untilSealed(ctx) }, b.withKey())
	b.progress("sealed in %s", time.Since(begin))
	return err
}

// export takes the trail out in one format, from a newly started server.
func (b *bench) export(ctx context.Context, p *lab.Process, format string) error {
	file, err := os.Create(filepath.Join(b.dir, "export."+format))
	if err != nil {
		return err
	}
	defer file.Close()
	begin := time.Now()
	resp, err := (&user{"http://" + p.Addr, b.supervisor}).send(ctx, http.MethodGet, "/audit."+format, "", nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(file, resp.Body); err != nil {
		return fmt.Errorf("export %s: %w", format, err)
	}
	took := time.Since(begin)
	var entries int64
	err = b.db.Pool().QueryRow(ctx, `SELECT entries FROM audit_exports WHERE state = 'done' ORDER BY id DESC LIMIT 1`).Scan(&entries)
	if err != nil {
		return fmt.Errorf("find export: %w", err)
	}
	_, most := resident(p)
	b.record("entries exported as "+format, "/s", "whole: at least 50,000", float64(entries)/took.Seconds())
	b.record("memory while exporting as "+format, "MiB", "constant", most)
	return nil
}

// prove fetches the proofs of a sample of entries, and checks each.
func (b *bench) prove(ctx context.Context, p *lab.Process) error {
	supervisor := &user{"http://" + p.Addr, b.supervisor}
	rows, err := b.db.Pool().Query(ctx, `SELECT entry_id FROM sealed_entries ORDER BY random() LIMIT $1`, provedEntries)
	if err != nil {
		return err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return err
	}
	var took []time.Duration
	for _, id := range ids {
		begin := time.Now()
		proof, err := supervisor.get(ctx, fmt.Sprintf("/audit/%d/proof", id))
		if err != nil {
			return err
		}
		if _, v := trailfile.VerifyProof(bytes.NewReader(proof), trailfile.Check{Keys: b.keys.Verifiers()}); v.State != trailfile.Intact {
			return fmt.Errorf("the proof of entry %d: %v", id, v.Findings)
		}
		took = append(took, time.Since(begin))
	}
	b.recordTimes("proving an entry, and checking it", "under 50", took)
	return nil
}
