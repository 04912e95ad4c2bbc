package exchange

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/reconciliation"
	"veinte/models/reconciliation/report"
	"veinte/views/locale"
	"veinte/views/ui"
)

// ReconciliationsView is the list of compared reports.
type ReconciliationsView struct {
	ui.Page
	Day  string // as entered; "" shows all
	List reconciliation.Page
	// Profiles is how many a report may be read by: with none, nothing can be
	// uploaded.
	Profiles int
	Errors   ui.Errors
}

// ReconciliationNewView is the form that takes a report.
type ReconciliationNewView struct {
	ui.Page
	Profiles []reconciliation.ReportProfile // those in use
	Form     ReportForm
}

// ReportForm is what was entered beside a report.
type ReportForm struct {
	ProfileID int64
	Day       string
	Until     string
	Errors    ui.Errors
	// Missing says that the file is not what the profile is for.
	Missing *report.MissingColumns
	// Problem says why the file cannot be read.
	Problem *report.FileProblem
	// SameAs is a reconciliation of the very same file; 0: none.
	SameAs int64
	// AnotherDay says that it seems to be the report of another day.
	AnotherDay *reconciliation.AnotherDay
}

// settleKey names the confirmation for what it does: contradictions alone are not resolved
// by it, they go to the inbox.
func (v *ReconciliationView) settleKey() string {
	if v.Preview[reconciliation.ResolvesConflict] == v.resolving() {
		return "recon.settleConflicts"
	}
	return "recon.settle"
}

// ReconciliationView is one compared report.
type ReconciliationView struct {
	ui.Page
	Report  reconciliation.Reconciliation
	Filter  reconciliation.ItemFilter
	List    reconciliation.ItemPage
	Preview map[reconciliation.Resolves]int
	Seal    string                      // of what would be settled: posted back by whoever confirms
	First   []reconciliation.ReportItem // of what would be settled, the first few
	Stores  map[int64]*models.Store
	// Terminals are ids by serial number.
	Terminals map[string]int64
	Errors    ui.Errors
	// Discarding is what discarding the report would do; nil once it is discarded.
	Discarding    *reconciliation.Discarding
	DiscardNote   string // as typed, where it was refused
	DiscardErrors ui.Errors
}

// problems are those of the form that was refused.
func (v *ReconciliationView) problems() ui.Errors {
	if len(v.DiscardErrors) > 0 {
		return v.DiscardErrors
	}
	return v.Errors
}

// settling is how many items a confirmation would resolve.
func (v *ReconciliationView) resolving() (n int) {
	for _, of := range v.Preview {
		n += of
	}
	return n
}

func (v *ReconciliationView) mayResolve() bool {
	return v.Actor.Role.May(models.ResolveCancellations) && v.Report.SupersededBy == 0 && v.Report.DiscardedAt == nil
}

// leftOut reports whether something of the report, or of our sales, was not compared.
func (v *ReconciliationView) leftOut() bool {
	f := v.Report.Findings
	return len(f.Unread) > 0 || v.Report.Counts[reconciliation.ItemIgnored] > 0 || v.Report.Stores != nil || !v.Report.SalesCompared ||
		slices.ContainsFunc(f.Fields, func(f report.Field) bool { return !f.Compared() })
}

func reconciliationPath(id int64) string { return "/reconciliations/" + ui.Itoa(id) }

// itemsURL is a group of a report's items.
func itemsURL(id int64, f reconciliation.ItemFilter) string {
	q := url.Values{}
	ui.Set(q, "kind", string(f.Kind))
	if f.Open {
		q.Set("open", "1")
	}
	if f.Resolvable {
		q.Set("settle", "1")
	}
	ui.Set(q, "cursor", f.Cursor)
	return ui.Address(reconciliationPath(id), q)
}

// reportState is where a report stands: code of a chip's words, and its look.
func reportState(r *reconciliation.Reconciliation) (code, look string) {
	switch {
	case r.DiscardedAt != nil:
		return "recon.stateDiscarded", "tooLate"
	case r.SupersededBy != 0:
		return "recon.stateSuperseded", "tooLate"
	case r.Differences() == 0:
		return "recon.stateSame", "confirmed"
	case r.Open > 0:
		return "recon.stateOpen", "unknown"
	}
	return "recon.stateDone", "confirmed"
}

func reportStateIcon(look string) string {
	switch look {
	case "confirmed":
		return "circle-check"
	case "unknown":
		return "circle-question-mark"
	}
	return "undo-2"
}

// entryURL is the form of a sale by hand, filled in with what the report says.
func (v *ReconciliationView) entryURL(i *reconciliation.ReportItem) string {
	q := url.Values{}
	if id := v.Terminals[i.SerialNumber]; id != 0 {
		q.Set("terminal", ui.Itoa(id))
	}
	ui.Set(q, "orderId", i.OrderID)
	ui.Set(q, "last4", i.Last4)
	ui.Set(q, "authCode", i.AuthCode)
	ui.Set(q, "folio", i.Folio)
	if i.Amount != nil {
		q.Set("amount", i.Amount.Decimal())
	}
	ui.Set(q, "date", string(i.Day))
	if store := v.Stores[i.StoreID]; i.At != nil && store != nil {
		// The form asks for the clock of the terminal's store.
		q.Set("date", i.At.In(store.Zone()).Format(time.DateOnly))
		q.Set("time", ui.Clock(*i.At, store.Zone()))
	}
	return ui.Address("/sales/new", q)
}

func (v *ReconciliationView) storeName(id int64) string {
	if s := v.Stores[id]; s != nil {
		return s.Name
	}
	return ""
}

// kinds are those with a tab: a kind of which there is none has no tab.
func (v *ReconciliationView) kinds() []reconciliation.ItemKind {
	var kinds []reconciliation.ItemKind
	for _, k := range reconciliation.ItemKinds {
		if v.Report.Counts[k] > 0 {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

func profileOptions(ctx context.Context, profiles []reconciliation.ReportProfile) []ui.Option {
	options := []ui.Option{{Value: "", Text: locale.T(ctx, "recon.chooseProfile")}}
	for i := range profiles {
		options = append(options, ui.Option{Value: ui.Itoa(profiles[i].ID), Text: profiles[i].Name})
	}
	return options
}

// settlings is the order in which a card shows the resolvable items.
var resolutions = []reconciliation.Resolves{
	reconciliation.ResolvesConfirmed, reconciliation.ResolvesNotCanceled, reconciliation.ResolvesConflict,
}

func (v *ReconciliationView) title(ctx context.Context) string {
	return v.Report.ProfileName + ", " + ui.Day(ctx, v.Report.BusinessDay)
}

// after is the filter of the next page.
func (v *ReconciliationView) after() reconciliation.ItemFilter {
	f := v.Filter
	f.Cursor = v.List.Next
	return f
}

// quoted writes names of columns as a list.
func quoted(names []string) string {
	if len(names) == 0 {
		return "—"
	}
	return "«" + strings.Join(names, "», «") + "»"
}

// fileProblemText says why a file cannot be read.
func fileProblemText(ctx context.Context, p *report.FileProblem) string {
	if locale.Has(p.Code) {
		return locale.T(ctx, p.Code, p.Args...)
	}
	return locale.T(ctx, "recon.unreadableFile")
}

func reconciliationsURL(day, cursor string) string {
	q := url.Values{}
	ui.Set(q, "date", day)
	ui.Set(q, "cursor", cursor)
	return ui.Address("/reconciliations", q)
}
