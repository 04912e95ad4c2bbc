package ui

import (
	"slices"

	"veinte/models"
	"veinte/views/locale"
)

// Guides are the guides that there are, in the order of the offer.
func Guides() (names []string) {
	for _, r := range models.Roles {
		if name := r.Row().Guide; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// HelpAbout leads to where a guide speaks of something: the reader's own guide
// if it does, else the first that does.
func HelpAbout(p Page, topic string) string {
	for _, name := range append([]string{p.Actor.Role.Row().Guide}, Guides()...) {
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
