package entrance

import (
	"context"

	"veinte/models"
	"veinte/static"
	"veinte/views/locale"
	"veinte/views/ui"
)

// HelpView is a guide, as its reader sees it.
type HelpView struct {
	ui.Page
	Name string // of the guide: the role that it is for
	// PracticeURL is where one practises without money; "" when nowhere.
	PracticeURL string
}

// HelpPath is the guide that a person reads first: their own role's.
func HelpPath(actor models.Actor) string { return "/help/" + actor.Role.Row().Guide }

// mayShowFirst reports whether the user dismissed the first steps. Their own guide
// then offers to show them again.
func (v *HelpView) mayShowFirst() bool {
	return v.Name == v.Actor.Role.Row().Guide && !v.Actor.ShowOnboarding
}

func (v *HelpView) guide(ctx context.Context) *locale.Guide {
	return locale.GuideIn(locale.Of(ctx), v.Name)
}

// picture is the picture that a guide names. A test finds those that are missing.
func picture(ctx context.Context, name string) static.Picture {
	p, _ := static.PictureOf(locale.Of(ctx), name)
	return p
}
