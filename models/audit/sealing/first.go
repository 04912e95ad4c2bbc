package sealing

import (
	"context"
	"time"

	"veinte/models"
)

// sealTimeout is how long an export waits for the sealer. What is not sealed by
// then is told as such.
const sealTimeout = 3 * time.Second

// SealFirst has what was committed sealed, so that what leaves stands under a
// checkpoint as far as it can.
func (s *Service) SealFirst(ctx context.Context) {
	if s == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, sealTimeout)
	defer cancel()
	if _, err := s.Seal(ctx); err != nil {
		s.log.WarnContext(ctx, "an export leaves before the last entries are sealed", "error", err)
	}
}

// ErrNothingSealed refuses a file that could be verified where there is nothing
// to verify it by.
var ErrNothingSealed = &models.Error{Kind: models.KindConflict, Code: "error.nothingSealed"}
