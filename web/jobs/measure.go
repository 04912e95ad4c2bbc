package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"veinte/models/database"
)

// measure tells how a job ended, and how long it took.
func (w Work) measure(ctx context.Context, job *rivertype.JobRow, do func(context.Context) error) error {
	kind, outcome := job.Kind, "done"
	if kind == (taskArgs{}).Kind() {
		var a taskArgs
		if json.Unmarshal(job.EncodedArgs, &a) == nil && a.Task != "" {
			kind = string(a.Task)
		}
	}
	begun := time.Now()
	end := func(string) {}
	if w.Begin != nil {
		ctx, end = w.Begin(ctx, kind)
	}
	err := do(ctx)
	var later *river.JobSnoozeError
	switch {
	case errors.As(err, &later):
		outcome = "later"
	case err != nil:
		outcome = "failed"
	}
	end(outcome)
	if w.Seen != nil {
		w.Seen(kind, outcome, time.Since(begun))
	}
	return err
}

// Leads reports whether this process is the one that River has chosen among all, for what
// only one should do.
func (w *Workers) Leads(ctx context.Context, db *database.DB) bool {
	leads, err := database.Row[struct{ Leads bool }](ctx, db, `SELECT EXISTS (SELECT FROM river_leader
		WHERE leader_id = $1 AND expires_at > now()) AS leads`, w.client.ID())
	return err == nil && leads.Leads
}
