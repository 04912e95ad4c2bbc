// Package entrance handles the sign-in, the language, the first page of each role,
// the guides and onboarding.
package entrance

import (
	"context"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/operations"
	entranceview "veinte/views/entrance"
)

// Handlers handle the pages of this area.
type Handlers struct {
	*kit.Kit
	Accounts interface {
		Admit(ctx context.Context, from models.Actor, cookie string) (*accounts.Place, error)
		SignIn(ctx context.Context, from models.Actor, place *accounts.Place, a accounts.Attempt) (*accounts.SignedIn, error)
		Logout(ctx context.Context, actor models.Actor, token string) error
		SetLanguage(ctx context.Context, actor models.Actor, language string) error
		passwords
		second
		own
		providers
	}
	Operations interface {
		Onboarding(ctx context.Context, actor models.Actor) (*operations.Onboarding, error)
		SetOnboarding(ctx context.Context, actor models.Actor, shown bool) error
	}
	// Samples are the sign-ins that a demo shows.
	Samples []entranceview.SampleLogin
	// SSO is the provider of the single sign-on; nil: there is none.
	SSO *SSO
	// PracticeURL is the address of the practice installation, where no money moves;
	// "" when there is none.
	PracticeURL string
}
