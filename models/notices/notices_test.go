package cancellations_test

import (
	"errors"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/cancellations"
	"veinte/models/modelstest"
)

// TestASlipTellsWhatIsKnown: the notice for a cancellation in each state, and for
// none.
func TestASlipTellsWhatIsKnown(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	for state, want := range map[models.State]cancellations.NoticeStatus{
		models.Requested: cancellations.NoticeWaiting, models.Withdrawn: cancellations.NoticeWithdrawn,
		models.Expired: cancellations.NoticeNotSent,
		models.Sending: cancellations.NoticeSent, models.Accepted: cancellations.NoticeSent, models.Rejected: cancellations.NoticeRejected,
		models.Unknown: cancellations.NoticeDoubt, models.Confirmed: cancellations.NoticeSeen, models.NotCanceled: cancellations.NoticeCharged,
	} {
		o.Terminal = o.NewTerminal(o.Store)
		sale, c := o.StateOf(state)
		notice, err := o.Cancellations.CustomerNotice(t.Context(), o.Manager, sale.ID)
		if err != nil || notice.Status != want || notice.RequestedAt == nil || !notice.RequestedAt.Equal(c.RequestedAt) {
			t.Errorf("CustomerNotice() of a case %s = %+v, %v; want %s, asked at %s", state, notice, err, want, c.RequestedAt)
		}
	}
	sale := o.Sale(100)
	notice, err := o.Cancellations.CustomerNotice(t.Context(), o.Manager, sale.ID)
	if err != nil || notice.Status != cancellations.NoticeNotRequested || notice.RequestedAt != nil || notice.Since != nil {
		t.Errorf("CustomerNotice() of a sale that nobody asked about = %+v, %v", notice, err)
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
		status cancellations.NoticeStatus
		asked  *time.Time
	}{
		{"asked for too late, twice", late.ID, cancellations.NoticeTooLate, &asked},
		{"nobody asked", quiet.ID, cancellations.NoticeNotRequested, nil},
		{"rejected before", rejected.ID, cancellations.NoticeRejected, &c.RequestedAt},
	} {
		notice, err := o.Cancellations.CustomerNotice(t.Context(), o.Manager, tt.sale)
		if err != nil || notice.Status != tt.status || !notice.Closed || (notice.RequestedAt == nil) != (tt.asked == nil) || tt.asked != nil &&
			!notice.RequestedAt.Equal(*tt.asked) {
			t.Errorf("%s: CustomerNotice() = %+v, %v; want %s, asked for at %v, closed", tt.name, notice, err, tt.status, tt.asked)
		}
	}
}

// TestASlipSaysCanceledOnlyByEvidence checks everything that can confirm a
// cancellation, and everything that can contradict it.
func TestASlipSaysCanceledOnlyByEvidence(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale, c := o.StateOf(models.Confirmed)
	status := func(detail models.Detail, conflict models.Conflict) cancellations.NoticeStatus {
		t.Helper()
		if _, err := o.Owner.Exec(`UPDATE cancellations SET detail = $2, conflict = $3, conflict_at = CASE WHEN $3 = '' THEN NULL ELSE now() END
			WHERE id = $1`,
			c.ID, detail, conflict); err != nil {
			t.Fatal(err)
		}
		notice, err := o.Cancellations.CustomerNotice(t.Context(), o.Manager, sale.ID)
		if err != nil {
			t.Fatal(err)
		}
		return notice.Status
	}
	for detail, want := range map[models.Detail]cancellations.NoticeStatus{
		models.DetailTerminalConfirmed: cancellations.NoticeCanceled, models.DetailCanceledOnTerminal: cancellations.NoticeCanceled,
		models.DetailInquiryCanceled: cancellations.NoticeCanceled, models.DetailResolvedCanceled: cancellations.NoticeSeen,
		models.DetailReconciledCanceled: cancellations.NoticeReported, models.DetailAckMeansCanceled: cancellations.NoticeAcknowledged,
		"": cancellations.NoticeDisputed, "somethingNew": cancellations.NoticeDisputed,
	} {
		if got := status(detail, ""); got != want {
			t.Errorf("confirmed by %q is %s, want %s", detail, got, want)
		}
	}
	for conflict, want := range map[models.Conflict]cancellations.NoticeStatus{
		models.ConflictLatePositive: cancellations.NoticeCanceled, models.ConflictWithoutCancellation: cancellations.NoticeCanceled,
		models.ConflictStillCharged: cancellations.NoticeDisputed, models.ConflictReportedRejected: cancellations.NoticeDisputed,
		models.ConflictReportCharged: cancellations.NoticeDisputed, models.ConflictAmountDiffers: cancellations.NoticeDisputed,
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
	if _, err := o.Cancellations.CustomerNotice(t.Context(), o.Manager, sale.ID); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("CustomerNotice() of another store's sale = %v, want ErrNotFound", err)
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
	notice := func(sale *models.Sale) *cancellations.CustomerNotice {
		t.Helper()
		s, err := o.Cancellations.CustomerNotice(t.Context(), o.Manager, sale.ID)
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
	if got := notice(sale); got.Status != cancellations.NoticeWaiting || got.RequestedAt == nil ||
		!got.RequestedAt.Equal(second.RequestedAt) {
		t.Errorf("the notice of a second request = %s, asked at %v; want it waiting since %s",
			got.Status, got.RequestedAt, second.RequestedAt)
	}
	o.Post(modelstest.CancelPost(sale, key))
	if got := notice(sale); got.Status != cancellations.NoticeCanceled || got.RequestedAt == nil ||
		!got.RequestedAt.Equal(first.RequestedAt) {
		t.Errorf("the notice after a late yes = %s, asked at %v; want it canceled, asked at %s",
			got.Status, got.RequestedAt, first.RequestedAt)
	}

	o.Terminal = o.NewTerminal(o.Store)
	byHand := o.Sale(100)
	o.CancelByHand(byHand)
	if got := notice(byHand); got.Status != cancellations.NoticeCanceled || got.RequestedAt != nil || got.Since == nil {
		t.Errorf("the notice of what was canceled by hand = %s, asked at %v, since %v; want it canceled, and that nobody asked here", got.Status,
			got.RequestedAt, got.Since)
	}

	odd := o.Sale(100)
	modelstest.Exec(t, o.Owner, `UPDATE sales SET state = 'confirmed' WHERE id = $1`, odd.ID)
	if got := notice(odd).Status; got != cancellations.NoticeDoubt {
		t.Errorf("the notice of a state without a case = %s, want %s", got, cancellations.NoticeDoubt)
	}
}
