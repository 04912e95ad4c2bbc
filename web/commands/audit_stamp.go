package commands

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"veinte/models"
	"veinte/models/audit/attest"
	"veinte/models/wiring"
)

type auditStampCommand struct {
	trailURL `embed:""`
	Wait     time.Duration `default:"0s" help:"Wait so long, such as 2m, until all have signed; exit 2 when one has not by then."`
}

// stampPause is how often it is looked whether all have signed.
const stampPause = time.Second

// Run asks for signatures. That somebody asked is in the trail.
func (c *auditStampCommand) Run(ctx context.Context) error {
	return c.with(ctx, func(services *wiring.Services, actor models.Actor) error {
		asked := time.Now()
		if err := services.Attest.Want(ctx, actor); err != nil {
			if errors.Is(err, attest.ErrNobodyAsked) {
				return errors.New("nobody is asked to sign: the process that seals has neither AUDIT_TSA nor AUDIT_WITNESSES")
			}
			return err
		}
		all, left, err := c.wait(ctx, services.Attest, asked)
		if err != nil {
			return err
		}
		for i := range all {
			printAttester(&all[i])
		}
		if left > 0 && c.Wait > 0 {
			return ExitError{exitUndecided, fmt.Errorf("%d of %d have not signed", left, len(all))}
		}
		return nil
	})
}

// wait waits until all have signed since asked, and says how many have not.
func (c *auditStampCommand) wait(ctx context.Context, s *attest.Service, asked time.Time) (all []attest.Attester, left int, err error) {
	for until := asked.Add(c.Wait); ; {
		if all, err = s.Status(ctx); err != nil {
			return nil, 0, err
		}
		left = 0
		for i := range all {
			if all[i].ReceivedAt == nil || all[i].ReceivedAt.Before(asked) {
				left++
			}
		}
		if left == 0 || time.Now().After(until) {
			return all, left, nil
		}
		select {
		case <-ctx.Done():
			return nil, 0, ctx.Err()
		case <-time.After(stampPause):
		}
	}
}

func printAttester(a *attest.Attester) {
	last := "never signed"
	if a.SignedAt != nil {
		last = fmt.Sprintf("signed %d entries at %s", a.Size, a.SignedAt.UTC().Format(time.RFC3339))
	}
	if a.Trouble != "" {
		last += fmt.Sprintf("; %s since %s: %s", a.Trouble, a.TroubleSince.UTC().Format(time.RFC3339), a.Detail)
	}
	fmt.Printf("%s %s: %s\n", a.Kind, a.Name, last)
}

type auditCheckpointsCommand struct {
	trailURL `embed:""`
}

// Run prints the checkpoints, the oldest first.
func (c *auditCheckpointsCommand) Run(ctx context.Context) error {
	return c.with(ctx, func(services *wiring.Services, _ models.Actor) error {
		out := bufio.NewWriter(os.Stdout)
		err := attest.Each(ctx, services.DB, func(n attest.Note) error {
			_, err := fmt.Fprintf(out, "%s\n", n.Text)
			return err
		})
		if err != nil {
			return err
		}
		return out.Flush()
	})
}
