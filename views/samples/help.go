package samples

import (
	"github.com/a-h/templ"

	"veinte/models"
	entranceview "veinte/views/entrance"
	"veinte/views/ui"
)

func addHelpPages(pages map[string]templ.Component) {
	for _, name := range ui.Guides() {
		pages["help-"+name] = entranceview.Help(SampleHelp(name))
	}
}

func SampleHelp(name string) *entranceview.HelpView {
	return &entranceview.HelpView{Page: samplePage(models.Role(name), "/help/"+name, "19:20:03"), Name: name}
}
