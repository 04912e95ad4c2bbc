package views

import (
	"context"
	"net/url"
	"time"

	"veinte/models"
	"veinte/views/locale"
)

// AuditPrintView is a page of the trail for paper.
type AuditPrintView struct {
	Page
	Head  *ExportHead
	List  *models.AuditPrint
	Query string
}

func (v *AuditPrintView) next() string {
	q, _ := url.ParseQuery(v.Query) // it is ours
	q.Set("after", v.List.Next)
	return address("/audit/print", q)
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
	return locale.T(ctx, key, "From", number(v.List.Done+1), "To", number(v.List.Done+n), "N", number(of))
}

// sums are those of the entries on the page.
func (v *AuditPrintView) sums(ctx context.Context) []Fact {
	return append([]Fact{{locale.T(ctx, "print.entries"), number(int64(len(v.List.Entries)))}}, sumFacts(ctx, v.List.Sums, pesos)...)
}

// checkpoint says under which checkpoint the entries are.
func (v *AuditPrintView) checkpoint(ctx context.Context) []Fact {
	return sealFacts(ctx, v.List.Checkpoint, v.List.Unsealed, func(t time.Time) string { return v.instant(ctx, t) })
}

// facts are the head of the page: as a file's, written for people.
func (v *AuditPrintView) facts(ctx context.Context) []Fact {
	h := v.Head
	facts := []Fact{
		{locale.T(ctx, "exportHead.at"), v.instant(ctx, h.At)},
		{locale.T(ctx, "exportHead.zone"), zoneName(ctx, h.Zone.String())},
		{locale.T(ctx, "exportHead.by"), h.By.Name + ", " + roleWord(ctx, h.By.Role)},
		{locale.T(ctx, "exportHead.order"), locale.T(ctx, "exportHead.oldestFirst")},
	}
	if !h.By.AllStores {
		facts = append(facts, Fact{locale.T(ctx, "exportHead.scope"), locale.T(ctx, "exportHead.ownStores")})
	}
	if len(h.Filters) == 0 {
		facts = append(facts, Fact{locale.T(ctx, "exportHead.filters"), locale.T(ctx, "exportHead.none")})
	}
	for _, f := range h.Filters {
		facts = append(facts, Fact{locale.T(ctx, "exportHead.filter", "Name", f.Label), f.Value})
	}
	return facts
}

func (v *AuditPrintView) instant(ctx context.Context, t time.Time) string {
	return date(ctx, t, v.zone()) + ", " + clockSeconds(t, v.zone())
}

func pesos(m models.Money) string { return money(m) + " " + models.Currency }
