package attest

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/audit/sealing"
	"veinte/models/audit/witness"
	"veinte/models/database"
	"veinte/models/goroutine"
)

// Service knows who signs checkpoints beside our own keys. Every process has one; that
// which seals asks.
type Service struct {
	db    *database.DB
	clock models.Clock
	seals *sealing.Service
	asked []Asked
	http  *http.Client
	log   *slog.Logger
}

// Config has what a service needs. Asked is empty where a process does not seal.
type Config struct {
	DB     *database.DB
	Clock  models.Clock
	Seals  *sealing.Service
	Asked  []Asked
	HTTP   *http.Client // nil: one of its own
	Logger *slog.Logger // nil: nothing is logged
}

// Adder is a witness as it is asked.
type Adder interface {
	Add(ctx context.Context, oldSize int64, proof []tlog.Hash, note string) (lines []string, err error)
}

var _ Adder = witness.Client{}

// New makes a service. It asks nobody until Run or Ask is called.
func New(c Config) *Service {
	s := &Service{db: c.DB, clock: c.Clock, seals: c.Seals, asked: c.Asked, http: c.HTTP, log: c.Logger}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.http == nil {
		s.http = &http.Client{Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout: askTimeout, MaxIdleConns: 2 * maxAsked, IdleConnTimeout: time.Minute,
		}}
	}
	return s
}

// askTimeout is how long an answer may take, all of it; and leaseTime for how long whoever
// was asked by one process is left alone by the others.
const (
	askTimeout = 30 * time.Second
	leaseTime  = 2 * time.Minute
)

// roundEvery is how often it is looked whether somebody is to be asked.
const roundEvery = 5 * time.Second

// Run asks until ctx ends.
func (s *Service) Run(ctx context.Context) {
	if !s.seals.Sealing() {
		if len(s.asked) > 0 {
			s.log.Warn("AUDIT_TSA and AUDIT_WITNESSES are settings of the process that seals: this one asks nobody")
		}
		return
	}
	begun := false
	tick := time.NewTicker(roundEvery)
	defer tick.Stop()
	for logged := ""; ; {
		var err error
		if !begun {
			err = s.Begin(ctx)
			begun = err == nil
		}
		if begun && len(s.asked) > 0 {
			err = s.Ask(ctx)
		}
		if err != nil && ctx.Err() == nil && err.Error() != logged {
			logged = err.Error()
			s.log.Warn("checkpoints are not signed by others for the moment", "error", err)
		} else if err == nil {
			logged = ""
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// actor is the actor of the service's entries.
func actor() models.Actor { return models.System("sealer", "") }

// Begin stores who is asked, as the settings say, and records a change of that in the trail.
func (s *Service) Begin(ctx context.Context) error {
	return s.db.InTx(ctx, func(t database.Tx) error {
		if err := t.Lock(database.LockAttesters); err != nil {
			return err
		}
		before, err := database.TxRows[struct{ Kind, Name, Address, Key string }](ctx, t,
			`SELECT kind, name, address, key FROM attesters ORDER BY kind DESC, position`)
		if err != nil {
			return fmt.Errorf("read who is asked to sign: %w", err)
		}
		was, is := make([]string, len(before)), make([]string, len(s.asked))
		for i, b := range before {
			was[i] = said(Kind(b.Kind), b.Name, b.Address, b.Key)
		}
		for i, a := range s.asked {
			is[i] = said(a.Kind, a.Name, a.Address(), a.Key)
		}
		if same(was, is) {
			return nil
		}
		now := s.clock.Now()
		if err := s.store(ctx, t, now); err != nil {
			return err
		}
		return audit.Record(t, actor(), now, models.ActionAttestersChanged, models.OutcomeSuccess,
			audit.About{Before: map[string]any{"attesters": was}, After: map[string]any{"attesters": is}})
	})
}

// said is an attester as the trail has it.
func said(kind Kind, name, address, key string) string {
	if key != "" {
		name = key
	}
	return string(kind) + " " + name + " " + address
}

func same(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	seen := map[string]bool{}
	for _, x := range a {
		seen[x] = true
	}
	for _, x := range b {
		if !seen[x] {
			return false
		}
	}
	return true
}

// store replaces who is asked. What one has signed stays with it, unless it has another key.
func (s *Service) store(ctx context.Context, t database.Tx, now time.Time) error {
	var keep []string
	for i, a := range s.asked {
		keep = append(keep, string(a.Kind)+" "+a.Name)
		_, err := t.SQL.ExecContext(ctx, `INSERT INTO attesters (kind, name, position, address, key, since, next_at)
			VALUES ($1, $2, $3, $4, $5, $6, $6)
			ON CONFLICT (kind, name) DO UPDATE SET position = excluded.position, address = excluded.address, key = excluded.key,
				next_at = excluded.next_at, tries = 0, trouble = '', detail = '', trouble_since = NULL,
				signed_origin = CASE WHEN attesters.key = excluded.key THEN attesters.signed_origin ELSE '' END,
				seen_size = CASE WHEN attesters.key = excluded.key THEN attesters.seen_size ELSE 0 END`,
			a.Kind, a.Name, i, a.Address(), a.Key, now)
		if err != nil {
			return fmt.Errorf("store who is asked to sign: %w", err)
		}
	}
	_, err := t.SQL.ExecContext(ctx, `DELETE FROM attesters WHERE kind || ' ' || name <> ALL (coalesce($1::text[], '{}'))`, keep)
	if err != nil {
		return fmt.Errorf("forget who is not asked any more: %w", err)
	}
	return nil
}

// Ask asks everybody who is due, each by itself, and returns when all have answered or their
// time is over. An error is one of the database.
func (s *Service) Ask(ctx context.Context) error {
	latest, err := s.seals.LatestCheckpoint(ctx)
	if err != nil || latest == nil {
		return err
	}
	due, err := s.due(ctx, latest)
	if err != nil {
		return err
	}
	var wait sync.WaitGroup
	for _, d := range due {
		wait.Go(func() {
			defer goroutine.Recover(s.log, "having a checkpoint signed")
			if err := s.askOne(ctx, d, latest); err != nil && ctx.Err() == nil {
				s.log.Warn("what came of having a checkpoint signed is not stored", "from", d.asked.Name, "error", err)
			}
		})
	}
	wait.Wait()
	return nil
}
