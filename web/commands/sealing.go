package commands

import (
	"context"
	"errors"
	"fmt"

	"veinte/models"
	"veinte/models/wiring"
)

// Sealing groups the commands for an operator after sealing was stopped.
type Sealing struct {
	Resume sealingResumeCommand `cmd:"" help:"Have the trail sealed on although it contradicts a checkpoint, where there is no directory to move away."`
}

type sealingResumeCommand struct {
	appURL `embed:""`
	Reason string `required:"" help:"What was found out. It is in the trail."`
}

func (r *sealingResumeCommand) Run(ctx context.Context) error {
	return r.with(ctx, func(services *wiring.Services, actor models.Actor) error {
		err := services.Sealing.ResumeSealing(ctx, actor, r.Reason)
		if errors.Is(err, models.ErrNotFound) {
			return errors.New("sealing is not stopped")
		}
		if err != nil {
			return err
		}
		fmt.Println("the trail is sealed on")
		return nil
	})
}
