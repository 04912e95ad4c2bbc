package handlers_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/alerts"
	"veinte/models/modelstest"
	"veinte/models/modelstest/rows"
	"veinte/models/webhooks"
)

// trailJob is a job, and whom its entry must name exactly: the system and the
// person on whose behalf, or the person themselves. Imports and verifications are
// done with a person's rights and scope, and not with the system's: their entries
// are that person's own, with the address and the number of their request, and
// whoever looks for the person, or may see only their own entries, finds them.
type trailJob struct {
	action models.Action
	who    string // role, name and on whose behalf; %s is the office's person who asked
	asked  func(*modelstest.Office) models.Actor
	do     func(*testing.T, *modelstest.Office)
}

func byManager(o *modelstest.Office) models.Actor    { return o.Manager }
func bySupervisor(o *modelstest.Office) models.Actor { return o.Supervisor }

// trailJobs does what each job does, and says what the trail must then call it.
// Jobs are found in the code, see TestEveryJobIsInTheTrail.
var trailJobs = map[string]trailJob{
	"TaskDispatch": {
		models.ActionCancellationMoved, "system dispatch for %s", byManager,
		func(_ *testing.T, o *modelstest.Office) { o.StateOf(models.Accepted) },
	},
	"TaskExpire": {models.ActionCancellationMoved, "system expire for %s", byManager, func(t *testing.T, o *modelstest.Office) {
		sale, c := o.StateOf(models.Requested)
		o.Clock.Set(sale.CutoffAt)
		_, err := o.Cancellations.Expire(t.Context(), c.ID)
		noError(t, err)
	}},
	"TaskRecover": {models.ActionCancellationMoved, "system recover for %s", byManager, func(t *testing.T, o *modelstest.Office) {
		_, c := o.StateOf(models.Sending)
		o.Clock.Advance(10 * time.Minute)
		_, err := o.Cancellations.Recover(t.Context(), c.ID, 1)
		noError(t, err)
	}},
	"TaskResultWait": {models.ActionCancellationMoved, "system resultWait for %s", byManager, func(t *testing.T, o *modelstest.Office) {
		_, c := o.StateOf(models.Accepted)
		o.Clock.Advance(modelstest.Waits.Result)
		_, err := o.Cancellations.EndResultWait(t.Context(), c.ID, 1)
		noError(t, err)
	}},
	"TaskInquire": {models.ActionInquirySent, "system verify for %s", byManager, func(t *testing.T, o *modelstest.Office) {
		_, c := o.StateOf(models.Unknown)
		o.Clock.Advance(10 * time.Minute)
		_, err := o.Cancellations.Inquire(t.Context(), c.ID, 1)
		noError(t, err)
	}},
	"TaskInquireSale": {models.ActionInquirySent, "system verify for ", nil, func(t *testing.T, o *modelstest.Office) {
		sale := o.Sale(100)
		o.Post(modelstest.CancelPost(sale, ""))
		_, err := o.Cancellations.InquireSale(t.Context(), sale.ID, 0)
		noError(t, err)
	}},
	"TaskImport": {models.ActionSalesImported, "administrator Bea Confirma for ", nil, func(t *testing.T, o *modelstest.Office) {
		h := &house{Office: o, tb: t}
		imp := h.checkedImport("DE-UN-ARCHIVO")
		confirms := o.Admin // another than who gave the file
		confirms.Name = "Bea Confirma"
		noError(t, o.Imports.ConfirmImport(t.Context(), confirms, imp.ID, 2, false))
		noError(t, o.Imports.RunImport(t.Context(), imp.ID))
	}},
	"TaskVerify": {models.ActionAuditVerified, "supervisor %s for ", bySupervisor, func(t *testing.T, o *modelstest.Office) {
		v, err := o.Verify.StartVerification(t.Context(), o.Supervisor)
		noError(t, err)
		noError(t, o.Verify.RunVerification(t.Context(), v.ID))
		h := &house{Office: o, tb: t}
		if n := h.count(`SELECT count(*) FROM audit_entries WHERE action = 'audit.verified'`); n != 2 {
			t.Errorf("a verification left %d entries, want its beginning and its end", n)
		}
	}},
	"sweepArgs": {models.ActionLogout, "system sessions for Elena", nil, func(t *testing.T, o *modelstest.Office) {
		h := &house{Office: o, tb: t}
		h.sessionUntil(h.user("Elena", models.Supervisor), o.Clock.Now())
		noError(t, o.Operations.Sweep(t.Context()))
	}},
	"alertArgs": {models.ActionAlertRaised, "system alerts for ", nil, raiseAlert},
	"closeArgs": {models.ActionDayClosed, "system closing for ", nil, func(t *testing.T, o *modelstest.Office) {
		o.Clock.Set(o.Sale(100).CutoffAt.Add(time.Minute))
		noError(t, o.Closings.CloseDays(t.Context()))
	}},
	"monthsArgs": {models.ActionMonthMade, "system months for ", nil, func(t *testing.T, o *modelstest.Office) {
		o.Clock.Set(time.Now().AddDate(0, 6, 0))
		for range 2 { // the second time there is nothing to make
			_, err := o.Sealing.MakeMonths(t.Context())
			noError(t, err)
		}
		h := &house{Office: o, tb: t}
		if n := h.count(`SELECT count(*) FROM audit_entries WHERE action = 'audit.monthMade' AND (after->>'count')::int > 0`); n != 1 {
			t.Errorf("months made twice left %d entries, want 1", n)
		}
	}},
	"mailArgs": {models.ActionMailGivenUp, "system mail for ", nil, func(t *testing.T, o *modelstest.Office) {
		h := &house{Office: o, tb: t}
		noError(t, o.Alerts.SendTestMail(t.Context(), h.keeper(h.administrator()), "es-MX"))
		mails, err := o.Alerts.ClaimMails(t.Context(), 1)
		noError(t, err)
		noError(t, o.Alerts.ReportMail(t.Context(), &mails[0], alerts.MailAnswer{At: o.Clock.Now(), Detail: alerts.MailRefused}))
	}},
	"compareArgs": {models.ActionAuditCompared, "system comparison for ", nil, func(t *testing.T, o *modelstest.Office) {
		h := &house{Office: o, tb: t}
		// Nothing is of before tonight; then once a night, however often it is asked.
		for _, tt := range []struct {
			after time.Duration
			want  int
		}{{0, 0}, {24 * time.Hour, 1}, {time.Hour, 1}, {24 * time.Hour, 2}} {
			o.Clock.Advance(tt.after)
			noError(t, o.Compare.RunNightly(t.Context()))
			if n := h.count(`SELECT count(*) FROM audit_entries WHERE action = 'audit.compared'`); n != tt.want {
				t.Errorf("there are %d comparisons, want %d", n, tt.want)
			}
		}
	}},
	"jobs (*Deliverer).poll": {models.ActionEndpointDisabled, "system deliveries for ", nil, disableEndpoint},
}

