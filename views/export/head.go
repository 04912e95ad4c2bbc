package export

import (
	"context"
	"strconv"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/audit/export"
	"veinte/models/audit/sealing"
	"veinte/views/locale"
	"veinte/views/ui"
	"veinte/views/words"
)

// ExportHead is what an exported file says of itself before its rows.
type ExportHead struct {
	Practice bool // nothing in the file is real
	Of       export.Subject
	ID       int64 // of the export, under which the trail has it
	At       time.Time
	Zone     *time.Location // of every time in the file
	By       models.Actor
	Filters  []ui.FilterFact
	Reasons  []models.Reason // retired ones too
	Stores   []models.Store  // and people: those whom the reader may know by name
	People   []words.Person
}

func (h *ExportHead) Names() *words.AuditNames {
	return words.NewAuditNames(h.Stores, h.People, h.Zone)
}

// isoTime is ISO 8601 with the offset: what a program reads without asking for a
// zone.
const isoTime = "2006-01-02T15:04:05.000000-07:00"

// facts are the head's lines in the reader's language.
func (h *ExportHead) facts(ctx context.Context) []ui.Fact {
	title, oldest, own := "audit.title", "exportHead.oldestFirst", "exportHead.ownStores"
	if h.Of == export.Sales {
		title, oldest, own = "nav.sales", "salesHead.oldestFirst", "salesHead.ownStores"
	}
	product := "Veinte · " + locale.T(ctx, title)
	if h.Practice {
		product = locale.T(ctx, "layout.practiceName") + " · " + product
	}
	facts := []ui.Fact{
		{Label: locale.T(ctx, "exportHead.product"), Value: product},
		{Label: locale.T(ctx, "exportHead.export"), Value: strconv.FormatInt(h.ID, 10)},
		{Label: locale.T(ctx, "exportHead.at"), Value: h.At.In(h.Zone).Format(time.RFC3339)},
		{Label: locale.T(ctx, "exportHead.zone"), Value: h.Zone.String() + " (" + h.At.In(h.Zone).Format("-07:00") + ")"},
		{Label: locale.T(ctx, "exportHead.by"), Value: h.By.Name + " (" + ui.RoleWord(ctx, h.By.Role) + ")"},
		{Label: locale.T(ctx, "exportHead.order"), Value: locale.T(ctx, oldest)},
	}
	if !h.By.AllStores {
		facts = append(facts, ui.Fact{Label: locale.T(ctx, "exportHead.scope"), Value: locale.T(ctx, own)})
	}
	if len(h.Filters) == 0 {
		facts = append(facts, ui.Fact{Label: locale.T(ctx, "exportHead.filters"), Value: locale.T(ctx, "exportHead.none")})
	}
	for _, f := range h.Filters {
		facts = append(facts, ui.Fact{Label: locale.T(ctx, "exportHead.filter", "Name", f.Label), Value: f.ForFile()})
	}
	if h.Of != export.Sales {
		facts = append(facts, ui.Fact{
			Label: locale.T(ctx, "exportHead.cannot"), Value: locale.T(ctx, "exportHead.cannotFile", "N", strconv.FormatInt(h.ID, 10)),
		})
	}
	return facts
}

// exportFoot is what an exported file says after its rows.
func exportFoot(ctx context.Context, t export.Totals, zone *time.Location) []ui.Fact {
	facts := []ui.Fact{
		{Label: locale.T(ctx, "exportFoot.entries"), Value: strconv.FormatInt(t.Entries, 10)},
	}
	amount := func(m models.Money) string { return string(appendDecimal(nil, m)) + " " + exportCurrency }
	facts = append(facts, SumFacts(ctx, t.Sums, amount)...)
	facts = append(facts, ui.Fact{Label: locale.T(ctx, "exportFoot.altered"), Value: strconv.FormatInt(t.Altered, 10)})
	facts = append(facts, checkpointFacts(ctx, t.Checkpoint, t.Unsealed, zone)...)
	return append(facts, ui.Fact{Label: locale.T(ctx, "exportFoot.end"), Value: locale.T(ctx, "exportFoot.whole")})
}

// SumFacts are the sums at the foot of a file and of paper, each of which writes
// amounts its own way.
func SumFacts(ctx context.Context, s export.Sums, amount func(models.Money) string) []ui.Fact {
	return []ui.Fact{
		{Label: locale.T(ctx, "exportFoot.sales"), Value: strconv.FormatInt(s.Sales, 10)},
		{Label: locale.T(ctx, "exportFoot.amount"), Value: amount(s.Amount)},
		{Label: locale.T(ctx, "exportFoot.canceled"), Value: strconv.FormatInt(s.Canceled, 10)},
		{Label: locale.T(ctx, "exportFoot.canceledAmount"), Value: amount(s.CanceledAmount)},
	}
}

