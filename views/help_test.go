package views

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"veinte/models"
	"veinte/static"
	entranceview "veinte/views/entrance"
	"veinte/views/locale"
	"veinte/views/ui"
)

// Each role's row names a guide that there is in each language.
func TestEachRoleHasItsGuide(t *testing.T) {
	t.Parallel()
	for _, role := range models.Roles {
		for _, lang := range locale.Languages {
			if name := role.Row().Guide; locale.GuideIn(lang, name) == nil {
				t.Errorf("the guide of role %s in %s: there is no %s.md", role, lang, name)
			}
		}
	}
}

// Every picture that a guide names is there, in the guide's language, with words
// for who does not see it; and no picture is of no guide.
func TestGuidesHaveTheirPictures(t *testing.T) {
	t.Parallel()
	named := map[string]bool{}
	for _, lang := range locale.Languages {
		for _, name := range ui.Guides() {
			for _, s := range locale.GuideIn(lang, name).Sections {
				for _, b := range s.Blocks {
					if b.Picture == "" {
						continue
					}
					named[lang+"/"+b.Picture] = true
					if pic, ok := static.PictureOf(lang, b.Picture); !ok || pic.Width < 200 || pic.Height < 40 {
						t.Errorf("%s/%s#%s: picture %s = %+v, %t: make help-pictures", lang, name, s.ID, b.Picture, pic, ok)
					}
					if len(strings.Fields(b.Alt)) < 4 {
						t.Errorf("%s/%s#%s: picture %s is described as %q", lang, name, s.ID, b.Picture, b.Alt)
					}
				}
			}
		}
	}
	for _, name := range static.Pictures() {
		if !named[name] {
			t.Errorf("no guide shows static/help/%s.webp", name)
		}
	}
}

// Help beside a heading leads to a section that there is: of the reader's own
// guide, when it speaks of it.
func TestHelpLeadsToWhereItIsSaid(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`class="help" href="(/help/(\w+)#([\w-]+))?`)
	found := 0
	for name, p := range samplePages(t) {
		for _, m := range link.FindAllStringSubmatch(draw(t, "en", p), -1) {
			found++
			if m[1] == "" || !strings.Contains(draw(t, "en", entranceview.Help(shop.Help(m[2]))), `id="`+m[3]+`"`) {
				t.Errorf("%s: help leads to %q, where nothing is said of it", name, m[1])
			}
		}
	}
	if found < 30 {
		t.Errorf("help on the sample pages = %d, want it on every main page", found)
	}
	for role, want := range map[models.Role]string{
		models.Manager: "/help/manager#about-states", models.Supervisor: "/help/manager#about-states",
	} {
		if got := ui.HelpAbout(ui.Page{Actor: models.Actor{Role: role}}, "states"); got != want {
			t.Errorf("help about states for %s = %s, want %s", role, got, want)
		}
	}
	if got, want := ui.HelpAbout(ui.Page{Actor: models.Actor{Role: models.Auditor}}, "trail"), "/help/auditor#about-trail"; got != want {
		t.Errorf("help about the trail for an auditor = %s, want their own guide's %s", got, want)
	}
}

// Guides lead only to sections and pages that there are.
func TestGuidesLeadSomewhere(t *testing.T) {
	t.Parallel()
	to := regexp.MustCompile(`href="/help/(\w+)(?:#([\w-]+))?"`)
	for _, name := range ui.Guides() {
		for _, m := range to.FindAllStringSubmatch(draw(t, "es-MX", entranceview.Help(shop.Help(name))), -1) {
			guide, section := m[1], m[2]
			there := slices.Contains(ui.Guides(), guide)
			if there && section != "" {
				there = strings.Contains(draw(t, "es-MX", entranceview.Help(shop.Help(guide))), `id="`+section+`"`)
			}
			if !there {
				t.Errorf("the guide %s leads to %s", name, m[0])
			}
		}
	}
}

// Nobody who is not signed in is offered what they cannot open.
func TestHelpIsForWhoIsSignedIn(t *testing.T) {
	t.Parallel()
	got := draw(t, "en", ui.Help(ui.Page{}, "states", "Canceled"))
	if got != "" {
		t.Errorf("help for nobody = %q, want none", got)
	}
}

func TestAGuideLeadsToThePractice(t *testing.T) {
	t.Parallel()
	v, link := shop.Help("manager"), `href="https://practica.tiendas.example"`
	if strings.Contains(draw(t, "en", entranceview.Help(v)), `data-testid="practise"`) {
		t.Error("a guide leads to a practice that there is not")
	}
	v.PracticeURL = "https://practica.tiendas.example"
	if !strings.Contains(draw(t, "en", entranceview.Help(v)), link) {
		t.Errorf("the guide lacks %s", link)
	}
}
