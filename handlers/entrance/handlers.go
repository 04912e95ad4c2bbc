// Package entrance answers the pages around the work: the sign-in, the language,
// the first page of each role, guides and first steps.
package entrance

import (
	"veinte/handlers/kit"
	"veinte/models/accounts"
	"veinte/models/operations"
	entranceview "veinte/views/entrance"
)

// Handlers answer the pages of this area.
type Handlers struct {
	*kit.Kit
	Accounts   *accounts.Service
	Operations *operations.Service
	// Samples are the sign-ins that a demo shows.
	Samples []entranceview.SampleLogin
	// PracticeURL is the twin of this server where one practises without money;
	// "" when there is none.
	PracticeURL string
}