// checkpointFacts say under which checkpoint entries are, whole, so that whoever
// keeps the file keeps the checkpoint too.
func checkpointFacts(ctx context.Context, c *sealing.Checkpoint, unsealed int64, zone *time.Location) []ui.Fact {
	return SealFacts(ctx, c, unsealed, func(t time.Time) string { return t.In(zone).Format(time.RFC3339) })
}

func SealFacts(ctx context.Context, c *sealing.Checkpoint, unsealed int64, when func(time.Time) string) []ui.Fact {
	if c == nil {
		return []ui.Fact{{Label: locale.T(ctx, "exportFoot.checkpoint"), Value: locale.T(ctx, "exportFoot.noCheckpoint")}}
	}
	return []ui.Fact{
		{
			Label: locale.T(ctx, "exportFoot.checkpoint"),
			Value: locale.T(ctx, "exportFoot.sealed", "N", ui.Number(c.Size), "When", when(c.SealedAt)),
		},
		{Label: locale.T(ctx, "exportFoot.root"), Value: c.Root.String()},
		{Label: locale.T(ctx, "exportFoot.note"), Value: c.Note},
		{Label: locale.T(ctx, "exportFoot.unsealed"), Value: strconv.FormatInt(unsealed, 10)},
	}
}

// broken is what a file says that ends early.
func broken(ctx context.Context, s export.State) ui.Fact {
	return ui.Fact{
		Label: locale.T(ctx, "exportFoot.end"), Value: locale.T(ctx, "exportFoot.broken", "Why", locale.T(ctx, "exportState."+string(s))),
	}
}

// appendDecimal writes an amount as programs read it: 1250.00.
func appendDecimal(b []byte, m models.Money) []byte {
	u := uint64(m)
	if m < 0 {
		b = append(b, '-')
		u = -u
	}
	b = strconv.AppendUint(b, u/100, 10)
	return append(b, '.', byte('0'+u%100/10), byte('0'+u%10))
}

// auditFilterLabels are the headings of a filter's values, by their names.
var auditFilterLabels = map[string]string{
	"q": "exportFilter.words", "store": "sales.store", "terminal": "terminal.serial", "person": "audit.person", "role": "exportColumn.role",
	"action": "audit.action", "outcome": "audit.outcome", "reason": "audit.reason", "min": "exportFilter.min", "max": "exportFilter.max",
	"address": "exportColumn.address", "attempt": "exportColumn.attempt", "sale": "exportColumn.saleId", "from": "audit.from",
	"to": "audit.to", "reads": "auditName.reads",
}

// AuditFilterFacts words the filters in force, for a file's head and for whoever
// is about to export.
func AuditFilterFacts(
	ctx context.Context, f audit.Filter, stores []models.Store, people []words.Person, reasons []models.Reason,
) []ui.FilterFact {
	word := map[string]string{
		"store":   nameOf(f.StoreID, stores, func(s models.Store) (int64, string) { return s.ID, s.Name }),
		"person":  nameOf(f.ActorID, people, func(p words.Person) (int64, string) { return p.ID, p.Name }),
		"role":    ui.Maybe(ctx, "role.", string(f.Role)),
		"action":  words.ActionWord(ctx, f.Action),
		"outcome": words.OutcomeWord(ctx, f.Outcome),
		"reason":  words.ReasonLabel(ctx, reasons, f.Reason),
		"reads":   ui.Maybe(ctx, "auditReads.", string(f.Reads)),
	}
	var facts []ui.FilterFact
	for _, v := range f.Values() {
		fact := ui.FilterFact{Label: locale.T(ctx, auditFilterLabels[v[0]]), Value: v[1]}
		if w := word[v[0]]; w != "" && w != v[1] {
			fact.Value, fact.Code = w, v[1]
		}
		facts = append(facts, fact)
	}
	return facts
}

// nameOf names what was chosen; its number where nobody knows its name any more.
func nameOf[T any](chosen int64, all []T, of func(T) (int64, string)) string {
	for _, x := range all {
		if n, name := of(x); n == chosen {
			return name
		}
	}
	return ui.Id(chosen)
}
