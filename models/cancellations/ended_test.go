package cancellations_test

import (
	"testing"
	"time"

	"veinte/models"
	"veinte/models/cancellations"
	"veinte/models/modelstest"
)

// A lost answer: only once the quiet time is over, 180 s after the push, can a terminal
// prove that the sale is still charged. It is asked then, and not a minute later.
func TestADoubtIsAskedAboutSoonAfterTheQuietTime(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale, c := o.StateOf(models.Unknown)
	enqueued := c.ChangedAt
	for o.Cancellation(c.ID).State == models.Unknown {
		due := modelstest.Tasks(o.Queue.Take(t), models.TaskInquire, c.ID)
		if len(due) != 1 {
			t.Fatalf("%s after the doubt began the tasks are %+v, want one inquiry", enqueued.Sub(c.ChangedAt), due)
		}
		enqueued = enqueued.Add(due[0].After)
		o.Clock.Set(enqueued)
		if wait, err := o.Cancellations.Inquire(t.Context(), c.ID, due[0].Attempt); err != nil || wait != 0 {
			t.Fatalf("Inquire(%d) = %s, %v, want 0", due[0].Attempt, wait, err)
		}
		o.Clock.Advance(time.Second)
		asked := o.Inquiries.Orders()
		p := modelstest.InquiryPost(sale, models.StandingCharged)
		p.AttemptKey = asked[len(asked)-1].Key.Hash()
		o.Post(p)
	}
	got := o.Cancellation(c.ID)
	if took := got.ChangedAt.Sub(c.ChangedAt); got.State != models.NotCanceled || took != 186*time.Second {
		t.Errorf("the doubt ended after %s as %s, want after 3m6s as notCanceled", took, got.State)
	}
	o.CheckInvariants(t)
}

// The quiet time is prolonged when bytes turn out to have left late, perhaps after the
// terminal was asked: it is asked once more after the new end.
func TestAProlongedQuietTimeIsFollowedByAnInquiry(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	_, c := o.StateOf(models.Unknown)
	inquire := func(after time.Duration, try int) {
		t.Helper()
		o.Clock.Set(c.ChangedAt.Add(after))
		o.Queue.Take(t)
		if wait, err := o.Cancellations.Inquire(t.Context(), c.ID, try); err != nil || wait != 0 {
			t.Fatalf("Inquire(%d) = %s, %v, want 0", try, wait, err)
		}
	}
	inquire(185*time.Second, 4)
	modelstest.Exec(t, o.Owner, `UPDATE cancellations SET quiet_until = quiet_until + interval '2 minutes'`)
	inquire(240*time.Second, 5)
	due := modelstest.Tasks(o.Queue.Take(t), models.TaskInquire, c.ID)
	want := []models.Task{{Kind: models.TaskInquire, SubjectID: c.ID, Attempt: 6, After: 65 * time.Second, Once: true}}
	modelstest.Equal(t, "tasks after the quiet time was prolonged to 300 s", due, want)
	if got := o.Cancellation(c.ID); !got.NextInquiry.Equal(c.ChangedAt.Add(305 * time.Second)) {
		t.Errorf("the page says the next inquiry is at %s, want 305 s after %s", got.NextInquiry, c.ChangedAt)
	}
}

// step is something that happens to a sale and its cancellation.
type step func(t *testing.T, o *modelstest.Office, sale *models.Sale, id int64)

