package sealing

import (
	"context"
	"fmt"
	"strings"
	"time"

	"veinte/models/database"
)

// guardsSQL names what keeps the database from refusing changes of the trail: triggers
// that are off, or do not fire for a session that calls itself a replica; tables of the
// trail that have none; the one for the time of entries; and roles and databases whose sessions call themselves that.
const guardsSQL = `
	SELECT format('%s: %s', t.tgrelid::regclass, t.tgname) AS name FROM pg_trigger t
		JOIN pg_class c ON c.oid = t.tgrelid AND c.relnamespace IN (current_schema()::regnamespace, 'trail'::regnamespace)
		WHERE NOT t.tgisinternal AND (t.tgenabled = 'D' OR t.tgfoid = 'refuse_change'::regproc AND t.tgenabled <> 'A')
	UNION ALL
	SELECT format('%s: %s', c.oid::regclass, '-') FROM pg_class c
		WHERE (c.oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = 'audit_entries'::regclass)
			OR c.oid IN ('audit_entries'::regclass, 'sealed_entries'::regclass, 'sealed_nodes'::regclass,
				'checkpoints'::regclass, 'checkpoint_beats'::regclass, 'checkpoint_signatures'::regclass,
				'sealing_stops'::regclass))
		AND NOT EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgfoid = 'refuse_change'::regproc)
	UNION ALL
	SELECT 'audit_entries: refuse_other_time' WHERE NOT EXISTS (SELECT FROM pg_trigger
		WHERE tgrelid = 'audit_entries'::regclass AND tgfoid = 'refuse_other_time'::regproc AND tgenabled = 'A')
	UNION ALL
	SELECT format('session_replication_role: %s', coalesce(nullif(s.setrole, 0)::regrole::text, current_database()))
		FROM pg_db_role_setting s, unnest(s.setconfig) x
		WHERE s.setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
			AND x LIKE 'session_replication_role=%' AND x <> 'session_replication_role=origin'
	UNION ALL
	SELECT 'session_replication_role' WHERE current_setting('session_replication_role') <> 'origin'
	ORDER BY name LIMIT 20`

// guardsEvery is how often it is asked, at most.
const guardsEvery = time.Minute

// guards is what was found, and when.
type guards struct {
	off []string
	at  time.Time
}

// Unguarded names what of the database's own guards over the trail is off; nothing where
// all are on. It is asked anew once a minute.
func (s *Service) Unguarded(ctx context.Context) ([]string, error) {
	if known := s.guarded.Load(); known != nil && time.Since(known.at) < guardsEvery {
		return known.off, nil
	}
	rows, err := database.Rows[struct{ Name string }](ctx, s.db, guardsSQL)
	if err != nil {
		return nil, fmt.Errorf("ask for the guards of the trail: %w", err)
	}
	now := &guards{at: time.Now()}
	for _, row := range rows {
		now.off = append(now.off, row.Name)
	}
	before := s.guarded.Swap(now)
	if len(now.off) > 0 && (before == nil || strings.Join(before.off, "") != strings.Join(now.off, "")) {
		s.log.Error("the database does not refuse changes of the trail as it should", "off", now.off)
	}
	return now.off, nil
}
