package audit

import (
	"context"
	"net/url"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/savedviews"
	"veinte/views/locale"
	"veinte/views/ui"
)

// SavedViewsFrame is the common part of the pages of a list's saved filters.
type SavedViewsFrame struct {
	ui.Page
	List    models.ViewList
	Base    string                                         // the list's address
	InWords func(ctx context.Context, query string) string // what a filter, as an address has it, looks for
	Seals
}

// SavedViewsView lists the saved filters.
type SavedViewsView struct {
	SavedViewsFrame
	Views []savedviews.View
}

// SavedViewForm is the form of a view: a new one's, or one that is there.
type SavedViewForm struct {
	SavedViewsFrame
	ID       int64 // 0 for a new one
	Version  int
	Name     string
	Shared   bool
	Query    string     // the filter of a new one, as an address has it
	Day      models.Day // that the filter of a new one names; "" when it is today's
	FixedDay bool       // rather than always today
	Errors   ui.Errors
}

// word is what the list's own words are where they differ from the trail's.
func (f *SavedViewsFrame) word(ctx context.Context, key string) string {
	if f.List == models.ViewsOfSales {
		return locale.T(ctx, "saleView."+key)
	}
	return locale.T(ctx, "auditView."+key)
}

// crumb is the title of the views, as a key.
func (f *SavedViewsFrame) crumb() string {
	if f.List == models.ViewsOfSales {
		return "saleView.title"
	}
	return "auditView.title"
}

func (f *SavedViewsFrame) path(id int64) string { return f.Base + "/views/" + ui.Itoa(id) }

// own reports whether the view is the reader's.
func (v *SavedViewsView) own(view *savedviews.View) bool { return view.OwnerID == v.Actor.UserID }

// InWords says what a filter, as an address has it, looks for.
func (v *AuditView) InWords(ctx context.Context, query string) string {
	values, err := url.ParseQuery(query)
	if err != nil {
		return ""
	}
	w := *v
	w.Filter, _ = audit.ParseFilter(values.Get, time.Time{})
	return ui.ChipsInWords(w.chips(ctx))
}

func (v *SavedViewForm) title(ctx context.Context) string {
	if v.ID == 0 {
		return v.word(ctx, "new")
	}
	return v.Name
}

func (f *SavedViewsFrame) nameHint() string {
	if f.List == models.ViewsOfSales {
		return "saleView.nameHint"
	}
	return "auditView.nameHint"
}
