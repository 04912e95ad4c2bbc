package bench

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models/audit/trailfile"
	"veinte/web/lab"
)

// provedEntries is how many entries are proved.
const provedEntries = 500

// BenchmarkVerify exports a trail of a million sealed entries in each format (at least
// 50,000 entries of a whole trail a second, in constant memory), verifies it in the
// database and in a file (a million in less than 5 s), and proves some of it (p99 under
// 50 ms, with the check).
func BenchmarkVerify(b *testing.B) {
	s := setup(b)
	if err := s.fillSealed(b.Context(), *sealedEntries); err != nil {
		b.Fatal(err)
	}
	for _, format := range []string{"csv", "xlsx", "jsonl", "jsonl?store=5"} {
		s.run(b, "export-"+format, func(ctx context.Context, p *build) error {
			_, err := p.export(ctx, format)
			return err
		})
	}
	s.run(b, "database", func(ctx context.Context, p *build) error { return p.verify(ctx) })
	s.run(b, "file", func(ctx context.Context, p *build) error {
		file, err := p.export(ctx, "jsonl")
		if err != nil {
			return err
		}
		return p.verify(ctx, "--file", file)
	})
	s.run(b, "proof", func(ctx context.Context, p *build) error {
		return p.serving(ctx, func(server *lab.Process) error { return p.prove(ctx, server) }, s.withKey())
	})
}

// fillSealed writes entries and has them sealed.
func (s *bench) fillSealed(ctx context.Context, entries int) error {
	const step = 20_000
	for n := 0; n < entries; n += step {
		if _, err := s.db.Pool().Exec(ctx, wholeEntries, n+1, n+step, time.Now().Add(-5*time.Minute)); err != nil {
			return fmt.Errorf("write entries: %w", err)
		}
	}
	return s.build(s.builds[0]).serving(ctx, func(*lab.Process) error { return s.untilSealed(ctx) }, s.withKey())
}

func (p *build) verify(ctx context.Context, args ...string) error {
	begin := time.Now()
	_, _, err := p.command(ctx, append([]string{"audit", "verify", "--key", p.keys.Public()[0]}, args...)...)
	p.record("s", time.Since(begin).Seconds())
	return err
}

// export takes the trail out in one format, from a newly started server, and returns
// the file.
func (p *build) export(ctx context.Context, format string) (file string, err error) {
	file = filepath.Join(p.dir, "export."+format)
	return file, p.serving(ctx, func(server *lab.Process) error {
		took, err := p.download(ctx, server, "/audit."+format, file)
		if err != nil {
			return fmt.Errorf("export %s: %w", format, err)
		}
		var entries int64
		err = p.db.Pool().QueryRow(ctx, `SELECT entries FROM audit_exports WHERE state = 'done' ORDER BY id DESC LIMIT 1`).Scan(&entries)
		if err != nil {
			return fmt.Errorf("find export: %w", err)
		}
		_, most := resident(server)
		p.record("entries/s", float64(entries)/took.Seconds())
		p.record("peak-MiB", most)
		return nil
	}, p.withKey())
}

func (p *build) download(ctx context.Context, server *lab.Process, path, into string) (time.Duration, error) {
	file, err := os.Create(into)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	begin := time.Now()
	resp, err := (&user{"http://" + server.Addr, p.supervisor}).send(ctx, http.MethodGet, path, "", nil)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	_, err = io.Copy(file, resp.Body)
	return time.Since(begin), err
}

// prove fetches the proofs of a sample of entries, and checks each.
func (p *build) prove(ctx context.Context, server *lab.Process) error {
	supervisor := &user{"http://" + server.Addr, p.supervisor}
	rows, err := p.db.Pool().Query(ctx, `SELECT entry_id FROM sealed_entries ORDER BY random() LIMIT $1`, provedEntries)
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
		if _, v := trailfile.VerifyProof(bytes.NewReader(proof), trailfile.Check{Keys: p.keys.Verifiers()}); v.State != trailfile.Intact {
			return fmt.Errorf("the proof of entry %d: %v", id, v.Findings)
		}
		took = append(took, time.Since(begin))
	}
	p.recordTimes("", took)
	return nil
}
