package views

import (
	"time"

	"veinte/models"
)

// teller writes what happened to a sample sale, step after step.
type teller struct {
	story *models.SaleStory
	now   time.Time
	from  models.State
}

// tell writes the steps from the request to a state.
func (t *teller) tell(state models.SaleState) {
	t.from = models.Requested
	switch state {
	case models.SaleRequested:
		t.story.Cases[0].Place = 1
		return
	case withdrawn, models.SaleExpired:
		t.after(4 * time.Minute)
		t.move(models.State(state), sampleDetail(state), nil)
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
		t.move(models.Confirmed, models.DetailTerminalConfirmed, &t.story.Cases[0].Attempts)
	case models.SaleRejected:
		t.answer(240*time.Millisecond, models.Attempt{Meaning: models.MeaningRefused, Detail: models.DetailTerminalNotFound, HTTPStatus: 200, Code: "19"}, models.Rejected)
	default:
		t.answer(30*time.Second, models.Attempt{Meaning: models.MeaningUnknown, Detail: models.DetailTimeout}, models.Unknown)
		t.after(time.Minute)
		t.posted(models.ResultInquiry, models.ResultIgnored, "00")
		if state == models.SaleNotCanceled {
			t.after(3 * time.Minute)
			t.posted(models.ResultInquiry, models.ResultApplied, "00")
			t.move(models.NotCanceled, models.DetailInquiryCharged, nil)
		}
	}
}

func (t *teller) after(d time.Duration) { t.now = t.now.Add(d) }

// begin writes the attempt and the move to sending, at one instant.
func (t *teller) begin() {
	t.after(time.Second)
	c := &t.story.Cases[0]
	c.Attempts = 1
	c.AttemptList = []models.Attempt{{ID: 1, Number: 1, StartedAt: t.now}}
	t.move(models.Sending, "", &c.Attempts)
}

func (t *teller) acknowledged() {
	t.answer(80*time.Millisecond, models.Attempt{Meaning: models.MeaningAccepted, Detail: models.DetailAccepted, HTTPStatus: 200, Code: "00"}, models.Accepted)
}

func (t *teller) entry(e models.AuditEntry) {
	caseID := t.story.Cases[0].ID
	e.ID, e.At, e.CancellationID = int64(len(t.story.Entries)+1), t.now, &caseID
	t.story.Entries = append(t.story.Entries, e)
}

func (t *teller) move(to models.State, detail models.Detail, attempt *int) {
	e := models.AuditEntry{
		ActorName: "dispatch", ActorRole: models.SystemRole, OnBehalfOf: "Ana Torres Luna", Action: models.ActionCaseMoved, Outcome: models.OutcomeSuccess,
		AttemptNumber: attempt, Before: []byte(`{"state":"` + string(t.from) + `"}`), After: []byte(`{"state":"` + string(to) + `","detail":"` + string(detail) + `"}`),
	}
	if to == models.Unknown {
		e.Outcome = models.OutcomeUnknown
	}
	t.entry(e)
	t.from = to
}

// answer ends the attempt and moves the case at one instant.
func (t *teller) answer(took time.Duration, a models.Attempt, to models.State) {
	t.after(took)
	now, first := t.now, &t.story.Cases[0].AttemptList[0]
	a.ID, a.Number, a.StartedAt, a.FinishedAt, a.DurationMS = first.ID, first.Number, first.StartedAt, &now, int(took.Milliseconds())
	*first = a
	t.move(to, a.Detail, &first.Number)
}

func (t *teller) posted(kind models.ResultKind, status models.ResultStatus, code string) {
	t.story.Results = append(t.story.Results, models.Result{
		ID: int64(len(t.story.Results) + 1), ReceivedAt: t.now, Kind: kind, Status: status, ResponseCode: code, SerialNumber: "1234567890",
	})
}
