package samples

import (
	"time"

	"veinte/models"
	"veinte/models/cancellations"
)

// TimelineBuilder writes what happened to a sample sale, step after step.
type TimelineBuilder struct {
	Detail *cancellations.SaleDetail
	Now    time.Time
	From   models.State
}

// tell writes the steps from the request to a state.
func (t *TimelineBuilder) tell(state models.SaleState) {
	t.From = models.Requested
	switch state {
	case models.SaleRequested:
		return
	case Withdrawn, models.SaleExpired:
		t.after(4 * time.Minute)
		t.Move(models.State(state), sampleDetail(state), nil)
		return
	}
	t.begin()
	switch state {
	case models.SaleSending:
	case models.SaleAccepted:
		t.acknowledged()
	case models.SaleConfirmed:
		t.acknowledged()
		t.after(9 * time.Second)
		t.posted(models.ResultCancellation, models.ResultApplied, "00")
		t.Move(models.Confirmed, models.DetailTerminalConfirmed, &t.Detail.Cancellations[0].Attempts)
	case models.SaleRejected:
		t.Answer(
			240*time.Millisecond,
			models.Attempt{Meaning: models.MeaningRefused, Detail: models.DetailTerminalNotFound, HTTPStatus: 200, Code: "19"}, models.Rejected,
		)
	default:
		t.Answer(30*time.Second, models.Attempt{Meaning: models.MeaningUnknown, Detail: models.DetailTimeout}, models.Unknown)
		t.after(time.Minute)
		t.posted(models.ResultInquiry, models.ResultIgnored, "00")
		if state == models.SaleNotCanceled {
			t.after(3 * time.Minute)
			t.posted(models.ResultInquiry, models.ResultApplied, "00")
			t.Move(models.NotCanceled, models.DetailInquiryCharged, nil)
		}
	}
}

func (t *TimelineBuilder) after(d time.Duration) { t.Now = t.Now.Add(d) }

// begin writes the attempt and the move to sending, at one instant.
func (t *TimelineBuilder) begin() {
	t.after(time.Second)
	c := &t.Detail.Cancellations[0]
	c.Attempts = 1
	c.AttemptList = []models.Attempt{{ID: 1, Number: 1, StartedAt: t.Now}}
	t.Move(models.Sending, "", &c.Attempts)
}

func (t *TimelineBuilder) acknowledged() {
	t.Answer(
		80*time.Millisecond, models.Attempt{Meaning: models.MeaningAccepted, Detail: models.DetailAccepted, HTTPStatus: 200, Code: "00"},
		models.Accepted,
	)
}

func (t *TimelineBuilder) entry(e models.AuditEntry) {
	caseID := t.Detail.Cancellations[0].ID
	e.ID, e.At, e.CancellationID = int64(len(t.Detail.Entries)+1), t.Now, &caseID
	t.Detail.Entries = append(t.Detail.Entries, e)
}

func (t *TimelineBuilder) Move(to models.State, detail models.Detail, attempt *int) {
	e := models.AuditEntry{
		ActorName: "dispatch", ActorRole: models.SystemRole, OnBehalfOf: "Ana Torres Luna", Action: models.ActionCancellationMoved,
		Outcome:       models.OutcomeSuccess,
		AttemptNumber: attempt, Before: []byte(`{"state":"` + string(t.From) + `"}`),
		After: []byte(`{"state":"` + string(to) + `","detail":"` + string(detail) + `"}`),
	}
	if to == models.Unknown {
		e.Outcome = models.OutcomeUnknown
	}
	t.entry(e)
	t.From = to
}

// Answer ends the attempt and moves the cancellation at the same time.
func (t *TimelineBuilder) Answer(took time.Duration, a models.Attempt, to models.State) {
	t.after(took)
	now, first := t.Now, &t.Detail.Cancellations[0].AttemptList[0]
	a.ID, a.Number, a.StartedAt, a.FinishedAt, a.DurationMS = first.ID, first.Number, first.StartedAt, &now, int(took.Milliseconds())
	*first = a
	t.Move(to, a.Detail, &first.Number)
}

func (t *TimelineBuilder) posted(kind models.ResultKind, status models.ResultStatus, code string) {
	t.Detail.Results = append(t.Detail.Results, models.Result{
		ID: int64(len(t.Detail.Results) + 1), ReceivedAt: t.Now, Kind: kind, Status: status, ResponseCode: code, SerialNumber: "1234567890",
	})
}