// raiseAlert raises one of a cancellation that is large enough.
func raiseAlert(t *testing.T, o *modelstest.Office) {
	noError(t, o.Alerts.Watch(t.Context())) // begins with what happens from now on
	r, err := o.Alerts.Rule(t.Context(), o.Admin, alerts.KindAmount)
	noError(t, err)
	in := r.Input()
	in.Active, in.Amount = true, "1"
	noError(t, o.Alerts.ChangeRule(t.Context(), o.Admin, in))
	o.Request(o.Sale(125000))
	h := &house{Office: o, tb: t}
	for begin := time.Now(); time.Since(begin) < time.Minute; { // other databases' transactions hold it up
		noError(t, o.Alerts.Watch(t.Context()))
		if h.count(`SELECT count(*) FROM alerts`) > 0 {
			return
		}
	}
}

// disableEndpoint delivers to an endpoint that is gone for good.
func disableEndpoint(t *testing.T, o *modelstest.Office) {
	e, _, err := o.Deliveries.CreateEndpoint(
		t.Context(), o.Admin, webhooks.Input{Kind: webhooks.RelayEndpoint, Name: "Caja", URL: "https://pos.example/"},
	)
	noError(t, err)
	noError(
		t,
		o.Results.Receive(
			t.Context(), models.Post{Kind: models.ResultOther, SerialNumber: "1", Body: `{}`, Raw: []byte(`{}`), ContentType: "application/json"},
		),
	)
	lanes, err := o.Deliveries.Claim(t.Context(), e.ID, 1)
	noError(t, err)
	if len(lanes) != 1 {
		t.Fatalf("there are %d lanes, want one", len(lanes))
	}
	p, err := o.Deliveries.Head(t.Context(), lanes[0])
	noError(t, err)
	_, err = o.Deliveries.Report(t.Context(), p, webhooks.Response{At: o.Clock.Now(), Detail: webhooks.TryGone})
	noError(t, err)
}

