package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"veinte/models"
	"veinte/models/audit/sealing"
	"veinte/models/audit/trailfile"
)

// ExportReport is the speed of exporting the trail in one format, whole or filtered,
// and the server's memory meanwhile.
type ExportReport struct {
	Format    string  `json:"format"` // with the filter
	Entries   int64   `json:"entries"`
	Seconds   float64 `json:"seconds"`
	PerSecond float64 `json:"perSecond"`
	FirstByte float64 `json:"firstByteMs"`
	Bytes     int64   `json:"bytes"`
	Before    float64 `json:"beforeMiB"` // resident, of the newly started server
	Most      float64 `json:"mostMiB"`   // resident, at its highest
}

// measureExport exports the whole trail in each format, and parts of it, each from a
// newly started server.
func (b *bench) measureExport(ctx context.Context) error {
	if !b.trailFilled {
		if err := b.fillTrail(ctx); err != nil {
			return err
		}
	}
	keys, err := b.sealTrail(ctx)
	if err != nil {
		return err
	}
	for _, what := range []string{"csv", "xlsx", "jsonl", "csv?outcome=denied", "jsonl?outcome=denied", "jsonl?store=5"} {
		b.progress("taking the trail out as " + what)
		r, err := b.exportOnce(ctx, what, keys)
		if err != nil {
			return err
		}
		b.report.Exports = append(b.report.Exports, r)
	}
	return nil
}

// newKeys makes a key to seal with.
func newKeys() (private string, keys *trailfile.Keys, err error) {
	if private, _, err = trailfile.GenerateKey("bench.veinte.example/bitacora"); err == nil {
		keys, err = trailfile.ParseKeys(private)
	}
	return private, keys, err
}

// sealTrail seals the trail, and returns the key file.
func (b *bench) sealTrail(ctx context.Context) (string, error) {
	private, keys, err := newKeys()
	if err != nil {
		return "", err
	}
	file := filepath.Join(b.dir, "audit-key")
	if err := os.WriteFile(file, []byte(private+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("write key: %w", err)
	}
	db, err := b.open(ctx)
	if err != nil {
		return "", err
	}
	defer db.Close()
	b.progress("sealing the trail")
	begin := time.Now()
	n, err := sealing.New(sealing.Config{DB: db, Clock: models.ShiftedClock(0), Signers: keys.Signers()}).Seal(ctx)
	if err != nil {
		return "", fmt.Errorf("seal trail: %w", err)
	}
	b.progress(fmt.Sprintf("sealed %d entries in %.1f s", n, time.Since(begin).Seconds()))
	return file, nil
}

func (b *bench) exportOnce(ctx context.Context, format, keys string) (r ExportReport, err error) {
	r.Format = format
	p, _, err := b.serve(ctx, "AUDIT_KEY_FILE="+keys)
	if err != nil {
		return r, err
	}
	defer func() { _ = p.Stop() }()
	r.Before, _ = resident(p)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.Addr+"/audit."+format, nil)
	if err != nil {
		return r, err
	}
	req.AddCookie(&http.Cookie{Name: "veinte_session", Value: b.supervisor})
	begin := time.Now()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return r, fmt.Errorf("export %s: %w", format, err)
	}
	defer resp.Body.Close()
	r.FirstByte = ms(time.Since(begin))
	if r.Bytes, err = io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		return r, fmt.Errorf("export %s: status %d, %d bytes: %w", format, resp.StatusCode, r.Bytes, err)
	}
	r.Seconds = time.Since(begin).Seconds()
	_, r.Most = resident(p)
	r.Entries, err = b.lastExport(ctx)
	r.PerSecond = float64(r.Entries) / r.Seconds
	return r, err
}

// lastExport returns the number of entries of the last export.
func (b *bench) lastExport(ctx context.Context) (n int64, err error) {
	db, err := b.open(ctx)
	if err != nil {
		return 0, err
	}
	defer db.Close()
	err = db.Pool().QueryRow(ctx, `SELECT entries FROM audit_exports WHERE state = 'done' ORDER BY id DESC LIMIT 1`).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("find export: %w", err)
	}
	return n, nil
}

func exportText(w io.Writer, all []ExportReport) {
	for _, r := range all {
		fmt.Fprintf(w, "  %-44s %-34s %s\n", fmt.Sprintf("%d entries as %s (%d MB)", r.Entries, r.Format, r.Bytes/1e6),
			fmt.Sprintf("%.0f/s; %.0f to %.0f MiB", r.PerSecond, r.Before, r.Most), "whole: at least 50,000/s, constant memory")
	}
}
