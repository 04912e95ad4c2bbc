package review

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/database"
	"veinte/models/oversight"
	"veinte/models/sales"
	"veinte/models/terminals"
)

// Filter is which items are listed: of one kind, or of all; those that a text names; and
// the page.
type Filter struct {
	Kind   Kind
	Query  string // a folio, an order number, an amount, four digits of a card, a store or a terminal
	Cursor string
}

// partOfNumber is from how many characters on a text is searched inside order numbers and
// serial numbers; a shorter one would match many.
const partOfNumber = 6

// ParseQuery reads what is searched, as the search of sales does: a card number is refused.
func ParseQuery(typed string, now time.Time) (string, []*models.Error) {
	f, wrong := sales.ParseFilter(func(name string) string {
		if name == "q" {
			return strings.Join(strings.Fields(typed), " ")
		}
		return ""
	}, now)
	return f.Query, wrong
}

// searchSQL says that a search finds an item by its sale.
const searchSQL = ` AND (EXISTS (SELECT FROM sales s WHERE s.id = {sale} AND (upper(s.order_id) LIKE {order}
		OR {name} IN (upper(s.folio), upper(s.auth_code), upper(s.reference)) OR s.last4 = {last4}
		OR s.amount BETWEEN {least} AND {most} OR s.serial_number = ANY({serials}) OR s.store_id = ANY({stores})))`

// found narrows a source to what a search finds, whose parameters begin at a number.
func (s *source) found(search bool, first int) string {
	if !search {
		return ``
	}
	parts := []string{`{sale}`, s.sale}
	for n, name := range []string{
		`{order}`, `{name}`, `{last4}`, `{least}::bigint`, `{most}::bigint`, `{stores}::bigint[]`, `{serials}::text[]`,
	} {
		bare, cast, _ := strings.Cut(name, `::`)
		at := `$` + strconv.Itoa(first+n)
		if cast != "" {
			at += `::` + cast
		}
		parts = append(parts, bare, at)
	}
	return strings.NewReplacer(parts...).Replace(searchSQL + s.self + `)`)
}

// search is what a text means to each source.
type search struct {
	text    string
	order   string // a pattern
	last4   *string
	least   models.Money
	most    models.Money
	stores  []int64
	serials []string
}

// read finds out what a text may mean: a store and a terminal by their names, and what the
// search of sales reads in it.
func read(text string, dir *terminals.Directory, actor models.Actor) *search {
	if text == "" {
		return nil
	}
	s := &search{text: strings.ToUpper(text), least: 1}
	s.order = database.Like(s.text) + `%`
	if len(text) >= partOfNumber {
		s.order = `%` + s.order
	}
	if parts := sales.Read(text).Parts; len(parts) == 1 {
		if p := parts[0]; p.Amount != 0 {
			s.least, s.most = p.Amount, p.Most
		}
		if parts[0].Last4 != "" {
			s.last4 = &parts[0].Last4
		}
	}
	for _, store := range models.FindStores(dir.Visible(actor), text) {
		s.stores = append(s.stores, store.ID)
	}
	for _, t := range dir.Terminals {
		serial := string(t.SerialNumber)
		if strings.EqualFold(t.Label, text) || len(text) >= partOfNumber && strings.Contains(serial, text) {
			s.serials = append(s.serials, serial)
		}
	}
	return s
}

// arguments are the parameters of found.
func (s *search) arguments() []any {
	if s == nil {
		return nil
	}
	return []any{s.order, s.text, s.last4, int64(s.least), int64(s.most), s.stores, s.serials}
}

// findings keeps those that the search finds: by whom or what they are about.
func (s *search) findings(all []oversight.Waiting) []oversight.Waiting {
	if s == nil {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(f oversight.Waiting) bool {
		switch f.Kind {
		case oversight.FindLarge:
			return !slices.Contains(s.stores, f.ID)
		case oversight.FindCard:
			return s.last4 == nil || !strings.HasSuffix(f.Subject, *s.last4)
		}
		return !strings.Contains(strings.ToUpper(f.Name), s.text)
	})
}
