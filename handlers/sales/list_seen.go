package sales

import (
	"net/url"

	"github.com/gofiber/fiber/v2"

	"veinte/models"
	"veinte/models/sales"
)

// listCookie holds the filter of the list that was seen last, for as long as the browser
// is open: the way back from a sale leads there.
const listCookie = "veinte_list"

// maxListCookie is how long a filter may be that is remembered.
const maxListCookie = 600

// rememberList keeps the list's filter for the way back.
func (h *Handlers) rememberList(c *fiber.Ctx, f *sales.Filter) {
	query := f.Encode()
	if f.Cursor != "" {
		query += "&cursor=" + url.QueryEscape(f.Cursor)
	}
	if len(query) <= maxListCookie && c.Cookies(listCookie) != query {
		c.Cookie(h.Cookie(listCookie, query, 0))
	}
}

// endSearch takes the text out of what is remembered of the list, and the place in what it
// found: the act is done, and the next customer's sale is another. Whoever only looks at a
// sale comes back to what they had found.
func (h *Handlers) endSearch(c *fiber.Ctx) {
	if query := withoutSearch(c.Cookies(listCookie)); query != c.Cookies(listCookie) {
		c.Cookie(h.Cookie(listCookie, query, 0))
	}
}

// withoutSearch is the query of a list without its text; as it was where there is none.
func withoutSearch(query string) string {
	q, err := url.ParseQuery(query)
	if err != nil || !q.Has("q") {
		return query
	}
	q.Del("q")
	q.Del("cursor")
	return q.Encode()
}

// listSeen is the filter of the list that was seen last, where it can hold the sale; else
// that of its day.
func (h *Handlers) listSeen(c *fiber.Ctx, s *models.Sale) string {
	q, err := url.ParseQuery(c.Cookies(listCookie))
	f, wrong := sales.ParseFilter(q.Get, h.Clock.Now())
	today := h.Window().Calendar.Day(h.Clock.Now())
	day := f.Day
	if day == "" {
		day = today
	}
	if err != nil || len(wrong) > 0 || day != s.BusinessDay ||
		f.StoreID != 0 && f.StoreID != s.StoreID || f.TerminalID != 0 && f.TerminalID != s.TerminalID {
		f, q = sales.Filter{Day: s.BusinessDay}, nil
	}
	if f.Day == today {
		f.Day = ""
	}
	query := f.Encode()
	if cursor := q.Get("cursor"); cursor != "" {
		query += "&cursor=" + url.QueryEscape(cursor)
	}
	return query
}
