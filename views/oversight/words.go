package oversight

import (
	"context"
	"slices"
	"strings"

	"veinte/models"
	"veinte/views/locale"
	"veinte/views/ui"
)

// FindingTitle says of whom or what a finding is.
func (v *PatternsView) FindingTitle(ctx context.Context, f *models.Finding) string {
	switch f.Kind {
	case models.FindCard:
		return locale.T(ctx, "oversight.card", "Card", f.Subject)
	case models.FindLarge:
		return ui.StoreName(v.Stores, f.ID)
	}
	return whoName(ctx, f.Subject, f.Name)
}

// findingWords says in words what stands out, and why.
func (v *PatternsView) findingWords(ctx context.Context, f *models.Finding) []string {
	n := int64(len(f.Cases))
	switch f.Kind {
	case models.FindPerson, models.FindApprover:
		by := models.ByPerson
		if f.Kind == models.FindApprover {
			by = models.ByApprover
		}
		words := []string{locale.T(ctx, "oversight.personWords", "N", ui.Number(f.Row.Canceled), "Amount", ui.Money(f.Row.Amount), "Rate", ui.PerThousand(f.Row.Canceled, f.Row.Against))}
		if f.Row.Own.Out() || !f.Stands {
			words = append(words, ownWords(ctx, f.Row))
		}
		if f.Row.Peers.Out() || !f.Stands {
			words = append(words, peerWords(ctx, by, f.Row))
		}
		return words
	case models.FindLate:
		return v.lateWords(ctx, f)
	case models.FindCard:
		stores, terminals := map[int64]bool{}, map[int64]bool{}
		for i := range f.Cases {
			stores[f.Cases[i].StoreID], terminals[f.Cases[i].TerminalID] = true, true
		}
		return []string{
			locale.T(ctx, "oversight.cardWords", "N", ui.Number(n), "Days", v.Found.Filter.Days, "Terminals", len(terminals), "Stores", len(stores)),
			cameOfAll(ctx, f.Cases), locale.T(ctx, "oversight.cardChance", "Chance", chance(f.Chance)),
		}
	case models.FindOwn:
		return []string{locale.T(ctx, "oversight.ownWords", "Count", len(f.Cases), "N", ui.Number(n)), cameOfAll(ctx, f.Cases)}
	case models.FindQuick:
		return []string{locale.T(ctx, "oversight.quickWords", "Count", len(f.Cases), "N", ui.Number(n)), cameOfAll(ctx, f.Cases)}
	case models.FindLarge:
		return []string{locale.T(ctx, "oversight.largeWords", "Count", len(f.Cases), "N", ui.Number(n), "Usual", ui.Money(f.Usual))}
	}
	return []string{locale.T(ctx, "oversight.refusalWords", "Count", len(f.Cases), "N", ui.Number(n))}
}

// outcomesOfCases are what can come of a request, in the order in which a
// sentence counts them: canceled is only what is proven.
var outcomesOfCases = []struct {
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

// cameOfAll counts what came of the requests behind a finding.
func cameOfAll(ctx context.Context, cases []models.FindingCase) string {
	var parts []string
	for _, o := range outcomesOfCases {
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

func (v *PatternsView) lateWords(ctx context.Context, f *models.Finding) []string {
	l := f.Late
	words := []string{locale.T(ctx, "oversight.lateWords", "Late", ui.Number(l.Late), "All", ui.Number(l.All), "Part", ui.PartOf(l.Late, l.All), "Minutes", v.Found.Filter.Minutes), cameOfAll(ctx, f.Cases)}
	switch {
	case f.Few:
		return append(words, locale.T(ctx, "oversight.lateFew"))
	case f.Stands:
		return append(words, locale.T(ctx, "oversight.lateTimes", "Times", times(l.Times), "Part", ui.PartOf(l.UsuallyLate, l.UsualAll), "Least", ui.Decimal(l.AtLeast)))
	}
	return append(words, locale.T(ctx, "oversight.lateLike", "Part", ui.PartOf(l.UsuallyLate, l.UsualAll)))
}

// chance writes how many times chance alone brings something.
func chance(f float64) string {
	if f < 0.01 {
		return "0.01"
	}
	return ui.DecimalTwo(f)
}

// looks says whether somebody has looked at a finding.
func LooksWord(ctx context.Context, f *models.Finding) string {
	switch {
	case f.New == 0:
		return locale.T(ctx, "oversight.looked")
	case len(f.Marks) > 0:
		return locale.T(ctx, "oversight.newCases", "Count", f.New, "N", ui.Number(int64(f.New)))
	}
	return locale.T(ctx, "oversight.nobodyLooked")
}

// CardWord is what is shown of a card.
func CardWord(c *models.FindingCase) string {
	if c.Last4 == "" {
		return ""
	}
	if c.CardBrand == "" {
		return "·· " + c.Last4
	}
	return c.CardBrand + " ·· " + c.Last4
}
