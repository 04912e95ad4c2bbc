package ui

import (
	"slices"

	"veinte/models"
	"veinte/views/locale"
)

// HasGuide reports whether there is a guide of the name.
func HasGuide(name string) bool { return slices.Contains(locale.GuideNames, name) }

func OwnGuide(actor models.Actor) string {
	if HasGuide(string(actor.Role)) {
		return string(actor.Role)
	}
	return locale.GuideNames[0]
}

// HelpAbout leads to where a guide speaks of something: the reader's own guide
// if it does, else the first that does.
func HelpAbout(p Page, topic string) string {
	own := OwnGuide(p.Actor)
	for _, name := range append([]string{own}, locale.GuideNames...) {
		for _, s := range locale.GuideIn(locale.Languages[0], name).Sections {
			if s.ID == topic {
				return "/help/" + name + "#" + Anchor(topic)
			}
		}
	}
	return "/help"
}

// Anchor is where a section is. The scripts know the parts of pages by their ids,
// some of which are called like a section.
func Anchor(section string) string { return "about-" + section }
