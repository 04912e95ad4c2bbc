package notices_test

import (
	"errors"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/notices"
)

// TestASlipTellsWhatIsKnown: the notice for a cancellation in each state, and for
// none.
func TestASlipTellsWhatIsKnown(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	for state, want := range map[models.State]notices.Status{
		models.Requested: notices.Waiting, models.Withdrawn: notices.Withdrawn,
		models.Expired: notices.NotSent,
		models.Sending: notices.Sent, models.Accepted: notices.Sent, models.Rejected: notices.Rejected,
		models.Unknown: notices.Doubt, models.Confirmed: notices.Seen, models.NotCanceled: notices.Charged,
	} {
		o.Terminal = o.NewTerminal(o.Store)
		sale, c := o.StateOf(state)
		notice, err := o.Notices.Issue(t.Context(), o.Manager, sale.ID)
		if err != nil || notice.Status != want || notice.RequestedAt == nil || !notice.RequestedAt.Equal(c.RequestedAt) {
			t.Errorf("Issue() of a case %s = %+v, %v; want %s, asked at %s", state, notice, err, want, c.RequestedAt)
		}
	}
	sale := o.Sale(100)
	notice, err := o.Notices.Issue(t.Context(), o.Manager, sale.ID)
	if err != nil || notice.Status != notices.NotRequested || notice.RequestedAt != nil || notice.Since != nil {
		t.Errorf("Issue() of a sale that nobody asked about = %+v, %v", notice, err)
	}
	if notice.Closed {
		t.Error("the window of a sale that can be canceled is shown as closed")
	}
	entries := o.SaleDetail(sale.ID).Entries
	if n := len(entries); n == 0 || entries[n-1].Action != models.ActionNoticeShown || string(entries[n-1].After) != `{"told": "notAsked"}` {
		t.Errorf("the trail has the notice as %+v", entries)
	}
}

// TestASlipTellsOfARequestThatCameTooLate: a request that was refused at the cut-off
// is shown, and every notice shows since when the window is closed.
func TestASlipTellsOfARequestThatCameTooLate(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	late, quiet := o.Sale(100), o.Sale(200)
	rejected, c := o.StateOf(models.Rejected)
	o.Clock.Set(modelstest.At(t, "2026-11-20T20:00:00-06:00"))
	asked := o.Clock.Now()
	for range 2 {
		if _, err := o.Cancellations.Request(t.Context(), o.Manager, o.CancelRequest(late)); !errors.Is(err, models.ErrTooLate) {
			t.Fatalf("Request() after the cut-off = %v, want ErrTooLate", err)
		}
		o.Clock.Advance(time.Minute)
	}
	for _, tt := range []struct {
		name   string
		sale   int64
		status notices.Status
		asked  *time.Time
	}{
		{"asked for too late, twice", late.ID, notices.TooLate, &asked},
		{"nobody asked", quiet.ID, notices.NotRequested, nil},
		{"rejected before", rejected.ID, notices.Rejected, &c.RequestedAt},
	} {
		notice, err := o.Notices.Issue(t.Context(), o.Manager, tt.sale)
		if err != nil || notice.Status != tt.status || !notice.Closed || (notice.RequestedAt == nil) != (tt.asked == nil) || tt.asked != nil &&
			!notice.RequestedAt.Equal(*tt.asked) {
			t.Errorf("%s: Issue() = %+v, %v; want %s, asked for at %v, closed", tt.name, notice, err, tt.status, tt.asked)
		}
	}
}

