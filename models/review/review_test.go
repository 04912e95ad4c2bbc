package review_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/review"
	"veinte/models/wiring"
)

func TestTheInboxHoldsWhatContradictsAndWhatNobodyKnows(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	if seen, _ := modelstest.Inbox(t, o, o.Supervisor, ""); len(seen) != 0 {
		t.Errorf("a quiet day's inbox = %v, want nothing", seen)
	}
	_, doubt := o.StateOf(models.Unknown)
	begun := o.Clock.Now()
	o.Clock.Advance(time.Minute)
	byHand := o.SaleAt(o.NewTerminal(o.Store), 7000)
	o.CancelByHand(byHand) // nobody had requested it
	stray := modelstest.CancelPost(byHand, "")
	stray.OrderID = "of nobody"
	o.Post(stray)
	other := o.SaleAt(o.NewTerminal(o.Store), 8000)
	c := o.Request(other)
	o.Dispatch(c.ID)
	wrong, amount := modelstest.CancelPost(other, o.LastOrder().Key.Hash()), models.Money(1)
	wrong.Amount = &amount
	o.Post(wrong) // a conflict of the cancellation, not also one of the result

	seen, page := modelstest.Inbox(t, o, o.Supervisor, "")
	want := []string{"doubt:timeout", "conflict:withoutCase", "conflict:amountDiffers", "result:noSuchSale"}
	if !slices.Equal(seen, want) {
		t.Fatalf("inbox = %v, want %v", seen, want)
	}
	if n, err := o.Review.ReviewCount(t.Context(), o.Supervisor); n != 4 || err != nil || page.Counts.All() != 4 {
		t.Errorf("ReviewCount() = %d, %v; the page counts %d; want 4", n, err, page.Counts.All())
	}
	if i := page.Items[0]; !i.Since.Equal(begun) || i.Sale.ID != doubt.SaleID || i.Store.ID != o.Store.ID || i.Overdue() {
		t.Errorf("doubt = %+v, want that of case %d, not overdue", i, doubt.ID)
	}
	if seen, _ := modelstest.Inbox(t, o, o.Supervisor, review.ReviewConflict); !slices.Equal(seen, want[1:3]) {
		t.Errorf("conflicts = %v, want %v", seen, want[1:3])
	}
}

func TestADoubtIsOverdueOnceNothingElseSettlesIt(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	_, c := o.StateOf(models.Unknown)
	for try, at := range []time.Duration{
		30 * time.Second, time.Minute, 2 * time.Minute, 185 * time.Second, 4 * time.Minute, 8 * time.Minute,
	} {
		_, page := modelstest.Inbox(t, o, o.Supervisor, "")
		if i := page.Items[0]; !i.NextInquiry.Equal(c.ChangedAt.Add(at)) || i.Tries != try || i.Overdue() {
			t.Errorf("after %d inquiries: next at %s, %d sent, overdue %t; want %s", try, i.NextInquiry, i.Tries, i.Overdue(), c.ChangedAt.Add(at))
		}
		o.Clock.Set(c.ChangedAt.Add(at))
		if _, err := o.Cancellations.Inquire(t.Context(), c.ID, try+1); err != nil {
			t.Fatal(err)
		}
	}
	if _, page := modelstest.Inbox(t, o, o.Supervisor, ""); !page.Items[0].Overdue() {
		t.Error("after the last inquiry the doubt is not overdue")
	}
	if got := o.Cancellation(c.ID); got.Tries != 6 || !got.NextInquiry.IsZero() {
		t.Errorf("the detail says %d inquiries, next at %s; want 6, none", got.Tries, got.NextInquiry)
	}

	without := modelstest.NewOffice(t, func(c *wiring.Config) { c.Inquiries = nil })
	without.StateOf(models.Unknown)
	if _, page := modelstest.Inbox(t, without, without.Supervisor, ""); !page.Items[0].Overdue() {
		t.Error("without inquiries a doubt is not overdue at once")
	}
}