// actsOnNothing are workers and timers that do no act by themselves.
var actsOnNothing = map[string]string{
	"till (*Till).Work":    "the demo's till: a program that calls the API",
	"kit (*Kit).untilGone": "looks whether a client is still there",
	"taskWorker":           "works the tasks off, each of which is above",
	"deliverySweepArgs": "sets aside what is too old; " +
		"an endpoint that it disables is recorded by the judge of endpoints, as the deliverer's are",

	"apikeys (*Service).BeginIdempotent": "begins the renewal below",
	"apikeys (*Claim).renew":             "prolongs the lease of an Idempotency-Key while its request is performed",
	"apikeys (*Claim).Release":           "gives an Idempotency-Key back, of whose request nothing was done",

	"export (*Service).beatExport":       "says how far an export is; whoever asked for it records its end",
	"verify (*Service).beatVerification": "says how far a verification is; its end is TaskVerify's",
	"entrance (*Place).compute":          "looks whether a client who waits to sign in has hung up",
	"web (*server).countRefusals":        "records how many refusals followed the first of a minute; each entry is of who was refused",
	"operations (*Service).Watch":        "notes since when the database is away, for /readyz",
	"web (*server).stop":                 "waits once for balancers to notice; that the server stops has an entry",
	"clocks (*Service).Run":              "compares clocks; the log and the pages say what it found, and a jump has an entry",
	"sealing (*Service).Run":             "seals; a new key, a stop, going on and missing checkpoints have entries, see models/TRAIL.md",
	"attest (*Service).Run":              "asks others to sign; who is asked and who refuses have entries, see models/audit/attest",
	"web (*practiceDay).live":            "the day of a practice installation: its sandbox's terminals post the sales, as real ones do",
	"commands (*witness).watch":          "checks from elsewhere with no right to write here; what it finds is recorded there",
	"entrance (*Place).rest":             "frees the turn of those who sign in, after a pause",
	"handlers (*Events).Run":             "notifies open pages that something changed",
	"handlers (*Events).write":           "keeps a page's stream alive, and ends it",
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestEveryJobIsInTheTrail reads the kinds of tasks, the registered workers and
// whatever else runs by the clock from the code, and does each.
func TestEveryJobIsInTheTrail(t *testing.T) {
	t.Parallel()
	all := slices.Concat(taskKinds(t), workers(t), tickers(t))
	for _, known := range []map[string]bool{keys(trailJobs), keys(actsOnNothing)} {
		for job := range known {
			if !slices.Contains(all, job) {
				t.Errorf("scenario of job %s, which is nowhere", job)
			}
		}
	}
	for _, job := range all {
		s, ok := trailJobs[job]
		if !ok {
			if actsOnNothing[job] == "" {
				t.Errorf("job %s has no scenario in trailJobs (trail_jobs_test.go); add one", job)
			}
			continue
		}
		t.Run(job, func(t *testing.T) {
			t.Parallel()
			o := modelstest.NewOffice(t)
			w, h := rows.Record(t, o), &house{Office: o, tb: t}
			s.do(t, o)
			w.Judge()
			h.judgeJob(s.action)
			want := s.who
			if s.asked != nil {
				want = fmt.Sprintf(s.who, s.asked(o).Name)
			}
			got := h.text(`SELECT coalesce((SELECT actor_role || ' ' || actor_name || ' for ' || on_behalf_of
				FROM audit_entries WHERE action = $1 ORDER BY id DESC LIMIT 1), 'nobody')`, string(s.action))
			if got != want {
				t.Errorf("%s: %s is done by %q, want %q; the trail says %q", job, s.action, got, want, h.recordedSince(0))
			}
		})
	}
}

// judgeJob fails when an entry of the job does not say what the entry of a job
// must: the system comes from no address; who asked does, and by which request. Why
// something failed is its reason, or the detail of what it came to.
func (h *house) judgeJob(action models.Action) {
	h.tb.Helper()
	wrong := h.text(`SELECT coalesce(string_agg((to_jsonb(e) - 'canonical')::text, E'\n'), '') FROM audit_entries e WHERE action = $1
		AND NOT (
		CASE actor_role WHEN 'system' THEN actor_id IS NULL AND address || user_agent || request_id = ''
			ELSE actor_id IS NOT NULL AND address <> '' AND user_agent <> '' AND request_id <> '' AND on_behalf_of = '' END
		AND (outcome NOT IN ('failure', 'denied') OR reason <> '' OR after->>'detail' <> ''))`, string(action))
	if wrong != "" {
		h.tb.Errorf("entries of a job that do not say who, where from or why:\n%s", wrong)
	}
}