// TestASlipSaysCanceledOnlyByEvidence checks everything that can confirm a
// cancellation, and everything that can contradict it.
func TestASlipSaysCanceledOnlyByEvidence(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale, c := o.StateOf(models.Confirmed)
	status := func(detail models.Detail, conflict models.Conflict) notices.Status {
		t.Helper()
		if _, err := o.Owner.Exec(`UPDATE cancellations SET detail = $2, conflict = $3, conflict_at = CASE WHEN $3 = '' THEN NULL ELSE now() END
			WHERE id = $1`,
			c.ID, detail, conflict); err != nil {
			t.Fatal(err)
		}
		notice, err := o.Notices.Issue(t.Context(), o.Manager, sale.ID)
		if err != nil {
			t.Fatal(err)
		}
		return notice.Status
	}
	for detail, want := range map[models.Detail]notices.Status{
		models.DetailTerminalConfirmed: notices.Canceled, models.DetailCanceledOnTerminal: notices.Canceled,
		models.DetailInquiryCanceled: notices.Canceled, models.DetailResolvedCanceled: notices.Seen,
		models.DetailReconciledCanceled: notices.Reported, models.DetailAckMeansCanceled: notices.Acknowledged,
		"": notices.Disputed, "somethingNew": notices.Disputed,
	} {
		if got := status(detail, ""); got != want {
			t.Errorf("confirmed by %q is %s, want %s", detail, got, want)
		}
	}
	for conflict, want := range map[models.Conflict]notices.Status{
		models.ConflictLatePositive: notices.Canceled, models.ConflictWithoutCancellation: notices.Canceled,
		models.ConflictStillCharged: notices.Disputed, models.ConflictReportedRejected: notices.Disputed,
		models.ConflictReportCharged: notices.Disputed, models.ConflictAmountDiffers: notices.Disputed,
	} {
		if got := status(models.DetailTerminalConfirmed, conflict); got != want {
			t.Errorf("confirmed with the conflict %s is %s, want %s", conflict, got, want)
		}
	}
}

// TestASlipOfAnotherStore: it does not exist for the actor.
func TestASlipOfAnotherStore(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	other := modelstest.Store(t, o.DB, o.Clock.Now(), "OTRA")
	sale := o.SaleAt(o.NewTerminal(other), 7700)
	if _, err := o.Notices.Issue(t.Context(), o.Manager, sale.ID); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("Issue() of another store's sale = %v, want ErrNotFound", err)
	}
	if n := len(o.SaleDetail(sale.ID).Entries); n != 0 {
		t.Errorf("the refused notice left %d entries about the sale, want none here: the handler writes the denial", n)
	}
}

// TestASlipIsOfTheCaseThatDecides: a late confirmation of an old request takes
// precedence over later requests; a cancellation on the terminal was not requested
// here; and a state without a cancellation is a doubt.
func TestASlipIsOfTheCaseThatDecides(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	notice := func(sale *models.Sale) *notices.Notice {
		t.Helper()
		s, err := o.Notices.Issue(t.Context(), o.Manager, sale.ID)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	sale, first := o.StateOf(models.Rejected)
	first = &o.Cancellation(first.ID).Cancellation
	key := modelstest.CurrentKey(o, first)
	o.Clock.Advance(time.Minute)
	second := o.Request(sale)
	if got := notice(sale); got.Status != notices.Waiting || got.RequestedAt == nil ||
		!got.RequestedAt.Equal(second.RequestedAt) {
		t.Errorf("the notice of a second request = %s, asked at %v; want it waiting since %s",
			got.Status, got.RequestedAt, second.RequestedAt)
	}
	o.Post(modelstest.CancelPost(sale, key))
	if got := notice(sale); got.Status != notices.Canceled || got.RequestedAt == nil ||
		!got.RequestedAt.Equal(first.RequestedAt) {
		t.Errorf("the notice after a late yes = %s, asked at %v; want it canceled, asked at %s",
			got.Status, got.RequestedAt, first.RequestedAt)
	}

	o.Terminal = o.NewTerminal(o.Store)
	byHand := o.Sale(100)
	o.CancelByHand(byHand)
	if got := notice(byHand); got.Status != notices.Canceled || got.RequestedAt != nil || got.Since == nil {
		t.Errorf("the notice of what was canceled by hand = %s, asked at %v, since %v; want it canceled, and that nobody asked here", got.Status,
			got.RequestedAt, got.Since)
	}

	odd := o.Sale(100)
	modelstest.Exec(t, o.Owner, `UPDATE sales SET state = 'confirmed' WHERE id = $1`, odd.ID)
	if got := notice(odd).Status; got != notices.Doubt {
		t.Errorf("the notice of a state without a case = %s, want %s", got, notices.Doubt)
	}
}
