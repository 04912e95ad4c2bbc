package views

import (
	"context"
	"net/url"

	"veinte/models"
	"veinte/views/locale"
)

// AuditViewsView lists the filters of the trail that are kept under a name.
type AuditViewsView struct {
	Page
	Views   []models.AuditView
	Filters *AuditView // whose words name what a view filters
	Seals
}

// AuditViewForm is the form of a view: a new one's, or one that is there.
type AuditViewForm struct {
	Page
	ID      int64 // 0 for a new one
	Version int
	Name    string
	Shared  bool
	Query   string // the filter of a new one, as an address has it
	Filters *AuditView
	Errors  Errors
	Seals
}

// own reports whether the view is the reader's.
func (v *AuditViewsView) own(view *models.AuditView) bool { return view.OwnerID == v.Actor.UserID }

func viewPath(id int64) string { return "/audit/views/" + itoa(id) }

// inWords says what a filter, as an address has it, looks for.
func (v *AuditView) inWords(ctx context.Context, query string) string {
	values, err := url.ParseQuery(query)
	if err != nil {
		return ""
	}
	w := *v
	w.Filter, _ = models.ParseAuditFilter(values.Get)
	text := ""
	for _, c := range w.chips(ctx) {
		if text != "" {
			text += " · "
		}
		text += c.label + ": " + c.value
	}
	return text
}

func (v *AuditViewForm) title(ctx context.Context) string {
	if v.ID == 0 {
		return locale.T(ctx, "auditView.new")
	}
	return v.Name
}

func (v *AuditViewForm) action() string {
	if v.ID == 0 {
		return "/audit/views"
	}
	return viewPath(v.ID)
}
