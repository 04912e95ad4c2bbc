package sales

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/cards"
)

// Names are the names of the filter's parts in URLs, in the order in which they are
// shown. The cursor is not part of the filter.
var Names = []string{"q", "store", "terminal", "state", "date"}

// maxSaleQuery is the maximum length of a search text in characters: a whole order
// number fits.
const maxSaleQuery = models.MaxOrderID

// ParseFilter reads a filter from the text of each name. An invalid part is not
// applied and is returned as an error of its field. Without a day the filter has
// none: the caller chooses the default. Whether what is searched is a card number
// depends on the day, see cards.InReference.
func ParseFilter(typed func(name string) string, now time.Time) (Filter, []*models.Error) {
	p := audit.FilterParser{Typed: typed, Now: now}
	f := Filter{
		StoreID: p.Id("store"), TerminalID: p.Id("terminal"), Day: p.Day("date"), State: audit.OneOf(&p, "state", models.SaleFilterStates),
	}
	text := strings.TrimSpace(typed("q"))
	switch {
	case cards.InReference(text, now):
		p.Judge(false, "q", "field.cardNumber")
	case !models.Storable(text):
		p.Judge(false, "q", "field.invalidText")
	default:
		f.Query = models.Truncate(text, maxSaleQuery)
	}
	return f, p.Wrong
}

// Values returns the name and text of each part that filters, in the order of Names.
func (f *Filter) Values() [][2]string {
	text := map[string]string{"q": f.Query, "state": string(f.State), "date": string(f.Day)}
	for name, n := range map[string]int64{"store": f.StoreID, "terminal": f.TerminalID} {
		if n != 0 {
			text[name] = strconv.FormatInt(n, 10)
		}
	}
	var values [][2]string
	for _, name := range Names {
		if text[name] != "" {
			values = append(values, [2]string{name, text[name]})
		}
	}
	return values
}

// Encode writes the filter as the query of a URL, without the cursor.
func (f *Filter) Encode() string {
	q := url.Values{}
	for _, v := range f.Values() {
		q.Set(v[0], v[1])
	}
	return q.Encode()
}

// Attributes is the filter as the trail records it when it is saved.
func (f *Filter) Attributes() map[string]any {
	attributes := map[string]any{}
	for name, text := range map[string]string{"query": models.Legible(f.Query, 100), "state": string(f.State), "day": string(f.Day)} {
		if text != "" {
			attributes[name] = text
		}
	}
	for name, n := range map[string]int64{"storeId": f.StoreID, "terminalId": f.TerminalID} {
		if n != 0 {
			attributes[name] = n
		}
	}
	return attributes
}
