package modelstest

import (
	"strconv"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/closings"
	"veinte/models/review"
)

func Doubt(old time.Duration) func(*testing.T, *Office) {
	return func(_ *testing.T, o *Office) {
		o.StateOf(models.Unknown)
		o.Clock.Advance(old)
	}
}

const ClosingDay = "2026-11-20"

// CloseDay lets the cut-off pass and closes the day.
func CloseDay(t *testing.T, o *Office, after time.Duration) *closings.Report {
	t.Helper()
	o.Clock.Set(At(t, "2026-11-20T20:00:00-06:00").Add(after))
	if err := o.Closings.CloseDays(t.Context()); err != nil {
		t.Fatalf("CloseDays() = %v", err)
	}
	return Closing(t, o, o.Supervisor)
}

func Closing(t *testing.T, o *Office, actor models.Actor) *closings.Report {
	t.Helper()
	r, err := o.Closings.ClosingReport(t.Context(), actor, ClosingDay, closings.Shown)
	if err != nil {
		t.Fatalf("ClosingReport(%s) = %v", ClosingDay, err)
	}
	return r
}

var EveryState = []models.State{
	models.Requested, models.Withdrawn, models.Expired, models.Sending, models.Accepted,
	models.Rejected, models.Unknown, models.Confirmed, models.NotCanceled,
}

// CurrentKey is the hash of the cancellation's latest attempt id; "" when it has
// none.
func CurrentKey(o *Office, c *models.Cancellation) string {
	list := o.Cancellation(c.ID).AttemptList
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1].KeyHash
}

// Inbox lists what waits for a user as kind:why, in order.
func Inbox(t *testing.T, o *Office, who models.Actor, kind review.Kind) (seen []string, page *review.Page) {
	t.Helper()
	page, err := o.Review.Review(t.Context(), who, review.Filter{Kind: kind})
	if err != nil {
		t.Fatalf("Review() = %v", err)
	}
	for _, i := range page.Items {
		why := ""
		switch i.Kind {
		case review.ReviewDoubt:
			why = string(i.Cancellation.Detail)
		case review.ReviewConflict:
			why = string(i.Cancellation.Conflict)
		case review.ReviewResult:
			why = i.Result.Note
		case review.ReviewAlert:
			why = string(i.Alert.Kind)
		case review.ReviewReport:
			why = strconv.Itoa(i.Differing.Differences)
		case review.ReviewDifference:
			why = string(i.Difference.Kind)
		case review.ReviewFinding:
			why = string(i.Finding.Kind) + " " + i.Finding.Subject
		}
		seen = append(seen, string(i.Kind)+":"+why)
	}
	return seen, page
}

func Sweep(tb testing.TB, o *Office) {
	tb.Helper()
	if err := o.Operations.Sweep(tb.Context()); err != nil {
		tb.Fatalf("Sweep() = %v", err)
	}
}
