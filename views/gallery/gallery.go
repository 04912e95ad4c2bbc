package gallery

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"veinte/models"
	"veinte/models/audit/sealing"
	"veinte/models/clocks"
	"veinte/models/database"
	"veinte/models/lineage"
	"veinte/models/operations"
	"veinte/models/rules"
	"veinte/views/locale"
	salesview "veinte/views/sales"
	"veinte/views/samples"
	"veinte/views/ui"
)

// GalleryView is every component in every state, without a database.
type GalleryView struct{ ui.Page }

// galleryFirst is where the numbers of things on the gallery begin: what is
// pressed there asks for a sale that does not exist.
const galleryFirst = 1 << 52

// galleryPart is one component in its states. Tests hold each to its golden
// file, and the gallery shows all of them.
type galleryPart struct {
	Name string // of its golden file, its anchor and its catalogue key
	Body templ.Component
}

func (p galleryPart) title(ctx context.Context) string { return locale.T(ctx, "gallery."+p.Name) }

func GalleryParts() []galleryPart {
	return []galleryPart{
		{"tokens", galleryTokens()},
		{"status", GalleryStatus()},
		{"money", galleryMoney()},
		{"buttons", galleryButtons()},
		{"messages", galleryMessages()},
		{"notices", galleryNotices()},
		{"countdown", galleryCountdown()},
		{"fields", galleryFields()},
		{"tables", galleryTables()},
		{"cards", galleryCards()},
		{"empties", galleryEmpty()},
		{"ways", galleryWays()},
		{"timeline", galleryTimeline()},
		{"charts", galleryCharts()},
	}
}

var (
	swatches  = []string{"text", "muted", "ground", "accent", "action", "danger", "destroy", "amber", "green", "blue", "violet"}
	typeSizes = []int{12, 13, 14, 15, 16, 17, 20, 22, 26, 32, 40}
)

// Texts that a layout must survive.
const (
	longName = "Sucursal Plaza Comercial Bosques de las Lomas, planta baja, local 114-B, frente a la entrada principal"
	noSpaces = "261120193307-1234567890-261120193307-1234567890-261120193307-1234567890"
)

// galleryAmounts go from nothing to more than a shop will ever take.
var galleryAmounts = []models.Money{0, 1, 5000, 125000, 9999999999, -4550}

// gallerySpans are what a countdown shows.
var gallerySpans = []time.Duration{5*time.Hour + 59*time.Minute, 47 * time.Minute, 9*time.Minute + 5*time.Second, 0}

// galleryErrors are refusals of the fields of the gallery.
var galleryErrors = ui.Errors{"g-wrong": "sale.differs", "g-bad": "terminal.choose", "g-why": "reason.required", "g-note": "note.required"}

// galleryNotes is everything that everyone may have to know, at once.
func galleryNotes(ahead time.Duration) ui.Page {
	s := samples.Shop{}
	p := s.Page(models.Administrator, "/sales", "19:52:03")
	p.Insecure = true
	p.Notices = operations.Notices{
		Outage:     database.OutageDatabase,
		Database:   &lineage.Change{Cause: lineage.Copied, Doubts: 32, Left: 4, NoticedAt: s.At("19:20:00")},
		Unkept:     true,
		Pause:      &rules.Pause{Reason: "Se cambia el enlace a internet", PausedAt: s.At("19:10:00"), PausedBy: "Diego Ruiz"},
		Unanswered: &operations.Unanswered{Since: s.At("19:41:00"), Times: 3},
		Access:     &operations.AccessRefused{Since: s.At("19:31:00"), Doubt: true, Call: []string{"Diego Ruiz", longName}},
		Endpoints:  []string{"Punto de venta", longName},
		Sealing:    &sealing.Trouble{Code: sealing.Shorter, Sealed: 1200, Seen: 1450, SeenAt: s.At("18:00:00"), Since: s.At("18:05:00")},
		Ahead:      ahead,
	}
	for i, state := range []models.State{
		models.Confirmed, models.NotCanceled, models.Rejected, models.Confirmed, models.Confirmed, models.Confirmed,
	} {
		p.Ended = append(p.Ended, models.EndedDoubt{
			ID: int64(i + 1), SaleID: int64(i + 1), State: state, OrderID: noSpaces, Amount: galleryAmounts[i], SoldAt: s.At("18:50:00"),
		})
	}
	p.Ended[0].OrderID = "261120185003-1490000001"
	return p
}

// galleryAhead is a page whose clock is ahead of the reader's by so much.
func galleryAhead(by time.Duration) ui.Page {
	p := galleryNotes(by)
	p.Ended, p.Insecure = nil, false
	p.Notices = operations.Notices{Ahead: by}
	return p
}

// galleryClock is a page of a server whose clock is ahead of the database's by so much.
func galleryClock(whose clocks.Verdict, by time.Duration) ui.Page {
	p := galleryAhead(0)
	p.Notices.Clock = clocks.Standing{Verdict: whose, Ahead: by}
	return p
}

// countdowns are a countdown at each of its steps, the last two of a store with
// another clock.
func countdowns() []templ.Component {
	s := samples.Shop{}
	var all []templ.Component
	for _, at := range []string{"14:00:00", "19:20:03", "19:52:03", "19:56:30", "20:00:00"} {
		all = append(all, ui.Countdown(s.Page(models.Manager, "/gallery", at), nil))
	}
	cancun := s.Stores()[1]
	for _, at := range []string{"14:00:00", "20:00:00"} {
		all = append(all, ui.Countdown(s.Page(models.Manager, "/gallery", at), &cancun))
	}
	return all
}

// galleryRows is a sale in each state, with the terminals it was made at.
func galleryRows() *salesview.SalesView { return samples.Shop{First: galleryFirst}.Sales("19:52:03") }

func spans() string {
	words := make([]string, len(gallerySpans))
	for i, d := range gallerySpans {
		words[i] = ui.Remaining(d)
	}
	return strings.Join(words, " / ")
}

func pixels(n int) string { return strconv.Itoa(n) }
