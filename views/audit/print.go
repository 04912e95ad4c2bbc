package audit

import (
	"cmp"
	"context"
	"net/url"
	"time"

	"veinte/models"
	trailexport "veinte/models/audit/export"
	"veinte/models/audit/verify"
	"veinte/views/export"
	"veinte/views/locale"
	"veinte/views/ui"
	"veinte/views/words"
)

// AuditPrintView is a page of the trail for paper.
type AuditPrintView struct {
	ui.Page
	Head      *export.ExportHead
	List      *trailexport.Print
	Query     string
	Standings map[int64]verify.Standing // of the entries, by id
}

// altered says what of an entry is not as it was sealed; "" when all is.
func (v *AuditPrintView) altered(ctx context.Context, e *models.AuditEntry) string {
	switch at := v.Standings[e.ID]; {
	case at.Bytes:
		return locale.T(ctx, "exportCheck.bytes")
	case at.Columns != "":
		return locale.T(ctx, "exportCheck.columns", "Fields", cmp.Or(words.SealedColumns(ctx, at.Columns), at.Columns))
	}
	return ""
}

func (v *AuditPrintView) next() string {
	q, _ := url.ParseQuery(v.Query) // it is ours
	q.Set("after", v.List.Next)
	return ui.Address("/audit/print", q)
}

func (v *AuditPrintView) back() string {
	if v.Query == "" {
		return "/audit"
	}
	return "/audit?" + v.Query
}

// which says which entries of how many the page holds.
func (v *AuditPrintView) which(ctx context.Context) string {
	n := int64(len(v.List.Entries))
	key, of := "print.which", max(v.List.Count.Entries, v.List.Done+n)
	if !v.List.Count.Exact {
		key = "print.whichAbout"
	}
	return locale.T(ctx, key, "From", ui.Number(v.List.Done+1), "To", ui.Number(v.List.Done+n), "N", ui.Number(of))
}

// sums are those of the entries on the page.
func (v *AuditPrintView) sums(ctx context.Context) []ui.Fact {
	return append(
		[]ui.Fact{{Label: locale.T(ctx, "print.entries"), Value: ui.Number(int64(len(v.List.Entries)))}},
		export.SumFacts(ctx, v.List.Sums, pesos)...,
	)
}

// checkpoint says under which checkpoint the entries are.
func (v *AuditPrintView) checkpoint(ctx context.Context) []ui.Fact {
	return export.SealFacts(ctx, v.List.Checkpoint, v.List.Unsealed, func(t time.Time) string { return v.instant(ctx, t) })
}

// facts are the head of the page: as a file's, written for people.
func (v *AuditPrintView) facts(ctx context.Context) []ui.Fact {
	h := v.Head
	facts := []ui.Fact{
		{Label: locale.T(ctx, "exportHead.at"), Value: v.instant(ctx, h.At)},
		{Label: locale.T(ctx, "exportHead.zone"), Value: ui.ZoneName(ctx, h.Zone.String())},
		{Label: locale.T(ctx, "exportHead.by"), Value: h.By.Name + ", " + ui.RoleWord(ctx, h.By.Role)},
		{Label: locale.T(ctx, "exportHead.order"), Value: locale.T(ctx, "exportHead.oldestFirst")},
	}
	if !h.By.AllStores {
		facts = append(facts, ui.Fact{Label: locale.T(ctx, "exportHead.scope"), Value: locale.T(ctx, "exportHead.ownStores")})
	}
	if len(h.Filters) == 0 {
		facts = append(facts, ui.Fact{Label: locale.T(ctx, "exportHead.filters"), Value: locale.T(ctx, "exportHead.none")})
	}
	for _, f := range h.Filters {
		facts = append(facts, ui.Fact{Label: locale.T(ctx, "exportHead.filter", "Name", f.Label), Value: f.Value})
	}
	return append(facts, ui.Fact{Label: locale.T(ctx, "exportHead.cannot"), Value: locale.T(ctx, "exportHead.cannotPaper")})
}

func (v *AuditPrintView) instant(ctx context.Context, t time.Time) string {
	return ui.DateSeconds(ctx, t, v.Zone())
}

func pesos(m models.Money) string { return ui.Money(m) + " " + models.Currency }
