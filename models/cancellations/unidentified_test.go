package cancellations_test

import (
	"testing"
	"time"

	"veinte/models"
	"veinte/models/cancellations"
	"veinte/models/modelstest"
	"veinte/models/wiring"
)

// unidentified are positives that anybody could have posted, by what they lack.
var unidentified = map[string]func(*models.Post){
	"an attempt":                    func(p *models.Post) { p.AttemptKey = "" },
	"an attempt and an amount":      func(p *models.Post) { p.AttemptKey, p.Amount = "", nil },
	"an amount":                     func(p *models.Post) { p.Amount = nil },
	"an order":                      func(p *models.Post) { p.OrderID = "" },
	"a terminal":                    func(p *models.Post) { p.SerialNumber = "" },
	"an amount, at its own address": func(p *models.Post) { p.AttemptKey, p.Amount, p.OwnAddress = "", nil, true },
	"an attempt, as a reprint": func(p *models.Post) {
		p.AttemptKey, p.Kind, p.Standing = "", models.ResultInquiry, models.StandingCanceled
	},
	"a question, as its answer": func(p *models.Post) {
		p.AttemptKey, p.Kind, p.Standing = models.NewAttemptKey().Hash(), models.ResultInquiry, "V"
	},
	"a question, at its own address": func(p *models.Post) {
		p.AttemptKey, p.Kind, p.Standing, p.OwnAddress = "", models.ResultInquiry, "V", true
	},
}

// noByteLeft are the states in which nothing was ever sent.
var noByteLeft = map[models.State]bool{models.Requested: true, models.Withdrawn: true, models.Expired: true}

// claimOf is a positive of the cancellation without what identifies it; ok is false
// where it would have nothing left to match it by.
func claimOf(o *modelstest.Office, sale *models.Sale, c *models.Cancellation, change func(*models.Post)) (p models.Post, ok bool) {
	p = modelstest.CancelPost(sale, modelstest.CurrentKey(o, c))
	change(&p)
	return p, p.AttemptKey != "" && p.Kind == models.ResultCancellation || p.OrderID != "" && p.SerialNumber != ""
}

// A positive that does not say who speaks moves nothing. What an inquiry of ours says
// afterwards decides.
func TestAPositiveWithoutIdentificationOverEveryState(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	for _, state := range modelstest.EveryState {
		for lacks, change := range unidentified {
			t.Run(string(state)+" without "+lacks, func(t *testing.T) {
				t.Parallel()
				o := office.Branch(t)
				sale, c := o.StateOf(state)
				before := o.Cancellation(c.ID).Version
				o.Queue.Take(t)
				o.Clock.Advance(time.Second)
				p, ok := claimOf(o, sale, c, change)
				if !ok {
					return
				}
				want := outcome{models.ResultIgnored, "asked", state, ""}
				switch {
				case state == models.Confirmed:
					want = outcome{models.ResultDuplicate, "confirmed", state, ""}
				case noByteLeft[state]:
					want = outcome{models.ResultConflict, "unidentified", state, models.ConflictUnidentified}
				}
				r := o.Post(p)
				modelstest.Equal(t, "outcome", outcomeOf(o, r, c.ID), want)
				if got := o.Cancellation(c.ID).Version; got != before {
					t.Errorf("version = %d, want %d as before", got, before)
				}
				asked := modelstest.Tasks(o.Queue.Take(t), models.TaskInquireSale, sale.ID)
				if got, want := len(asked) == 4 && asked[0].Once, state != models.Confirmed; got != want {
					t.Errorf("tasks of inquiries = %+v, want three and one to look back: %t", asked, want)
				}
				if state == models.Sending || state == models.Confirmed {
					return
				}
				o.AnswerInquiry(sale, models.StandingCanceled)
				conflict := map[bool]models.Conflict{true: "", false: models.ConflictLatePositive}[state.Open()]
				if state == models.Requested {
					conflict = models.ConflictUnidentified
				}
				if got := o.Cancellation(c.ID); got.State != models.Confirmed || got.Conflict != conflict {
					t.Errorf("after the terminal's answer it is %s (%s), want confirmed (%s)", got.State, got.Conflict, conflict)
				}
				if got := o.Result(r.ID); got.Status != models.ResultDuplicate || got.Note != "confirmed" {
					t.Errorf("after the answer the post is %s (%s), want a duplicate of what is confirmed", got.Status, got.Note)
				}
				o.CheckInvariants(t)
			})
		}
	}
	t.Cleanup(func() { office.CheckInvariants(t) })
}

