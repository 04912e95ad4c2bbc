package views

import (
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"

	"veinte/models"
	"veinte/views/locale"
)

// troubled is a page with every notice on it.
func troubled(tb testing.TB, role models.Role, path string) Page {
	tb.Helper()
	p := page(tb, role, path, "19:20:03")
	p.Review = 3
	p.Window.Ahead = func() time.Duration { return 37 * time.Second }
	p.Notices = models.Notices{
		Outage:     models.OutageTrail,
		Pause:      &models.Pause{ID: 1, Reason: "El proveedor está en mantenimiento hasta las 19:30", PausedAt: at(tb, "19:02:00"), PausedBy: "Diego Ríos"},
		Unanswered: &models.Unanswered{Since: at(tb, "19:01:00"), Times: 4},
		Ahead:      37 * time.Second,
	}
	return p
}

func sampleReview(tb testing.TB) *ReviewView {
	tb.Helper()
	store := sampleStores()[0]
	item := func(id int64, state models.SaleState, since string) models.ReviewItem {
		sale := sampleSale(tb, id, "18:40:00", 125000, state)
		return models.ReviewItem{
			Kind: models.ReviewDoubt, Since: at(tb, since), Sale: &sale, Store: &store,
			Case: &models.Cancellation{ID: id, Requester: "Ana Torres Luna", Origin: models.FromPerson, Detail: models.DetailNoResult, State: models.Unknown},
		}
	}
	overdue, waiting, due := item(1, models.SaleUnknown, "18:50:00"), item(2, models.SaleUnknown, "19:18:00"), item(4, models.SaleUnknown, "19:19:00")
	waiting.NextInquiry, waiting.Tries = at(tb, "19:22:00"), 3
	due.NextInquiry, due.Tries = at(tb, "19:20:00"), 1
	conflict := item(3, models.SaleConfirmed, "17:02:00")
	conflict.Kind, conflict.Case.Conflict = models.ReviewConflict, models.ConflictLatePositive
	amount := models.Money(9900)
	stray := models.ReviewItem{Kind: models.ReviewResult, Since: at(tb, "19:19:40"), Result: &models.Result{
		ID: 9, ReceivedAt: at(tb, "19:19:40"), Kind: models.ResultCancellation, Status: models.ResultUnmatched, Note: "noSuchSale",
		SerialNumber: "1234567890", OrderID: "261120181203-1234567890", Amount: &amount, Body: `{"transType":"V"}`,
	}}
	return &ReviewView{
		Page: page(tb, models.Supervisor, "/review", "19:20:03"),
		List: models.ReviewPage{
			Items:  []models.ReviewItem{overdue, waiting, due, conflict, stray},
			Counts: map[models.ReviewKind]int{models.ReviewDoubt: 3, models.ReviewConflict: 1, models.ReviewResult: 1},
		},
	}
}

func sampleSettings(tb testing.TB) *SettingsView {
	tb.Helper()
	p := page(tb, models.Administrator, "/settings", "19:20:03")
	return &SettingsView{Page: p}
}

func addReviewPages(tb testing.TB, pages map[string]templ.Component) {
	tb.Helper()
	pages["review"] = Review(sampleReview(tb))
	marked := sampleReview(tb)
	marked.Errors = Errors{"": "error.alreadyReviewed"}
	pages["review-refused"] = Review(marked)
	pages["review-empty"] = Review(&ReviewView{Page: page(tb, models.Supervisor, "/review", "19:20:03"), Kind: models.ReviewDoubt})
	pages["settings"] = Settings(sampleSettings(tb))
	wrong := sampleSettings(tb)
	wrong.Errors = Errors{"reason": "field.required"}
	pages["settings-wrong"] = Settings(wrong)
	paused := sampleSettings(tb)
	paused.Page = troubled(tb, models.Administrator, "/settings")
	paused.Pause = paused.Page.Notices.Pause
	pages["settings-paused"] = Settings(paused)
	busy := sampleSales(tb, "19:20:03")
	busy.Page = troubled(tb, models.Manager, "/sales")
	pages["sales-troubled"] = Sales(busy)
	waits := sampleStory(tb, models.Supervisor, "19:41:01", models.SaleRequested)
	waits.Page = troubled(tb, models.Supervisor, "/sales/100")
	pages["story-paused"] = Story(waits)
	byHand := sampleStory(tb, models.Manager, "19:52:03", models.SaleUnknown)
	byHand.Inquiries = false
	pages["story-without-inquiries"] = Story(byHand)
	pages["error-503"] = Error(ErrorView{Page: Page{Now: at(tb, "19:52:03"), Window: window(tb), Path: "/"}, Status: 503, Code: models.OutageDisk.Code, RequestID: "01J9Z"})
}

func TestNoticesSayWhatIsSoAndWhatFollows(t *testing.T) {
	t.Parallel()
	got := draw(t, "es-MX", Notices(troubled(t, models.Manager, "/sales"), true))
	for _, want := range []string{
		`hx-swap-oob="morph"`,
		`data-kind="outage"`, "No se puede escribir en la bitácora",
		`data-kind="pause"`, "desde hoy a las 19:02", "Diego Ríos escribió: «El proveedor está en mantenimiento hasta las 19:30»",
		`data-kind="unanswered"`, "desde hoy a las 19:01", "No supongas que algo se canceló ni que no",
		`data-kind="clock"`, "va 37 s adelante", "antes de las 19:59:18",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the notices lack %s", want)
		}
	}
	if quiet := draw(t, "en", Notices(page(t, models.Manager, "/sales", "12:00:00"), false)); strings.Contains(quiet, "notice\"") || strings.Contains(quiet, "oob") {
		t.Errorf("a quiet day has notices: %s", quiet)
	}
}

func TestTheInboxSaysAgeAndNextStep(t *testing.T) {
	t.Parallel()
	got := draw(t, "es-MX", Review(sampleReview(t)))
	for _, want := range []string{
		`data-kind="doubt" data-why="noResult" data-overdue`, "hace 30 min", "Nadie más lo va a averiguar",
		"Se verifica sola a las 19:22:00 (verificación 4 de 5)", "La verificación 2 de 5 sale en cuanto la terminal quede libre",
		`data-kind="conflict" data-why="latePositive"`, "hace 2 h", "Confirma con la sucursal",
		`data-kind="result" data-why="noSuchSale"`, "hace un momento", `action="/review/results/9"`, `action="/review/conflicts/3"`, "Todo (5)",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the inbox lacks %s", want)
		}
	}
}

func TestAgesHaveTheirPlural(t *testing.T) {
	t.Parallel()
	ctx := locale.With(t.Context(), "en")
	for d, want := range map[time.Duration]string{
		0: "a moment ago", 59 * time.Second: "a moment ago", time.Minute: "1 min ago", 59 * time.Minute: "59 min ago",
		47 * time.Hour: "47 h ago", 48 * time.Hour: "2 days ago",
	} {
		if got := age(ctx, d); got != want {
			t.Errorf("age(%s) = %q, want %q", d, got, want)
		}
	}
}

// What must be done about each thing in the inbox is said in words.
func TestEveryConflictHasANextStep(t *testing.T) {
	t.Parallel()
	for _, conflict := range constants(t, "Conflict") {
		wantWords(t, "conflictNext."+conflict)
	}
	for _, kind := range constants(t, "ReviewKind") {
		wantWords(t, "reviewKind."+kind)
	}
	for _, outage := range []*models.Outage{models.OutageDatabase, models.OutageBusy, models.OutageTrail, models.OutageDisk, models.OutageCredential} {
		wantWords(t, outage.Code)
	}
}
