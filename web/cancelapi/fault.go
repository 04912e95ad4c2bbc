package cancelapi

import (
	"context"
	"errors"
	"os"

	"veinte/models"
)

var (
	errTooLarge = errors.New("the answer is longer than 64 KB")
	errUnasked  = errors.New("the service spoke before it was asked")
)

// fault names what went wrong after bytes may have been sent and before a whole
// response had arrived. All of it means unknown. The wire's record takes precedence
// over the error of net/http. caller is the caller's context, limited is the same
// with our timeout.
func fault(caller, limited context.Context, seen record, err error) models.Detail {
	switch {
	case errors.Is(err, errTooLarge):
		return models.DetailTooLarge
	case errors.Is(seen.lost, os.ErrDeadlineExceeded):
		return models.DetailTimeout // while still writing
	case seen.lost != nil && seen.read == 0:
		return models.DetailConnectionLost
	case seen.lost != nil:
		return models.DetailTruncatedReply
	case errors.Is(caller.Err(), context.Canceled):
		return models.DetailInterrupted
	case limited.Err() != nil:
		return models.DetailTimeout
	case seen.read >= maxAnswer:
		return models.DetailTooLarge // a header without end
	default:
		return models.DetailNotJSON // a header or framing that is not HTTP
	}
}
