package cancellations_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/cancellations"
	"veinte/models/modelstest"
	"veinte/models/operations"
	"veinte/models/rules"
	"veinte/models/wiring"
)

func TestAPauseStopsRequestsAndSending(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	waiting := o.Request(o.Sale(5000))
	sale := o.SaleAt(o.NewTerminal(o.Store), 6000)
	if err := o.Cancellations.Pause(t.Context(), o.Admin, " El proveedor está en mantenimiento "); err != nil {
		t.Fatalf("Pause() = %v", err)
	}
	if _, err := o.Cancellations.Request(t.Context(), o.Manager, o.CancelRequest(sale)); !modelstest.IsError(err, cancellations.ErrPaused) {
		t.Errorf("Request() during a pause = %v, want %v", err, cancellations.ErrPaused)
	}
	if err := requestable(t, o, sale, o.Terminal); !modelstest.IsError(err, cancellations.ErrPaused) {
		t.Errorf("Requestable() during a pause = %v, want %v", err, cancellations.ErrPaused)
	}
	if wait := o.Dispatch(waiting.ID); wait <= 0 || len(o.API.Orders()) != 0 || o.Cancellation(waiting.ID).State != models.Requested {
		t.Errorf("Dispatch() during a pause = %s, %d orders left, case %s; want a wait, none, requested", wait, len(o.API.Orders()),
			o.Cancellation(waiting.ID).State)
	}
	p := o.Operations.Notices(t.Context()).Pause
	if p == nil || p.Reason != "El proveedor está en mantenimiento" || p.PausedBy != o.Admin.Name || !p.PausedAt.Equal(o.Clock.Now()) {
		t.Errorf("Notices().Pause = %+v, want what the administrator wrote", p)
	}

	o.Queue.Take(t)
	o.Clock.Advance(-time.Minute) // the clock of another server
	if err := o.Cancellations.Resume(t.Context(), o.Admin, p.ID+1); !modelstest.IsError(err,
		&models.Error{Kind: models.KindConflict, Code: "error.notPaused"}) {
		t.Errorf("Resume() of another pause = %v, want error.notPaused", err)
	}
	if err := o.Cancellations.Resume(t.Context(), o.Admin, p.ID); err != nil {
		t.Fatalf("Resume() = %v", err)
	}
	if woken := modelstest.Tasks(o.Queue.Take(t), models.TaskDispatch, waiting.ID); len(woken) != 1 || woken[0].After != 0 {
		t.Errorf("tasks after the pause = %+v, want the waiting case at once", woken)
	}
	o.Dispatch(waiting.ID)
	if got := len(o.API.Orders()); got != 1 {
		t.Errorf("%d orders left after the pause, want 1", got)
	}
	if o.Operations.Notices(t.Context()).Pause != nil {
		t.Error("the notice stays after the pause")
	}
	for _, action := range []models.Action{models.ActionPaused, models.ActionResumed} {
		if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = $1 AND actor_id = $2`, action,
			o.Admin.UserID); n != 1 {
			t.Errorf("the trail holds %d entries %s, want 1", n, action)
		}
	}
	o.CheckInvariants(t)
}

func TestAPauseDoesNotOutlastTheCutoff(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	c := o.Request(o.Sale(5000))
	if err := o.Cancellations.Pause(t.Context(), o.Admin, "mantenimiento"); err != nil {
		t.Fatal(err)
	}
	o.Clock.Set(modelstest.At(t, "2026-11-20T20:00:00-06:00"))
	o.Dispatch(c.ID)
	if got := o.Cancellation(c.ID); got.State != models.Expired || len(o.API.Orders()) != 0 {
		t.Errorf("case is %s, %d orders left; want expired, none", got.State, len(o.API.Orders()))
	}
}

// A pause waits for attempts that are beginning; after that none begins.
func TestNoAttemptBeginsAfterAPause(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	var ids []int64
	for range 8 {
		ids = append(ids, o.Request(o.SaleAt(o.NewTerminal(o.Store), 5000)).ID)
	}
	var group sync.WaitGroup
	for _, id := range ids {
		group.Go(func() {
			if _, err := o.Cancellations.Dispatch(t.Context(), id); err != nil {
				t.Errorf("Dispatch() = %v", err)
			}
		})
	}
	if err := o.Cancellations.Pause(t.Context(), o.Admin, "ahora"); err != nil {
		t.Fatal(err)
	}
	begun := modelstest.Count(t, o.Owner, `SELECT count(*) FROM attempts`)
	group.Wait()
	if after := modelstest.Count(t, o.Owner, `SELECT count(*) FROM attempts`); after != begun {
		t.Errorf("%d attempts when the pause began, %d later; want none later", begun, after)
	}
}

func TestWhoMayPauseAndHow(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	for _, who := range []models.Actor{o.Manager, o.Supervisor} {
		if err := o.Cancellations.Pause(t.Context(), who, "porque sí"); !modelstest.IsError(err, models.ErrForbidden) {
			t.Errorf("Pause() by a %s = %v, want %v", who.Role, err, models.ErrForbidden)
		}
		if err := o.Cancellations.Resume(t.Context(), who, 1); !modelstest.IsError(err, models.ErrForbidden) {
			t.Errorf("Resume() by a %s = %v, want %v", who.Role, err, models.ErrForbidden)
		}
	}
	for reason, want := range map[string]string{
		"  ": "field.required", "a\x00b": "field.invalidText",
		strings.Repeat("é", 301): "field.tooLong",
	} {
		if err := o.Cancellations.Pause(t.Context(), o.Admin, reason); !modelstest.IsError(err, models.Invalid("reason", want)) {
			t.Errorf("Pause(%.9q…) = %v, want %s", reason, err, want)
		}
	}
	if err := o.Cancellations.Resume(t.Context(), o.Admin, 1); !modelstest.IsError(err,
		&models.Error{Kind: models.KindConflict, Code: "error.notPaused"}) {
		t.Errorf("Resume() without a pause = %v, want error.notPaused", err)
	}

	var group sync.WaitGroup
	var mu sync.Mutex
	refused := 0
	for range 5 {
		group.Go(func() {
			err := o.Cancellations.Pause(t.Context(), o.Admin, "todos a la vez")
			mu.Lock()
			defer mu.Unlock()
			if modelstest.IsError(err, &models.Error{Kind: models.KindConflict, Code: "error.alreadyPaused"}) {
				refused++
			} else if err != nil {
				t.Errorf("Pause() = %v", err)
			}
		})
	}
	group.Wait()
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM pauses`); n != 1 || refused != 4 {
		t.Errorf("five at once: %d pauses, %d refused; want 1, 4", n, refused)
	}
}

