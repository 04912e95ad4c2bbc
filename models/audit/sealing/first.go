package sealing

import (
	"context"
	"time"

	"veinte/models"
)

// sealTimeout is how long an export waits for the sealer. Entries that are not
// sealed by then are counted as unsealed.
const sealTimeout = 3 * time.Second

// SealFirst seals what was committed, so that an export is covered by a checkpoint
// as far as possible.
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

// ErrNothingSealed refuses a verifiable file while there is no checkpoint to verify
// it by.
var ErrNothingSealed = &models.Error{Kind: models.KindConflict, Code: "error.nothingSealed"}
