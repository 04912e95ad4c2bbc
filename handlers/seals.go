package handlers

import (
	"context"
	"log/slog"
	"time"

	"veinte/models"
	"veinte/models/audit/sealing"
	"veinte/models/database"
	"veinte/views/seal"
)

// seals provides the checkpoints for papers. A paper is drawn without one rather than late,
// or not at all.
type seals struct {
	sealing *sealing.Service
	log     *slog.Logger
}

// sealTime is how long a paper waits for its checkpoint, which takes milliseconds to find. A
// customer waits for the notice at the counter, and all that it says is true without a seal.
const sealTime = time.Second

// now is the last checkpoint.
func (s seals) now(ctx context.Context) *seal.View { return s.find(ctx, s.sealing.LatestCheckpoint) }

// ofClosing is the first checkpoint that covers the entry of the closing report made at that
// instant.
func (s seals) ofClosing(ctx context.Context, at time.Time) *seal.View {
	return s.find(ctx, func(ctx context.Context) (*sealing.Checkpoint, error) {
		return s.sealing.CheckpointOver(ctx, models.ActionDayClosed, at)
	})
}

func (s seals) find(ctx context.Context, checkpoint func(context.Context) (*sealing.Checkpoint, error)) *seal.View {
	// Alone: a batch of a page's reads knows no deadline of one of them.
	asking, cancel := context.WithTimeout(database.Alone(ctx), sealTime)
	defer cancel()
	c, err := checkpoint(asking)
	if err != nil && ctx.Err() == nil {
		s.log.WarnContext(ctx, "a paper has no seal", "error", err)
	}
	if err != nil || c == nil {
		return nil
	}
	return &seal.View{Size: c.Size, Root: c.Root.String(), SealedAt: c.SealedAt, Note: c.Short()}
}
