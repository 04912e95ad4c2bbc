package api

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"veinte/handlers/api/shapes"
	"veinte/models"
	"veinte/models/audit/sealing"
)

// checkpoint handles GET /api/v1/audit/checkpoint. It contains only numbers and
// hashes, so a key of one store may read it too.
func (a *API) checkpoint(ctx context.Context, _ *struct{}) (*output, error) {
	latest, err := a.latest(ctx)
	if err != nil {
		return nil, err
	}
	return &output{http.StatusOK, &shapes.Checkpoint{
		Size: latest.Size, Root: latest.Root.String(), SealedAt: latest.SealedAt.UTC(), Note: latest.Note,
	}}, nil
}

// latest is the last checkpoint, or the refusal where there is none.
func (a *API) latest(ctx context.Context) (*sealing.Checkpoint, error) {
	latest, err := a.Sealing.LatestCheckpoint(ctx)
	if err == nil && latest == nil {
		err = sealing.ErrNothingSealed
	}
	return latest, err
}

// consistencyInput are the parameters of GET /api/v1/audit/consistency.
type consistencyInput struct {
	From string `query:"from" doc:"api.doc.query.consistencyFrom" required:"true" pattern:"^[0-9]{1,18}$" example:"12000"`
	To   string `query:"to" doc:"api.doc.query.consistencyTo" pattern:"^[0-9]{1,18}$" example:"12345"`
}

// consistency handles GET /api/v1/audit/consistency: it proves that a smaller trail
// is the beginning of a larger one.
func (a *API) consistency(ctx context.Context, in *consistencyInput) (*output, error) {
	c := callOf(ctx)
	latest, err := a.latest(ctx)
	if err != nil {
		return nil, err
	}
	var wrong []shapes.FieldError
	number := func(name, text string) int64 {
		n, err := strconv.ParseInt(text, 10, 64)
		code := ""
		switch {
		case err != nil || n < 1 || text[0] == '+':
			code = "api.consistency.number"
		case n > latest.Size:
			code = "api.consistency.beyond"
		}
		if code != "" {
			wrong = append(wrong, a.fieldError(c.Ctx, models.Invalid(name, code), "query", echoed(text)))
		}
		return n
	}
	to := latest.Size
	if in.To != "" {
		to = number("to", in.To)
	}
	from := number("from", in.From)
	if len(wrong) == 0 && from > to {
		wrong = append(wrong, a.fieldError(c.Ctx, models.Invalid("from", "api.consistency.order"), "query", echoed(in.From)))
	}
	if len(wrong) > 0 {
		return nil, a.invalid(c.Ctx, wrong...)
	}
	proof, err := a.Sealing.ProveConsistency(ctx, from, to)
	if err != nil {
		return nil, err
	}
	answer := &shapes.Consistency{From: from, To: to, Proof: make([]string, len(proof))}
	for i, hash := range proof {
		answer.Proof[i] = hash.String()
	}
	return &output{http.StatusOK, answer}, nil
}

// proofInput are the parameters of GET /api/v1/audit/entries/{id}/proof.
type proofInput struct {
	ID   string `path:"id" doc:"api.doc.path.entry" pattern:"^[0-9]{1,18}$" example:"73122"`
	From string `query:"from" doc:"api.doc.query.consistencyFrom" pattern:"^[0-9]{1,18}$" example:"12000"`
}

// proveEntry handles GET /api/v1/audit/entries/{id}/proof, within the stores of
// the key.
func (a *API) proveEntry(ctx context.Context, in *proofInput) (*output, error) {
	c := callOf(ctx)
	id, err := strconv.ParseInt(in.ID, 10, 64)
	if err != nil || id <= 0 {
		return nil, models.ErrNotFound
	}
	var kept []int64
	if in.From != "" {
		from, _ := strconv.ParseInt(in.From, 10, 64) // what is no number is refused as 0 is
		kept = append(kept, from)
	}
	proof, hidden, err := a.ProofFor(ctx, c.actor, id, kept...)
	if hidden {
		err = c.denied(models.ErrNotFound)
	}
	if err != nil {
		return nil, a.inQuery(c, err, in.From)
	}
	file, err := proof.File()
	if err != nil {
		return nil, fmt.Errorf("write proof: %w", err)
	}
	c.Set("Content-Type", "application/json")
	return &output{http.StatusOK, file}, nil
}
