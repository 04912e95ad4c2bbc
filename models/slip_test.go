package models_test

import (
	"errors"
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
)

// TestASlipTellsWhatIsKnown: of a case in each state, and of none.
func TestASlipTellsWhatIsKnown(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	for state, want := range map[models.State]models.SlipTold{
		models.Requested: models.SlipWaiting, models.Withdrawn: models.SlipTakenBack, models.Expired: models.SlipNotSent,
		models.Sending: models.SlipSent, models.Accepted: models.SlipSent, models.Rejected: models.SlipRejected,
		models.Unknown: models.SlipDoubt, models.Confirmed: models.SlipSeen, models.NotCanceled: models.SlipCharged,
	} {
		o.Terminal = o.NewTerminal(o.Store)
		sale, c := o.In(state)
		slip, err := o.Cases.Slip(t.Context(), o.Manager, sale.ID)
		if err != nil || slip.Told != want || slip.AskedAt == nil || !slip.AskedAt.Equal(c.RequestedAt) {
			t.Errorf("Slip() of a case %s = %+v, %v; want told %s, asked at %s", state, slip, err, want, c.RequestedAt)
		}
	}
	sale := o.Sale(100)
	slip, err := o.Cases.Slip(t.Context(), o.Manager, sale.ID)
	if err != nil || slip.Told != models.SlipNotAsked || slip.AskedAt != nil || slip.Since != nil {
		t.Errorf("Slip() of a sale that nobody asked about = %+v, %v", slip, err)
	}
	entries := o.Story(sale.ID).Entries
	if n := len(entries); n == 0 || entries[n-1].Action != models.ActionSlipShown || string(entries[n-1].After) != `{"told": "notAsked"}` {
		t.Errorf("the trail tells of the slip as %+v", entries)
	}
}

// TestASlipSaysCanceledOnlyByEvidence goes through everything that can confirm a
// case, and everything that can contradict it.
func TestASlipSaysCanceledOnlyByEvidence(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale, c := o.In(models.Confirmed)
	told := func(detail models.Detail, conflict models.Conflict) models.SlipTold {
		t.Helper()
		if _, err := o.Owner.Exec(`UPDATE cancellations SET detail = $2, conflict = $3, conflict_at = CASE WHEN $3 = '' THEN NULL ELSE now() END WHERE id = $1`,
			c.ID, detail, conflict); err != nil {
			t.Fatal(err)
		}
		slip, err := o.Cases.Slip(t.Context(), o.Manager, sale.ID)
		if err != nil {
			t.Fatal(err)
		}
		return slip.Told
	}
	for detail, want := range map[models.Detail]models.SlipTold{
		models.DetailTerminalConfirmed: models.SlipCanceled, models.DetailCanceledOnTerminal: models.SlipCanceled,
		models.DetailInquiryCanceled: models.SlipCanceled, models.DetailSettledCanceled: models.SlipSeen,
		models.DetailReconciledCanceled: models.SlipReported, models.DetailAckMeansCanceled: models.SlipAcknowledged,
		"": models.SlipDisputed, "somethingNew": models.SlipDisputed,
	} {
		if got := told(detail, ""); got != want {
			t.Errorf("confirmed by %q is told as %s, want %s", detail, got, want)
		}
	}
	for conflict, want := range map[models.Conflict]models.SlipTold{
		models.ConflictLatePositive: models.SlipCanceled, models.ConflictWithoutCase: models.SlipCanceled,
		models.ConflictStillCharged: models.SlipDisputed, models.ConflictReportedRejected: models.SlipDisputed,
		models.ConflictReportCharged: models.SlipDisputed, models.ConflictAmountDiffers: models.SlipDisputed,
	} {
		if got := told(models.DetailTerminalConfirmed, conflict); got != want {
			t.Errorf("confirmed with the conflict %s is told as %s, want %s", conflict, got, want)
		}
	}
}

// TestASlipOfAnotherStore is none.
func TestASlipOfAnotherStore(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	other := modelstest.Store(t, o.DB, o.Clock.Now(), "OTRA")
	sale := o.SaleAt(o.NewTerminal(other), 7700)
	if _, err := o.Cases.Slip(t.Context(), o.Manager, sale.ID); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("Slip() of another store's sale = %v, want ErrNotFound", err)
	}
	if n := len(o.Story(sale.ID).Entries); n != 0 {
		t.Errorf("the refused slip left %d entries about the sale, want none here: the handler writes the denial", n)
	}
}
