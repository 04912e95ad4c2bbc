package samples

import (
	"github.com/a-h/templ"

	"veinte/models"
	entranceview "veinte/views/entrance"
	"veinte/views/ui"
)

func (s Shop) addHelpPages(pages map[string]templ.Component) {
	for _, name := range ui.Guides() {
		pages["help-"+name] = entranceview.Help(s.Help(name))
	}
}

func (s Shop) Help(name string) *entranceview.HelpView {
	return &entranceview.HelpView{Page: s.Page(models.Role(name), "/help/"+name, "19:20:03"), Name: name}
}
