package views

import (
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/views/locale"
	salesview "veinte/views/sales"
	"veinte/views/ui"
)

func TestALapseIsToldAsPeopleDo(t *testing.T) {
	t.Parallel()
	es, at := locale.With(t.Context(), "es-MX"), time.Date(2026, 11, 24, 19, 40, 0, 0, time.UTC)
	for d, want := range map[time.Duration]string{
		0: "enseguida", 900 * time.Millisecond: "enseguida", 12*time.Second + 800*time.Millisecond: "12 s después", time.Minute: "1 min después",
		3*time.Minute + 4*time.Second: "3 min 4 s después", 2*time.Hour + 5*time.Minute + 9*time.Second: "2 h 5 min después",
		2*time.Hour + 9*time.Second: "2 h después",
		76 * time.Hour:              "3 d 4 h después",
	} {
		if got := ui.Later(es, at, at.Add(d)); got != want {
			t.Errorf("later(%v) = %q, want %q", d, got, want)
		}
	}
}

// What stands between two times is what a reader reckons from them, whatever their
// fractions of a second are: the steps add up.
func TestStepsAddUp(t *testing.T) {
	t.Parallel()
	es := locale.With(t.Context(), "es-MX")
	at := time.Date(2026, 11, 24, 19, 41, 7, 900e6, time.UTC)
	for _, tt := range []struct {
		to   time.Time
		want string
	}{
		{at.Add(50 * time.Millisecond), "enseguida"},
		{at.Add(100 * time.Millisecond), "1 s después"}, // 19:41:07 and 19:41:08
		{at.Add(2900 * time.Millisecond), "3 s después"},
		{at.Add(59200 * time.Millisecond), "1 min después"},
	} {
		if got := ui.Later(es, at, tt.to); got != tt.want {
			t.Errorf("from %s to %s: %q, want %q", at.Format("15:04:05.0"), tt.to.Format("15:04:05.0"), got, tt.want)
		}
	}
}

// TestAStoryTellsHowLongItTook: each step how long after the one before, and the
// whole from the request to the end; to the trail it leads whoever may read it.
func TestAStoryTellsHowLongItTook(t *testing.T) {
	t.Parallel()
	got := draw(t, "es-MX", salesview.SaleDetail(shop.SaleDetail(models.Supervisor, "19:52:03", models.SaleConfirmed)))
	for _, want := range []string{"De la solicitud al final: ", ` s después</span>`, `href="/audit?sale=100"`, `href="/audit/2"`} {
		if !strings.Contains(got, want) {
			t.Errorf("a supervisor's story lacks %q", want)
		}
	}
	doubt := shop.SaleDetail(models.Manager, "19:52:03", models.SaleUnknown)
	if open := draw(t, "es-MX", salesview.SaleDetail(doubt)); !strings.Contains(open, "Desde la solicitud: 11 min 3 s") ||
		strings.Contains(open, `"/audit`) {
		t.Error("a manager's open story does not say how long it has taken, or leads to the trail")
	}
}