func managersResolve(may bool) func(*rules.Input) {
	return func(in *rules.Input) { in.ManagersResolve = may }
}

func TestManagersSettleWhenTheRulesLetThem(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	now := o.Clock.Now()
	u := modelstest.User(t, o.DB, now, "ana@veinte.test", models.Manager, o.Store)
	token, _, err := o.Entrance.Login(t.Context(), models.Actor{Address: "192.0.2.9"}, u.Email, modelstest.Password)
	if err != nil {
		t.Fatal(err)
	}
	manager := func() models.Actor {
		actor, _, err := o.Entrance.SessionActor(t.Context(), token)
		if err != nil {
			t.Fatal(err)
		}
		return actor
	}
	seen := cancellations.Resolution{Outcome: models.Confirmed, Folio: "C-77"}
	_, doubt := o.StateOf(models.Unknown)
	if err := o.Cancellations.Resolve(t.Context(), manager(), doubt.ID, seen); !modelstest.IsError(err, models.ErrForbidden) {
		t.Errorf("Settle() by a manager = %v, want %v", err, models.ErrForbidden)
	}
	for _, who := range []models.Actor{o.Manager, o.Supervisor} {
		if err := o.Rules.Change(t.Context(), who, o.RulesInput(managersResolve(true))); !modelstest.IsError(err, models.ErrForbidden) {
			t.Errorf("ChangeRules() by a %s = %v, want %v", who.Role, err, models.ErrForbidden)
		}
	}
	o.ChangeRules(managersResolve(true))
	err = o.Rules.Change(t.Context(), o.Admin, o.RulesInput(managersResolve(true)))
	if !modelstest.IsError(err, models.Invalid("", "rules.nothing")) {
		t.Errorf("ChangeRules() to what holds = %v, want rules.nothing", err)
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'rules.changed'`); n != 1 {
		t.Errorf("the trail holds %d changes of the rules, want 1", n)
	}
	if err := o.Cancellations.Resolve(t.Context(), manager(), doubt.ID, seen); err != nil {
		t.Errorf("Settle() by a manager whom the rules let = %v", err)
	}
	if got := o.Cancellation(doubt.ID).State; got != models.Confirmed {
		t.Errorf("case is %s, want confirmed", got)
	}

	o.Clock.Advance(modelstest.Waits.Quiet)
	_, rejected := o.StateOf(models.Rejected)
	if err := o.Cancellations.Resolve(t.Context(), manager(), rejected.ID, seen); !modelstest.IsError(err, models.ErrForbidden) {
		t.Errorf("Settle(rejected case) by a manager = %v, want %v: they end doubts, they do not overrule", err, models.ErrForbidden)
	}
	o.ChangeRules(managersResolve(false))
	if manager().May(models.ResolveCancellations) {
		t.Error("the manager may still resolve after the rule was withdrawn")
	}
}

func TestTheServiceThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	unanswered := func() *operations.Unanswered {
		t.Helper()
		return o.SecondServer().Operations.Notices(t.Context()).Unanswered // not cached, as another process reads it
	}
	begun := o.Clock.Now()
	fail := func(reply models.Reply) {
		c := o.Request(o.SaleAt(o.NewTerminal(o.Store), 5000))
		o.API.Then(reply)
		o.Dispatch(c.ID)
		o.Clock.Advance(time.Second)
	}
	if got := unanswered(); got != nil {
		t.Errorf("before anything was asked: %+v, want none", got)
	}
	fail(modelstest.TimedOut)
	fail(modelstest.TimedOut)
	if got := unanswered(); got != nil {
		t.Errorf("after two silences: %+v, want none", got)
	}
	fail(modelstest.NotDialed)
	if got := unanswered(); got == nil || !got.Since.Equal(begun) || got.Times != 3 {
		t.Errorf("after three silences: %+v, want three since %s", got, begun)
	}
	fail(modelstest.NoTerminal) // a reply, though a negative one
	if got := unanswered(); got != nil {
		t.Errorf("after an answer: %+v, want none", got)
	}
	for range 3 {
		fail(modelstest.TimedOut)
	}
	if got := unanswered(); got == nil || got.Times != 3 {
		t.Errorf("silent again: %+v, want three", got)
	}
	silent := unanswered().Since
	o.Clock.Advance(9 * time.Minute)
	fail(modelstest.TimedOut)
	o.Clock.Advance(9 * time.Minute)
	if got := unanswered(); got == nil || !got.Since.Equal(silent) || got.Times != 4 {
		t.Errorf("silent for 18 minutes: %+v, want four since %s", got, silent)
	}
	o.Clock.Advance(2 * time.Minute)
	if got := unanswered(); got != nil {
		t.Errorf("eleven minutes later: %+v, want none: nobody has tried since", got)
	}
}

func TestTheServiceThatRefusesOurAccess(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	access := func() *operations.AccessRefused {
		t.Helper()
		return o.SecondServer().Operations.Notices(t.Context()).Access
	}
	send := func(reply models.Reply) models.State {
		c := o.Request(o.SaleAt(o.NewTerminal(o.Store), 5000))
		o.API.Then(reply)
		o.Dispatch(c.ID)
		o.Clock.Advance(time.Second)
		return o.Cancellation(c.ID).State
	}
	proven := models.Reply{Meaning: models.MeaningRefused, Detail: models.DetailInvalidToken, HTTPStatus: 401}
	doubtful := models.Reply{Meaning: models.MeaningUnknown, Detail: models.DetailAccessRefused, HTTPStatus: 403}
	if got := access(); got != nil {
		t.Errorf("before anything was asked: %+v, want none", got)
	}
	boss := modelstest.User(t, o.DB, o.Clock.Now(), "jefa@tienda.example", models.Administrator)
	begun := o.Clock.Now()
	if got := send(proven); got != models.Rejected {
		t.Errorf("after a proven refusal the cancellation is %s, want %s", got, models.Rejected)
	}
	got := access()
	if got == nil || !got.Since.Equal(begun) || got.Doubt {
		t.Fatalf("after a proven refusal: %+v, want one since %s without a doubt", got, begun)
	}
	if !slices.Equal(got.Call, []string{boss.Name}) {
		t.Errorf("to call: %q, want the administrator %q", got.Call, boss.Name)
	}
	send(modelstest.TimedOut) // says nothing of our access
	if got := send(doubtful); got != models.Unknown {
		t.Errorf("after a refusal without proof the cancellation is %s, want %s", got, models.Unknown)
	}
	if got := access(); got == nil || !got.Since.Equal(begun) || !got.Doubt {
		t.Errorf("after a refusal without proof: %+v, want a doubt, since %s", got, begun)
	}
	o.Clock.Advance(48 * time.Hour)
	if got := access(); got == nil {
		t.Error("two days without a request: no notice, but nothing says that it was corrected")
	}
	send(modelstest.NoTerminal) // a refusal, of an order that was read
	if got := access(); got != nil {
		t.Errorf("after an answer to an order: %+v, want none", got)
	}
}

func TestTheClockOfTheService(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ ahead, shown time.Duration }{
		{0, 0},
		{2 * time.Second, 0},
		{-2 * time.Second, 0},
		{2*time.Second + time.Millisecond, 2*time.Second + time.Millisecond},
		{-40 * time.Second, -40 * time.Second},
		{120 * time.Second, 120 * time.Second},
	} {
		o := modelstest.NewOffice(t, func(c *wiring.Config) {
			c.ClockAhead = func() time.Duration { return tt.ahead }
		})
		if got := o.Operations.Notices(t.Context()).Ahead; got != tt.shown {
			t.Errorf("service %s ahead: notice says %s, want %s", tt.ahead, got, tt.shown)
		}
	}
}
