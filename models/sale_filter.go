package models

import (
	"net/url"
	"strconv"
	"strings"

	"veinte/models/cards"
)

// SaleNames are the names of a filter of sales in addresses, in the order in which
// they are shown. The cursor is none of them: it says where one reads, not what.
var SaleNames = []string{"q", "store", "terminal", "state", "date"}

// mostSaleQuery is how many characters of a text are looked for: nobody types
// more, and it goes into addresses.
const mostSaleQuery = 80

// ParseSaleFilter reads a filter from the text of each name. What is wrong does not
// filter and is told by field, all of it. Without a day it is of none: whoever
// reads says which that means.
func ParseSaleFilter(typed func(name string) string) (SaleFilter, []*Error) {
	p := filterParser{typed: typed}
	f := SaleFilter{
		StoreID: p.id("store"), TerminalID: p.id("terminal"), Day: p.day("date"), State: oneOf(&p, "state", SaleLooks),
	}
	text := strings.TrimSpace(typed("q"))
	switch {
	case cards.Holds(text):
		p.judge(false, "q", "field.cardNumber")
	case !storable(text):
		p.judge(false, "q", "field.invalidText")
	default:
		f.Query = clip(text, mostSaleQuery)
	}
	return f, p.wrong
}

// Values returns the text of each name that filters, in the order of SaleNames.
func (f *SaleFilter) Values() [][2]string {
	text := map[string]string{"q": f.Query, "state": string(f.State), "date": string(f.Day)}
	for name, n := range map[string]int64{"store": f.StoreID, "terminal": f.TerminalID} {
		if n != 0 {
			text[name] = strconv.FormatInt(n, 10)
		}
	}
	var values [][2]string
	for _, name := range SaleNames {
		if text[name] != "" {
			values = append(values, [2]string{name, text[name]})
		}
	}
	return values
}

// Encode writes the filter as the query of an address, without the cursor.
func (f *SaleFilter) Encode() string {
	q := url.Values{}
	for _, v := range f.Values() {
		q.Set(v[0], v[1])
	}
	return q.Encode()
}

// told is how the trail names the filter that somebody keeps.
func (f *SaleFilter) told() map[string]any {
	told := map[string]any{}
	for name, text := range map[string]string{"query": legible(f.Query, 100), "state": string(f.State), "day": string(f.Day)} {
		if text != "" {
			told[name] = text
		}
	}
	for name, n := range map[string]int64{"storeId": f.StoreID, "terminalId": f.TerminalID} {
		if n != 0 {
			told[name] = n
		}
	}
	return told
}
