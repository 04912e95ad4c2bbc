package oversight

import (
	"context"
	"slices"
	"strings"

	"veinte/models"
	"veinte/models/oversight"
	"veinte/views/locale"
	"veinte/views/ui"
	"veinte/views/words"
)

// FindingTitle says of whom or what a finding is.
func (v *PatternsView) FindingTitle(ctx context.Context, f *oversight.Finding) string {
	switch f.Kind {
	case oversight.FindCard:
		return locale.T(ctx, "oversight.card", "Card", f.Subject)
	case oversight.FindLarge:
		return ui.StoreName(v.Stores, f.ID)
	}
	return whoName(ctx, f.Subject, f.Name)
}

// findingWords says in words what stands out, and why.
func (v *PatternsView) findingWords(ctx context.Context, f *oversight.Finding) []string {
	n := int64(len(f.Cancellations))
	switch f.Kind {
	case oversight.FindPerson, oversight.FindApprover:
		by := oversight.ByPerson
		if f.Kind == oversight.FindApprover {
			by = oversight.ByApprover
		}
		words := []string{locale.T(
			ctx, "oversight.personWords", "N", ui.Number(f.Row.Canceled), "Amount", ui.Money(f.Row.Amount), "Rate",
			ui.PartOf(f.Row.Canceled, f.Row.Against.Sales),
		)}
		if f.Row.Own.Out() || !f.Outlier {
			words = append(words, ownWords(ctx, f.Row).whole())
		}
		if f.Row.Peers.Out() || !f.Outlier {
			words = append(words, peerWords(ctx, by, f.Row).whole())
		}
		return words
	case oversight.FindLate:
		return v.lateWords(ctx, f)
	case oversight.FindCard:
		stores, terminals := map[int64]bool{}, map[int64]bool{}
		for i := range f.Cancellations {
			stores[f.Cancellations[i].StoreID], terminals[f.Cancellations[i].TerminalID] = true, true
		}
		return []string{
			locale.T(
				ctx, "oversight.cardWords", "N", ui.Number(n), "Days", v.Found.Filter.Days, "Terminals", len(terminals), "Stores", len(stores),
			),
			cameOfAll(ctx, f.Cancellations), locale.T(ctx, "oversight.cardChance"),
		}
	case oversight.FindOwn:
		return []string{locale.T(ctx, "oversight.ownWords", "Count", len(f.Cancellations), "N", ui.Number(n)), cameOfAll(ctx, f.Cancellations)}
	case oversight.FindQuick:
		return []string{locale.T(ctx, "oversight.quickWords", "Count", len(f.Cancellations), "N", ui.Number(n)), cameOfAll(ctx, f.Cancellations)}
	case oversight.FindLarge:
		return []string{locale.T(ctx, "oversight.largeWords", "Count", len(f.Cancellations), "N", ui.Number(n), "Usual", ui.Money(f.Usual))}
	}
	return []string{locale.T(ctx, "oversight.refusalWords", "Count", len(f.Cancellations), "N", ui.Number(n))}
}

// cancellationOutcomes are what can come of a request, in the order in which a
// sentence counts them: canceled is only what is proven.
var cancellationOutcomes = []struct {
	key    string
	states []models.State
}{
	{"canceled", []models.State{models.Confirmed}},
	{"inDoubt", []models.State{models.Unknown}},
	{"rejected", []models.State{models.Rejected}},
	{"kept", []models.State{models.NotCanceled}},
	{"underWay", []models.State{models.Requested, models.Sending, models.Accepted}},
	{"dropped", []models.State{models.Withdrawn, models.Expired}},
}

// cameOfAll counts the outcomes of the requests of a finding.
func cameOfAll(ctx context.Context, cases []oversight.Cancellation) string {
	var parts []string
	for _, o := range cancellationOutcomes {
		n := 0
		for i := range cases {
			if slices.Contains(o.states, cases[i].State) {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, locale.T(ctx, "oversight.came."+o.key, "Count", n, "N", ui.Number(int64(n))))
		}
	}
	return locale.T(ctx, "oversight.came", "What", strings.Join(parts, ", "))
}

// lateOfAll is the share that everybody's last minutes have, beside the usual one.
func (v *PatternsView) lateOfAll(ctx context.Context) string {
	l := v.Found.Late
	return locale.T(
		ctx, "oversight.lateAll", "Late", ui.Number(l.Late), "All", ui.Number(l.All), "Part", ui.PartOf(l.Late, l.All),
		"Minutes", v.Found.Filter.Minutes, "Usual", ui.PartOf(l.UsuallyLate, l.UsualAll),
	)
}

func (v *PatternsView) lateWords(ctx context.Context, f *oversight.Finding) []string {
	l := f.Late
	words := []string{
		locale.T(
			ctx, "oversight.lateWords", "Late", ui.Number(l.Late), "All", ui.Number(l.All), "Part", ui.PartOf(l.Late, l.All), "Minutes",
			v.Found.Filter.Minutes,
		),
		cameOfAll(ctx, f.Cancellations),
	}
	switch {
	case f.Few:
		return append(words, locale.T(ctx, "oversight.lateFew"))
	case f.Outlier:
		return append(
			words,
			locale.T(
				ctx, "oversight.lateTimes", "Times", times(l.Times), "Part", ui.PartOf(l.UsuallyLate, l.UsualAll), "Least", ui.Decimal(l.AtLeast),
			),
		)
	}
	return append(words, locale.T(ctx, "oversight.lateLike", "Part", ui.PartOf(l.UsuallyLate, l.UsualAll)))
}

// ReviewText says whether somebody has looked at a finding.
func ReviewText(ctx context.Context, f *oversight.Finding) string {
	switch {
	case f.New == 0:
		return locale.T(ctx, "oversight.looked")
	case len(f.Marks) > 0:
		return locale.T(ctx, "oversight.newCases", "Count", f.New, "N", ui.Number(int64(f.New)))
	}
	return locale.T(ctx, "oversight.nobodyLooked")
}

// CardWord is what is shown of a card.
func CardWord(c *oversight.Cancellation) string {
	if c.Last4 == "" {
		return ""
	}
	if c.CardBrand == "" {
		return "·· " + c.Last4
	}
	return words.CardBrand(c.CardBrand) + " ·· " + c.Last4
}