func TestTheInboxIsOfOnesOwnStores(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	there := o.Branch(t)
	there.StateOf(models.Unknown)
	sale := there.SaleAt(there.NewTerminal(there.Store), 7000)
	there.CancelByHand(sale)
	stray := modelstest.CancelPost(sale, "")
	stray.OrderID = "of nobody"
	result := there.Post(stray)
	here, everywhere := modelstest.Person(models.Supervisor, o.Store), o.Supervisor
	if seen, _ := modelstest.Inbox(t, o, here, ""); len(seen) != 0 {
		t.Errorf("a supervisor of another store sees %v, want nothing", seen)
	}
	if n, err := o.Review.ReviewCount(t.Context(), here); n != 0 || err != nil {
		t.Errorf("ReviewCount() = %d, %v, want 0", n, err)
	}
	if seen, _ := modelstest.Inbox(t, o, everywhere, ""); len(seen) != 3 {
		t.Errorf("a supervisor of every store sees %v, want three", seen)
	}
	_, page := modelstest.Inbox(t, o, everywhere, review.ReviewConflict)
	for kind, id := range map[review.Kind]int64{
		review.ReviewConflict: page.Items[0].Cancellation.ID, review.ReviewResult: result.ID,
		review.ReviewDoubt: 1, "": 1,
	} {
		if err := o.Review.MarkReviewed(t.Context(), here, kind, id, "", "visto"); !modelstest.IsError(err, models.ErrNotFound) {
			t.Errorf("MarkReviewed(%q of another store) = %v, want %v", kind, err, models.ErrNotFound)
		}
	}
	if _, err := o.Review.Review(t.Context(), o.Manager, review.Filter{}); !modelstest.IsError(err, models.ErrForbidden) {
		t.Errorf("Review() by a manager = %v, want %v", err, models.ErrForbidden)
	}
	if seen, _ := modelstest.Inbox(t, o, o.Admin, ""); len(seen) != 3 {
		t.Errorf("an administrator reads %v, want all three", seen)
	}
	for _, who := range []models.Actor{o.Manager, o.Admin} {
		if err := o.Review.MarkReviewed(t.Context(), who, review.ReviewResult, result.ID, "", ""); !modelstest.IsError(err,
			models.ErrForbidden) {
			t.Errorf("MarkReviewed() by a %s = %v, want %v", who.Role, err, models.ErrForbidden)
		}
	}
}

