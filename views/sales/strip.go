package sales

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"slices"
	"strconv"

	"veinte/models"
	"veinte/models/sales"
	"veinte/views/locale"
	"veinte/views/ui"
)

// How many terminals of a store are shown above the list, of more one is chosen among
// the filters, and how many stores: those where somebody may have to look.
const maxTerminalChips, maxStoreChips = 12, sales.ManyStores

// StripHeader names the strip that a page shows already, when it asks for its list again.
const StripHeader = "Veinte-Strip"

// StripView is what stands above the list: sums, by which it can be narrowed.
type StripView struct {
	Name  string
	Chips []Chip
	All   string // how many stores there are, where not all are shown; "" without a way to them
	Tag   string // of what is shown
}

// Chip is a store or a terminal with its sums, or all of them.
type Chip struct {
	To, Name string
	Store    string // the code of a store
	Sums     models.Sums
	Chosen   bool
	Needs    []Need
}

// Need is why somebody may have to look at a store.
type Need struct{ Look, Says string }

// strip are the terminals of the one store that the list is of, else the stores.
func (v *SalesView) strip(ctx context.Context) StripView {
	s := v.storeStrip(ctx)
	if store := v.stripStore(); store != 0 {
		s = v.terminalStrip(ctx, store)
	}
	s.Tag = s.tag(locale.Of(ctx))
	return s
}

// tag tells a strip in a language from any other: all that it shows goes into it.
func (s *StripView) tag(lang string) string {
	b := make([]byte, 0, 1<<10)
	texts := func(all ...string) {
		for _, text := range all {
			b = append(append(b, text...), 0)
		}
	}
	texts(lang, s.Name, s.All)
	for i := range s.Chips {
		c := &s.Chips[i]
		texts(c.To, c.Name, c.Store)
		for _, n := range [...]int64{c.Sums.Sales.Count, int64(c.Sums.Sales.Amount), c.Sums.Canceled.Count} {
			b = append(strconv.AppendInt(b, n, 10), 0)
		}
		b = strconv.AppendBool(b, c.Chosen)
		for _, n := range c.Needs {
			texts(n.Look, n.Says)
		}
		b = append(b, 1)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:6])
}

// stripStore is the store that the list is of, also where only a terminal narrows it; 0
// for several.
func (v *SalesView) stripStore() int64 {
	if s := v.oneStore(); s != nil {
		return s.ID
	}
	for i := range v.List.Totals {
		if t := &v.List.Totals[i]; v.Filter.TerminalID != 0 && t.TerminalID == v.Filter.TerminalID {
			return t.StoreID
		}
	}
	return 0
}

func (v *SalesView) terminalStrip(ctx context.Context, store int64) StripView {
	terminals := slices.DeleteFunc(slices.Clone(v.List.Sums()), func(t sales.TerminalTotals) bool { return t.StoreID != store })
	if len(terminals) == 0 || len(terminals) > maxTerminalChips {
		return StripView{}
	}
	s := StripView{Name: locale.T(ctx, "sales.byTerminal"), Chips: []Chip{{
		To: v.terminalURL(0), Name: locale.T(ctx, "sales.allTerminals"), Sums: totalOf(terminals), Chosen: v.Filter.TerminalID == 0,
	}}}
	for _, t := range terminals {
		chosen := v.Filter.TerminalID == t.TerminalID
		if v.Filter.Query != "" && t.Sales.Count == 0 && !chosen {
			continue // where a text is looked for, those with nothing of it fold away
		}
		s.Chips = append(s.Chips, Chip{To: v.terminalURL(t.TerminalID), Name: v.terminalLabel(t.TerminalID), Sums: t.Sums, Chosen: chosen})
	}
	return s
}

func (v *SalesView) storeStrip(ctx context.Context) StripView {
	s := StripView{Name: locale.T(ctx, "sales.byStore")}
	few := len(v.Stores) <= maxStoreChips
	for _, of := range v.List.Stores() {
		store := ui.StoreOf(v.Stores, of.StoreID)
		found := v.List.Matched != nil && of.Sales.Count > 0
		if store == nil || len(s.Chips) == maxStoreChips || !found && (v.List.Matched != nil || !few && !of.Needs()) {
			continue
		}
		s.Chips = append(s.Chips, Chip{To: v.onStore(of.StoreID), Name: store.Name, Store: store.Code, Sums: of.Sums, Needs: needs(ctx, &of)})
	}
	if few && len(s.Chips) > 0 {
		all := Chip{To: v.onStore(0), Name: locale.T(ctx, "sales.allStores"), Sums: totalOf(v.List.Sums()), Chosen: true}
		s.Chips = slices.Insert(s.Chips, 0, all)
	} else if !few && v.Actor.May(models.Oversee) {
		s.All = locale.T(ctx, "sales.seeStores", "N", ui.Number(int64(len(v.Stores))))
	}
	return s
}

// needs says why somebody may have to look at a store.
func needs(ctx context.Context, s *sales.StoreSums) (all []Need) {
	add := func(look, key string, n int64) {
		if n > 0 {
			all = append(all, Need{look, locale.T(ctx, key, "Count", n, "N", ui.Number(n))})
		}
	}
	add("unknown", "sales.inDoubt", s.Doubt.Count)
	add("requested", "sales.open", s.Open-s.Doubt.Count)
	if s.Above > 0 { // where the others canceled none, there is no number to say
		key := map[bool]string{true: "sales.aboveNone", false: "sales.above"}[math.IsInf(s.Above, 1)]
		all = append(all, Need{"above", locale.T(ctx, key, "Times", strconv.FormatFloat(s.Above, 'f', 1, 64))})
	}
	return all
}

// terminalOptions are the terminals of the list's store, where there are too many to
// show each; else nil.
func (v *SalesView) terminalOptions(ctx context.Context) []ui.Option {
	store := v.stripStore()
	var options []ui.Option
	for i := range v.List.Totals {
		if t := &v.List.Totals[i]; t.StoreID == store {
			options = append(options, ui.Option{Value: ui.Itoa(t.TerminalID), Text: v.terminalLabel(t.TerminalID)})
		}
	}
	if len(options) <= maxTerminalChips {
		return nil
	}
	slices.SortFunc(options, func(a, b ui.Option) int { return models.Natural(a.Text, b.Text) })
	return slices.Insert(options, 0, ui.Option{Text: locale.T(ctx, "sales.everyTerminal")})
}
