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

// unwritten says why no byte of a request left although there was a connection.
func unwritten(seen record) models.Detail {
	if seen.refused {
		return models.DetailTooLate
	}
	return models.DetailDialFailed
}

// fault names what went wrong after bytes may have left and before a whole
// answer was there. All of it means unknown. What the wire saw counts for more
// than the error that net/http made of it. caller is the context that came from
// outside, limited the same with our timeout.
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