// Where no terminal can be asked the post waits for a supervisor.
func TestWithoutInquiriesAPositiveWithoutIdentificationIsAConflict(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t, func(c *wiring.Config) { c.Inquiries = nil })
	for _, state := range modelstest.EveryState {
		o.Terminal = o.NewTerminal(o.Store)
		sale, c := o.StateOf(state)
		o.Queue.Take(t)
		want := outcome{models.ResultConflict, "unidentified", state, models.ConflictUnidentified}
		if state == models.Confirmed {
			want = outcome{models.ResultDuplicate, "confirmed", state, ""}
		}
		modelstest.Equal(t, string(state), outcomeOf(o, o.Post(modelstest.CancelPost(sale, "")), c.ID), want)
		if got := modelstest.Tasks(o.Queue.Take(t), models.TaskInquireSale, sale.ID); len(got) != 0 {
			t.Errorf("%s: inquiries are enqueued: %+v", state, got)
		}
	}
	sale := o.Sale(700)
	r := o.Post(modelstest.CancelPost(sale, ""))
	if r.Status != models.ResultConflict || r.Note != "unidentified" || len(o.SaleDetail(sale.ID).Cancellations) != 0 {
		t.Errorf("a post of a sale that nobody asked to cancel is %s (%s), want a conflict and no cancellation", r.Status, r.Note)
	}
	o.CheckInvariants(t)
}

// At most three inquiries are sent because of such posts, one after another; what
// stays without an answer is raised.
func TestAClaimWithoutAnAnswerIsRaised(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	for _, state := range []models.State{"", models.Accepted, models.Rejected} {
		t.Run("over "+string(state), func(t *testing.T) {
			t.Parallel()
			o := office.Branch(t)
			var sale *models.Sale
			var c *models.Cancellation
			if state == "" {
				sale = o.Sale(125000)
			} else {
				sale, c = o.StateOf(state)
			}
			o.Queue.Take(t)
			claim := o.Post(modelstest.CancelPost(sale, ""))
			o.Post(modelstest.CancelPost(sale, "")) // it is asked about already
			looks := modelstest.Tasks(o.Queue.Take(t), models.TaskInquireSale, sale.ID)
			if len(looks) != 4 {
				t.Fatalf("the tasks are %+v, want 4", looks)
			}
			for try, look := range looks {
				if look.Attempt != try || look.After != time.Duration(try)*time.Minute {
					t.Errorf("task %d is %+v, want one after as many minutes", try, look)
				}
				if got := o.Result(claim.ID).Note; got != cancellations.NoteAsked {
					t.Errorf("after %d inquiries the post is %s, want asked", try, got)
				}
				if wait, err := o.Cancellations.InquireSale(t.Context(), sale.ID, try); wait != 0 || err != nil {
					t.Fatalf("InquireSale() = %s, %v", wait, err)
				}
				if wait, err := o.Cancellations.InquireSale(t.Context(), sale.ID, 9); (wait > 0) != (try < 3) || err != nil {
					t.Errorf("a second one at once waits %s (%v), want a wait: %t", wait, err, try < 3)
				}
				o.Clock.Advance(time.Minute)
			}
			if got := len(o.Inquiries.Orders()); got != 3 {
				t.Errorf("%d inquiries were sent, want 3", got)
			}
			if got := o.Result(claim.ID); got.Status != models.ResultConflict || got.Note != "unidentified" {
				t.Errorf("the post without an answer is %s (%s), want a conflict", got.Status, got.Note)
			}
			if c != nil && o.Cancellation(c.ID).Conflict != models.ConflictUnidentified {
				t.Errorf("the cancellation's conflict is %q, want unidentified", o.Cancellation(c.ID).Conflict)
			}
			again := o.Post(modelstest.CancelPost(sale, ""))
			if again.Status != models.ResultConflict || len(modelstest.Tasks(o.Queue.Take(t), models.TaskInquireSale, sale.ID)) != 0 {
				t.Errorf("a further post is %s (%s), want a conflict, and no inquiry", again.Status, again.Note)
			}
			o.CheckInvariants(t)
		})
	}
}

