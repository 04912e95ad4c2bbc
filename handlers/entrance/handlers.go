// Package entrance handles the sign-in, the language, the first page of each role,
// the guides and onboarding.
package entrance

import (
	"veinte/handlers/kit"
	"veinte/models/accounts"
	"veinte/models/operations"
	entranceview "veinte/views/entrance"
)

// Handlers handle the pages of this area.
type Handlers struct {
	*kit.Kit
	Accounts   *accounts.Service
	Operations *operations.Service
	// Samples are the sign-ins that a demo shows.
	Samples []entranceview.SampleLogin
	// PracticeURL is the address of the practice installation, where no money moves;
	// "" when there is none.
	PracticeURL string
}