// Two supervisors press at once: one mark, and the other gets an error.
func TestAReviewIsDoneOnce(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale := o.Sale(7000)
	o.CancelByHand(sale)
	stray := modelstest.CancelPost(sale, "")
	stray.OrderID = "of nobody"
	result := o.Post(stray)
	_, page := modelstest.Inbox(t, o, o.Supervisor, review.ReviewConflict)
	id := page.Items[0].Cancellation.ID
	already := &models.Error{Kind: models.KindConflict, Code: "error.alreadyReviewed"}
	saw := map[review.Kind]string{review.ReviewConflict: "withoutCase", review.ReviewResult: "noSuchSale"}
	for kind, id := range map[review.Kind]int64{review.ReviewConflict: id, review.ReviewResult: result.ID} {
		err := o.Review.MarkReviewed(t.Context(), o.Supervisor, kind, id, "amountDiffers", "visto")
		if !modelstest.IsError(err, models.ErrStale) {
			t.Errorf("MarkReviewed(%s) of something else = %v, want %v", kind, err, models.ErrStale)
		}
		var group sync.WaitGroup
		var mu sync.Mutex
		refused := 0
		for range 4 {
			group.Go(func() {
				err := o.Review.MarkReviewed(t.Context(), modelstest.Person(models.Supervisor), kind, id, saw[kind], "comparado con el comprobante")
				mu.Lock()
				defer mu.Unlock()
				if modelstest.IsError(err, already) {
					refused++
				} else if err != nil {
					t.Errorf("MarkReviewed(%s) = %v", kind, err)
				}
			})
		}
		group.Wait()
		if refused != 3 {
			t.Errorf("%s: %d of four were refused, want 3", kind, refused)
		}
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries
		WHERE action = 'review.done' AND reason = 'comparado con el comprobante'`); n != 2 {
		t.Errorf("the trail holds %d reviews, want one of each", n)
	}
	if seen, _ := modelstest.Inbox(t, o, o.Supervisor, ""); len(seen) != 0 {
		t.Errorf("inbox after the reviews = %v, want nothing", seen)
	}

	// A new conflict needs a new review.
	o.Clock.Advance(time.Hour)
	o.Post(modelstest.InquiryPost(sale, models.StandingCharged))
	if seen, _ := modelstest.Inbox(t, o, o.Supervisor, ""); !slices.Equal(seen, []string{"conflict:stillCharged"}) {
		t.Errorf("inbox after another contradiction = %v, want it", seen)
	}
}

// An unmatched result leaves the inbox by itself when its sale arrives after all.
func TestAResultThatIsExplainedLeavesTheInbox(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	post := o.SalePost(o.Terminal.SerialNumber, 5000)
	cancel := post
	cancel.Kind, cancel.Body = models.ResultCancellation, `{"transType":"V"}`
	o.Post(cancel)
	if seen, _ := modelstest.Inbox(t, o, o.Supervisor, ""); !slices.Equal(seen, []string{"result:noSuchSale"}) {
		t.Fatalf("inbox = %v, want the stray result", seen)
	}
	o.Post(post)
	if seen, _ := modelstest.Inbox(t, o, o.Supervisor, ""); len(seen) != 0 {
		t.Errorf("while the terminal is asked the inbox = %v, want nothing", seen)
	}
	o.AnswerInquiry(o.FindSale(post.OrderID), models.StandingCanceled)
	if seen, _ := modelstest.Inbox(t, o, o.Supervisor, ""); !slices.Equal(seen, []string{"conflict:withoutCase"}) {
		t.Errorf("inbox = %v, want the cancellation that nobody here had asked for", seen)
	}
}

// A conflict after a review, or beside another one, needs its own review.
func TestNothingHidesBehindAReview(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	mark := func(kind review.Kind) {
		t.Helper()
		_, page := modelstest.Inbox(t, o, o.Supervisor, kind)
		for _, i := range page.Items {
			id, seen := int64(0), ""
			if i.Cancellation != nil {
				id, seen = i.Cancellation.ID, string(i.Cancellation.Conflict)
			} else {
				id, seen = i.Result.ID, i.Result.Note
			}
			if err := o.Review.MarkReviewed(t.Context(), o.Supervisor, kind, id, seen, "visto"); err != nil {
				t.Fatalf("MarkReviewed(%s %s) = %v", kind, seen, err)
			}
		}
	}
	want := func(what string, items ...string) {
		t.Helper()
		if seen, _ := modelstest.Inbox(t, o, o.Supervisor, ""); !slices.Equal(seen, items) {
			t.Errorf("%s: inbox = %v, want %v", what, seen, items)
		}
	}

	// An unmatched result is marked; then its sale arrives, with another amount.
	post := o.SalePost(o.Terminal.SerialNumber, 5000)
	cancel := post
	cancel.Kind, cancel.Body = models.ResultCancellation, `{"transType":"V"}`
	other := models.Money(4900)
	cancel.Amount = &other
	o.Post(cancel)
	mark(review.ReviewResult)
	want("after the mark")
	o.Post(post)
	want("once its sale has come", "result:amountDiffers")
	mark(review.ReviewResult)

	// Canceled on the device, not reviewed yet; then another amount is posted.
	sale := o.SaleAt(o.NewTerminal(o.Store), 7000)
	o.CancelByHand(sale)
	wrong := modelstest.CancelPost(sale, "")
	wrong.Amount = &other
	o.Post(wrong)
	want("both", "conflict:withoutCase", "result:amountDiffers")
	mark(review.ReviewConflict)
	mark(review.ReviewResult)
	want("after both marks")

	// The conflict of a cancellation was reviewed; then an inquiry reports a
	// reversal.
	c := o.Request(o.SaleAt(o.NewTerminal(o.Store), 8000))
	o.API.Then(modelstest.TimedOut)
	o.Dispatch(c.ID)
	doubt := o.Cancellation(c.ID)
	asked := o.SaleDetail(doubt.SaleID).Sale
	differs := modelstest.CancelPost(&asked, modelstest.CurrentKey(o, c))
	differs.Amount = &other
	o.Post(differs)
	want("the conflict of a doubt", "doubt:timeout", "conflict:amountDiffers")
	mark(review.ReviewConflict)
	want("looked at", "doubt:timeout")
	o.Post(modelstest.InquiryPost(&asked, models.StandingReversed))
	want("reversed", "doubt:timeout", "result:standingRV")
}
