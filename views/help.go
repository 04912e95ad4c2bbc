package views

import (
	"context"
	"slices"

	"veinte/models"
	"veinte/static"
	"veinte/views/locale"
)

// HelpView is a guide, as its reader sees it.
type HelpView struct {
	Page
	Name string // of the guide: the role that it is for
	// PracticeURL is where one practises without money; "" when nowhere.
	PracticeURL string
}

// HelpPath is the guide that a person reads first: their own role's.
func HelpPath(actor models.Actor) string { return "/help/" + ownGuide(actor) }

// HasGuide reports whether there is a guide of the name.
func HasGuide(name string) bool { return slices.Contains(locale.GuideNames, name) }

func ownGuide(actor models.Actor) string {
	if HasGuide(string(actor.Role)) {
		return string(actor.Role)
	}
	return locale.GuideNames[0]
}

// helpAbout leads to where a guide speaks of something: the reader's own guide
// if it does, else the first that does.
func helpAbout(p Page, topic string) string {
	own := ownGuide(p.Actor)
	for _, name := range append([]string{own}, locale.GuideNames...) {
		for _, s := range locale.GuideIn(locale.Languages[0], name).Sections {
			if s.ID == topic {
				return "/help/" + name + "#" + anchor(topic)
			}
		}
	}
	return "/help"
}

// anchor is where a section is. The scripts know the parts of pages by their ids,
// some of which are called like a section.
func anchor(section string) string { return "about-" + section }

// mayShowFirst reports whether the reader put away the first steps, in whose place
// their own guide stands.
func (v *HelpView) mayShowFirst() bool {
	return v.Name == ownGuide(v.Actor) && !v.Actor.FirstSteps
}

func (v *HelpView) guide(ctx context.Context) *locale.Guide {
	return locale.GuideIn(locale.Of(ctx), v.Name)
}

// picture is the picture that a guide names. A test finds those that are missing.
func picture(ctx context.Context, name string) static.Picture {
	p, _ := static.PictureOf(locale.Of(ctx), name)
	return p
}