// Who asked is told how a doubt ended, whoever ended it, and again when it then ends
// otherwise. Programs have other ways, and whoever ended it knows.
func TestWhoAskedIsToldHowADoubtEnded(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	noTicket := cancellations.Resolution{Outcome: models.NotCanceled, Note: "no salió comprobante alguno"}
	resolve := func(who func(*modelstest.Office) models.Actor) step {
		return func(t *testing.T, o *modelstest.Office, _ *models.Sale, id int64) {
			if err := o.Cancellations.Resolve(t.Context(), who(o), id, noTicket); err != nil {
				t.Errorf("Resolve() = %v", err)
			}
		}
	}
	supervisor := func(o *modelstest.Office) models.Actor { return o.Supervisor }
	themselves := func(o *modelstest.Office) models.Actor {
		modelstest.Exec(t, o.Owner, `UPDATE users SET role = 'supervisor', all_stores = true WHERE id = $1`, o.Manager.UserID)
		me := o.Supervisor
		me.UserID = o.Manager.UserID
		return me
	}
	for _, tt := range []struct {
		fact  string
		state models.State
		then  []step
		told  []models.State // one after the other
	}{
		{"by a supervisor", models.Unknown, []step{resolve(supervisor)}, []models.State{models.NotCanceled}},
		{"by the terminal's answer", models.Unknown, []step{answerCanceled}, []models.State{models.Confirmed}},
		{
			"and then otherwise", models.Unknown,
			[]step{resolve(supervisor), postCanceled},
			[]models.State{models.NotCanceled, models.Confirmed},
		},
		{"of what was never in doubt", models.Accepted, []step{postCanceled}, []models.State{""}},
		{
			"by themselves", models.Unknown,
			[]step{resolve(themselves)},
			[]models.State{""},
		},
	} {
		o := office.Branch(t)
		sale, c := o.StateOf(tt.state)
		for i, then := range tt.then {
			o.Clock.Advance(o.Config.Waits.Quiet + time.Second)
			then(t, o, sale, c.ID)
			if got := told(t, o, c.ID); got != tt.told[i] {
				t.Errorf("%s: after step %d who asked is told %q, want %q", tt.fact, i+1, got, tt.told[i])
			}
		}
		o.CheckInvariants(t)
	}
}

// told is what is told of a cancellation to who asked for it; "" when nothing is.
func told(t *testing.T, o *modelstest.Office, id int64) models.State {
	t.Helper()
	all, err := o.Review.EndedDoubts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var state models.State
	for _, e := range all {
		if e.CancellationID == id && e.Tells(o.Manager) && state == "" {
			state = e.State
		}
	}
	return state
}

func answerCanceled(t *testing.T, o *modelstest.Office, sale *models.Sale, id int64) {
	t.Helper()
	if wait, err := o.Cancellations.Inquire(t.Context(), id, 1); err != nil || wait != 0 {
		t.Fatalf("Inquire() = %s, %v, want 0", wait, err)
	}
	asked := o.Inquiries.Orders()
	p := modelstest.InquiryPost(sale, models.StandingCanceled)
	p.AttemptKey = asked[len(asked)-1].Key.Hash()
	o.Post(p)
}

func postCanceled(_ *testing.T, o *modelstest.Office, sale *models.Sale, _ int64) {
	o.Post(modelstest.CancelPost(sale, o.LastOrder().Key.Hash()))
}

// A program that asked is told by webhooks and the stream, and by nothing that only
// people see.
func TestAProgramIsNotToldOnPages(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t, modelstest.Trusting)
	program := models.Actor{
		UserID: o.Manager.UserID, Name: "ERP", Role: models.Integration, AllStores: true,
		Grants: []models.Permission{models.CancelSales, models.ViewSales},
	}
	c, err := o.Cancellations.Request(t.Context(), program, o.CancelRequest(o.Sale(5000)))
	if err != nil {
		t.Fatal(err)
	}
	o.API.Then(modelstest.TimedOut)
	o.Dispatch(c.ID)
	err = o.Cancellations.Resolve(t.Context(), o.Supervisor, c.ID, cancellations.Resolution{Outcome: models.Confirmed, Folio: "C-1"})
	if err != nil {
		t.Fatal(err)
	}
	if got := told(t, o, c.ID); got != "" {
		t.Errorf("a person with the program's number is told %q, want nothing", got)
	}
}

// What a person has seen is not told again; nobody hides what is told to another.
func TestWhatWasSeenIsNotToldAgain(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale, c := o.StateOf(models.Unknown)
	answerCanceled(t, o, sale, c.ID)
	all, err := o.Review.EndedDoubts(t.Context())
	if err != nil || len(all) != 1 {
		t.Fatalf("EndedDoubts() = %v, %v, want one", all, err)
	}
	other := modelstest.Person(models.Manager, o.Store)
	for _, who := range []models.Actor{other, o.Manager} {
		if err := o.Review.SawEnded(t.Context(), who, []int64{all[0].ID}); err != nil {
			t.Fatal(err)
		}
		want := models.State("")
		if who.UserID == other.UserID {
			want = models.Confirmed
		}
		if got := told(t, o, c.ID); got != want {
			t.Errorf("after %s saw it the manager is told %q, want %q", who.Name, got, want)
		}
	}
}