// "Still charged" refutes what was posted before the question, and only that.
func TestStillChargedRefutesAClaim(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale, c := o.StateOf(models.Accepted)
	o.Clock.Advance(time.Second)
	claim := o.Post(modelstest.CancelPost(sale, ""))
	if _, err := o.Cancellations.InquireSale(t.Context(), sale.ID, 0); err != nil {
		t.Fatal(err)
	}
	o.Clock.Advance(time.Second)
	later := o.Post(modelstest.CancelPost(sale, ""))
	answer := modelstest.InquiryPost(sale, models.StandingCharged)
	answer.AttemptKey = o.Inquiries.Orders()[0].Key.Hash()
	o.Post(answer)
	if a, b := o.Result(claim.ID).Note, o.Result(later.ID).Note; a != "answeredOtherwise" || b != cancellations.NoteAsked {
		t.Errorf("the posts before and after the question are %s and %s, want answeredOtherwise and asked", a, b)
	}
	if got := o.Cancellation(c.ID); got.State != models.Accepted || got.Conflict != "" {
		t.Errorf("the cancellation is %s (%s), want accepted", got.State, got.Conflict)
	}
	o.AnswerInquiry(sale, models.StandingCharged)
	o.Queue.Take(t)
	o.Clock.Advance(time.Hour)
	if _, err := o.Cancellations.InquireSale(t.Context(), sale.ID, 2); err != nil || len(o.Inquiries.Orders()) != 2 {
		t.Errorf("with every post decided, %d inquiries were sent (%v), want 2", len(o.Inquiries.Orders()), err)
	}
	o.CheckInvariants(t)
}

// Own address: the address says who speaks, but only one attempt can be meant.
func TestWhatAPositiveAtTheTerminalsOwnAddressProves(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	tests := map[string]struct {
		life func(t *testing.T, o *modelstest.Office) (*models.Sale, *models.Cancellation)
		want models.State
		note string
	}{
		"one attempt": {func(_ *testing.T, o *modelstest.Office) (*models.Sale, *models.Cancellation) {
			return o.StateOf(models.Accepted)
		}, models.Confirmed, "confirmed"},
		"an attempt after two that did not leave": {func(_ *testing.T, o *modelstest.Office) (*models.Sale, *models.Cancellation) {
			sale := o.Sale(125000)
			c := o.Request(sale)
			o.API.Then(modelstest.NotDialed, modelstest.NotDialed, modelstest.TimedOut)
			for range 3 {
				o.Dispatch(c.ID)
			}
			return sale, c
		}, models.Confirmed, "confirmed"},
		"an attempt that did not leave": {func(_ *testing.T, o *modelstest.Office) (*models.Sale, *models.Cancellation) {
			sale := o.Sale(125000)
			c := o.Request(sale)
			o.API.Then(modelstest.NotDialed)
			o.Dispatch(c.ID)
			return sale, c
		}, models.Requested, "unidentified"},
		"two attempts": {func(_ *testing.T, o *modelstest.Office) (*models.Sale, *models.Cancellation) {
			sale, _ := o.StateOf(models.Rejected)
			c := o.Request(sale)
			o.Dispatch(c.ID)
			return sale, c
		}, models.Accepted, "asked"},
		"one attempt, and a later request of which nothing left": {
			func(_ *testing.T, o *modelstest.Office) (*models.Sale, *models.Cancellation) {
				sale, c := o.StateOf(models.Rejected)
				o.Request(sale)
				return sale, c
			}, models.Confirmed, "confirmed",
		},
	}
	for fact, tt := range tests {
		t.Run(fact, func(t *testing.T) {
			t.Parallel()
			o := office.Branch(t)
			sale, c := tt.life(t, o)
			p := modelstest.CancelPost(sale, "")
			p.OwnAddress = true
			early := p // at the instant at which the attempt began: not after it
			if r := o.Post(early); r.Status == models.ResultApplied {
				t.Errorf("a post that came not after the attempt is %s (%s)", r.Status, r.Note)
			}
			o.Clock.Advance(time.Second)
			if r := o.Post(p); r.Note != tt.note || o.Cancellation(c.ID).State != tt.want {
				t.Errorf("the post is %s (%s), the cancellation %s; want %s, %s", r.Status, r.Note, o.Cancellation(c.ID).State, tt.note, tt.want)
			}
			o.CheckInvariants(t)
		})
	}
}

