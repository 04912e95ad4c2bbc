package views

import (
	"github.com/a-h/templ"

	"veinte/models"
	"veinte/views/locale"
)

func addHelpPages(pages map[string]templ.Component) {
	for _, name := range locale.GuideNames {
		pages["help-"+name] = Help(sampleHelp(name))
	}
}

func sampleHelp(name string) *HelpView {
	return &HelpView{Page: samplePage(models.Role(name), "/help/"+name, "19:20:03"), Name: name}
}
