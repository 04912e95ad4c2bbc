package oversight

import (
	"context"
	"time"

	"veinte/models"
	"veinte/models/review"
	"veinte/views/locale"
	"veinte/views/ui"
	"veinte/views/words"
)

// ReviewView is the supervisor's inbox.
type ReviewView struct {
	ui.Page
	Kind   review.Kind // "" shows all
	List   review.Page
	Errors ui.Errors // of a mark that was refused
}

// tabName names a kind with how many things of it wait.
func (v *ReviewView) tabName(ctx context.Context, kind review.Kind) string {
	n, key := v.List.Count(), "review.all"
	if kind != "" {
		n, key = v.List.Counts[kind], "reviewKind."+string(kind)
	}
	return locale.T(ctx, key) + " (" + ui.Waiting(n) + ")"
}

// reviewTitle says what happened.
func reviewTitle(ctx context.Context, i *review.Item) string {
	switch i.Kind {
	case review.ReviewDoubt:
		if why := words.DetailWord(ctx, i.Cancellation.Detail); why != "" {
			return why
		}
		return locale.T(ctx, "truth.unknown")
	case review.ReviewConflict:
		return locale.T(ctx, "conflict."+string(i.Cancellation.Conflict))
	}
	return ui.Maybe(ctx, "resultNote.", i.Result.Note)
}

// reviewWhy is the code of what happened, for scripts.
func reviewWhy(i *review.Item) string {
	switch i.Kind {
	case review.ReviewDoubt:
		return string(i.Cancellation.Detail)
	case review.ReviewConflict:
		return string(i.Cancellation.Conflict)
	}
	return i.Result.Note
}

// otherAmount is what a result says of the sale's amount, if it says another; else nil.
func otherAmount(i *review.Item) *models.Money {
	if i.Result == nil || i.Result.Amount == nil || *i.Result.Amount == i.Sale.Amount {
		return nil
	}
	return i.Result.Amount
}

// next is what to do about it.
func (v *ReviewView) next(ctx context.Context, i *review.Item) string {
	switch {
	case i.Overdue():
		return locale.T(ctx, "review.nextPerson")
	case i.Kind == review.ReviewDoubt && !v.Now.Before(i.NextInquiry):
		return locale.T(ctx, "review.nextNow", "N", i.Tries+1)
	case i.Kind == review.ReviewDoubt:
		return locale.T(ctx, "review.nextItself", "Time", ui.ClockSeconds(i.NextInquiry, v.Zone()), "N", i.Tries+1)
	case i.Kind == review.ReviewConflict:
		return locale.T(ctx, "conflictNext."+string(i.Cancellation.Conflict))
	case locale.Has("resultNext." + i.Result.Note):
		return locale.T(ctx, "resultNext."+i.Result.Note)
	}
	return locale.T(ctx, "resultNext.other")
}

// reviewTone chooses the colour: violet for what is in doubt or contradicts,
// amber for what is only unmatched.
func reviewTone(i *review.Item) string {
	if i.Kind == review.ReviewResult && i.Result.Status == models.ResultUnmatched {
		return string(models.ResultUnmatched)
	}
	return string(models.ResultConflict)
}

func reviewSerial(i *review.Item) string {
	if i.Sale != nil {
		return string(i.Sale.SerialNumber)
	}
	return i.Result.SerialNumber
}

func reviewAction(i *review.Item) string {
	if i.Kind == review.ReviewResult {
		return "/review/results/" + ui.Itoa(i.Result.ID)
	}
	return "/review/conflicts/" + ui.Itoa(i.Cancellation.ID)
}

// Age writes how long ago something was, in the largest unit that fits.
func Age(ctx context.Context, d time.Duration) string {
	key, n := "age.days", int(d/(24*time.Hour))
	switch {
	case d < time.Minute:
		return locale.T(ctx, "age.now")
	case d < time.Hour:
		key, n = "age.minutes", int(d/time.Minute)
	case d < 48*time.Hour:
		key, n = "age.hours", int(d/time.Hour)
	}
	return locale.T(ctx, key, "Count", n, "N", n)
}