// While the terminal is about to be asked whether the sale is canceled already, no
// push leaves for it; not for longer than an inquiry takes.
func TestACancellationWaitsForTheAnswerAboutItsSale(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale, c := o.StateOf(models.Requested)
	o.Post(modelstest.CancelPost(sale, ""))
	if wait := o.Dispatch(c.ID); wait != time.Second {
		t.Errorf("Dispatch() before the inquiry waits %s, want 1s", wait)
	}
	if _, err := o.Cancellations.InquireSale(t.Context(), sale.ID, 0); err != nil {
		t.Fatal(err)
	}
	if wait := o.Dispatch(c.ID); wait != 5*time.Second {
		t.Errorf("Dispatch() during the inquiry waits %s, want 5s", wait)
	}
	answer := modelstest.InquiryPost(sale, models.StandingCharged)
	answer.AttemptKey = o.Inquiries.Orders()[0].Key.Hash()
	o.Post(answer)
	if wait := o.Dispatch(c.ID); wait != 0 || o.Cancellation(c.ID).State != models.Accepted {
		t.Errorf("Dispatch() after the answer waits %s and leaves it %s, want accepted", wait, o.Cancellation(c.ID).State)
	}
	// An inquiry whose task was lost holds nobody up for longer.
	o.Terminal = o.NewTerminal(o.Store)
	sale, c = o.StateOf(models.Requested)
	o.Post(modelstest.CancelPost(sale, ""))
	o.Clock.Advance(30 * time.Second)
	if wait := o.Dispatch(c.ID); wait != 0 {
		t.Errorf("Dispatch() 30 s after the post waits %s, want 0", wait)
	}
	o.CheckInvariants(t)
}

// The task may be lost, and inquiries may be switched off by a restart.
func TestTheSweepFindsForgottenClaims(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale := o.Sale(125000)
	o.Post(modelstest.CancelPost(sale, ""))
	o.Queue.Take(t)
	for after, want := range []int{0, 1} {
		if err := o.Cancellations.ReinquireIdle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := modelstest.Tasks(o.Queue.Take(t), models.TaskInquireSale, sale.ID); len(got) != want {
			t.Errorf("sweep %d enqueued %+v, want %d", after+1, got, want)
		}
		o.Clock.Advance(6 * time.Minute)
	}
	o.AnswerInquiry(sale, models.StandingCanceled)
	o.Queue.Take(t)
	o.Clock.Advance(6 * time.Minute)
	if err := o.Cancellations.ReinquireIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := modelstest.Tasks(o.Queue.Take(t), models.TaskInquireSale, sale.ID); len(got) != 0 {
		t.Errorf("what is decided is asked about again: %+v", got)
	}
}
