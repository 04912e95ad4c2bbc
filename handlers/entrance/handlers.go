// Package entrance handles the sign-in, the language, the first page of each role,
// the guides and onboarding.
package entrance

import (
	"context"

	"veinte/handlers/kit"
	"veinte/handlers/pace"
	"veinte/models"
	"veinte/models/entrance"
	"veinte/models/operations"
	entranceview "veinte/views/entrance"
)

// NewPages is the limit of Handlers.Pages.
func NewPages() *pace.Limiter[struct{}] { return pace.New[struct{}]() }

// Handlers handle the pages of this area.
type Handlers struct {
	*kit.Kit
	Accounts interface {
		DismissNotice(ctx context.Context, actor models.Actor, id int64) error
		SetLanguage(ctx context.Context, actor models.Actor, language string) error
		passwords
	}
	Entrance interface {
		Admit(ctx context.Context, from models.Actor, cookie string) (*entrance.Place, error)
		SignIn(ctx context.Context, from models.Actor, place *entrance.Place, a entrance.Attempt) (*entrance.SignedIn, error)
		Logout(ctx context.Context, actor models.Actor, token string) (byProvider bool, err error)
		second
		own
		providers
		keys
		factors
	}
	Counters   counterRoom
	Operations interface {
		Onboarding(ctx context.Context, actor models.Actor) (*operations.Onboarding, error)
		SetOnboarding(ctx context.Context, actor models.Actor, shown bool) error
	}
	// Pages limits with how many whole pages a crowd that signs in is refused.
	Pages *pace.Limiter[struct{}]
	// Samples are the sign-ins that a demo shows.
	Samples []entranceview.SampleLogin
	// SSO is the provider of the single sign-on; nil: there is none.
	SSO *SSO
	// PracticeURL is the address of the practice installation, where no money moves;
	// "" when there is none.
	PracticeURL string
}
