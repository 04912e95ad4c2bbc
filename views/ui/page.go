package ui

import (
	"cmp"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/operations"
)

// Page is what every page shows around its content.
type Page struct {
	Actor  models.Actor  // zero when nobody is signed in: no navigation, no sign-out
	CSRF   string        // goes into every form as the hidden field csrf
	Path   string        // path and query of this page, where the language switch comes back to
	Posted string        // path of the form that the page answers; "" for a page that was asked for
	Now    time.Time     // the instant at which the page is drawn
	Window models.Window // decides what can be canceled, and owns the zone of the cut-off
	Flash  *Flash        // what just happened; nil when nothing did
	Demo   bool          // says on every page that nothing here is real
	// Practice says on every page, on paper too, that nothing here moves money.
	Practice bool
	// Insecure says to administrators on every page that others reach it without https.
	Insecure bool
	// Canceled is when the day's cancellations came to be: ticks on the line of the day.
	Canceled []time.Time
	Live     bool // it asks the server by itself for what has changed
	// Notices are what everyone should know before they rely on the service.
	Notices operations.Notices
	// Ended are the doubts of the reader's own cancellations that ended. The list and the
	// stories tell them; a form or a guide would be pushed down by them.
	Ended []models.EndedDoubt
	// Own is what the reader is told of their account, the newest first.
	Own    []models.AccountNotice
	Review int // things that wait for this reader as a supervisor: the only number in the navigation
	// TypedStores is what was typed into boxes of stores, by the field, and means no store.
	TypedStores map[string][]TypedStore
}

// signedIn reports whether the page has a reader whom we know.
func (p Page) signedIn() bool { return p.Actor.Role != "" }

// counter reports whether the page is one that a manager opens with a customer
// waiting: it carries no more than it needs.
func (p Page) counter() bool {
	path, _, _ := strings.Cut(cmp.Or(p.Posted, p.Path), "?")
	office := path == "/sales/export" || strings.HasPrefix(path, "/sales/views")
	return path == "/" || path == "/login" || path == "/sales" || strings.HasPrefix(path, "/sales/") && !office
}

// Zone is that of the cut-off, in which every time without another name is shown.
func (p Page) Zone() *time.Location { return p.Window.Calendar.Zone() }

// Today is the calendar day of the page in the cut-off's zone.
func (p Page) Today() models.Day { return p.Window.Calendar.Day(p.Now) }

// Flash is a message about what the reader just did, shown once.
type Flash struct {
	Kind FlashKind
	Code string // catalogue key, such as flash.requested or error.caseOpen
	Says string // in words, instead of a code
}

// FlashKind chooses colour and icon of a flash.
type FlashKind string

// The kinds of flashes.
const (
	FlashDone    FlashKind = "done"
	FlashNotice  FlashKind = "notice"
	FlashProblem FlashKind = "problem"
)

// Errors says which fields of a form were refused and why: field name to
// catalogue key. What concerns no field, such as error.stale, stands under "".
type Errors map[string]string

// ofSales reports whether this is the list of sales or the story of one.
func (p Page) ofSales() bool {
	path, _, _ := strings.Cut(p.Path, "?")
	return (path == "/sales" || strings.HasPrefix(path, "/sales/")) && !strings.HasSuffix(path, "/new")
}
