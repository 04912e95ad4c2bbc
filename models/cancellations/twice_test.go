package cancellations_test

import (
	"sync"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/cancellations"
	"veinte/models/modelstest"
)

func TestAskingTenTimesAsksOnce(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	_, c := o.StateOf(models.Unknown)
	o.Queue.Take(t)
	already := &models.Error{Kind: models.KindConflict, Code: "error.alreadyAsked"}
	var group sync.WaitGroup
	var mu sync.Mutex
	refused := 0
	for range 10 {
		group.Go(func() {
			err := o.Cancellations.AskToVerify(t.Context(), o.Manager, c.ID)
			mu.Lock()
			defer mu.Unlock()
			if modelstest.IsError(err, already) {
				refused++
			} else if err != nil {
				t.Errorf("AskToVerify() = %v", err)
			}
		})
	}
	group.Wait()
	asked := modelstest.Tasks(o.Queue.Take(t), models.TaskInquire, c.ID)
	entries := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'inquiry.sent' AND actor_role = 'manager'`)
	if len(asked) != 1 || entries != 1 || refused != 9 {
		t.Errorf("ten presses: %d tasks, %d entries, %d refused; want 1, 1, 9", len(asked), entries, refused)
	}
	o.Clock.Advance(31 * time.Second)
	if err := o.Cancellations.AskToVerify(t.Context(), o.Manager, c.ID); err != nil {
		t.Errorf("AskToVerify() half a minute later = %v, want nil", err)
	}
}

func TestTwoSupervisorsSettleAtOnce(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	for _, other := range []cancellations.Resolution{
		{Outcome: models.Confirmed, Folio: "C-2"},
		{Outcome: models.NotCanceled, Note: "la terminal no muestra nada"},
	} {
		b := o.Branch(t)
		_, c := b.StateOf(models.Unknown)
		first, second := modelstest.Person(models.Supervisor), modelstest.Person(models.Supervisor)
		said := cancellations.Resolution{Outcome: models.NotCanceled, Note: "no salió comprobante alguno"}
		if other.Outcome == models.Confirmed {
			said = cancellations.Resolution{Outcome: models.Confirmed, Folio: "C-1"}
		}
		for range 2 { // a repeated click has no effect
			if err := b.Cancellations.Resolve(t.Context(), first, c.ID, said); err != nil {
				t.Fatalf("Settle() = %v", err)
			}
		}
		if err := b.Cancellations.Resolve(t.Context(), second, c.ID, other); !modelstest.IsError(err,
			&models.Error{Kind: models.KindConflict, Code: "error.alreadySettled"}) {
			t.Errorf("Settle(%s) by another = %v, want error.alreadySettled", other.Outcome, err)
		}
		moved := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'cancellation.moved' AND cancellation_id = $1
			AND actor_role = 'supervisor'`, c.ID)
		refused := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'resolution.refused' AND cancellation_id = $1
			AND reason = 'error.alreadySettled'`, c.ID)
		if moved != 1 || refused != 1 {
			t.Errorf("the trail holds %d settlements and %d refusals, want one of each", moved, refused)
		}
		b.CheckInvariants(t)
	}
}

// Invisible characters are no evidence.
func TestInvisibleEvidenceSettlesNothing(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	_, c := o.StateOf(models.Unknown)
	for folio, want := range map[string]string{
		"\u200b": "field.invalidText", "A\u202e1": "field.invalidText", "\x01": "field.invalidText",
		"---": "resolution.noTicket",
	} {
		err := o.Cancellations.Resolve(t.Context(), o.Supervisor, c.ID, cancellations.Resolution{Outcome: models.Confirmed, Folio: folio})
		if !modelstest.IsError(err, models.Invalid("folio", want)) {
			t.Errorf("Settle(folio %q) = %v, want %s", folio, err, want)
		}
	}
	if got := o.Cancellation(c.ID).State; got != models.Unknown {
		t.Errorf("case is %s, want unknown", got)
	}
}

func TestALostInquiryIsEnqueuedAgain(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	_, c := o.StateOf(models.Unknown)
	o.Queue.Take(t) // and forget them
	o.Clock.Advance(5 * time.Minute)
	modelstest.Sweep(t, o)
	if got := modelstest.Tasks(o.Queue.Take(t), models.TaskInquire, c.ID); len(got) != 0 {
		t.Errorf("before it counts as lost the sweep enqueued %v, want nothing", got)
	}
	o.Clock.Advance(31 * time.Second)
	modelstest.Sweep(t, o)
	if got := modelstest.Tasks(o.Queue.Take(t), models.TaskInquire, c.ID); len(got) != 1 || got[0].Attempt != 1 || !got[0].Once {
		t.Errorf("the sweep enqueued %v, want the first inquiry once", got)
	}
}
