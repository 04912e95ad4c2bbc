package cancellations_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/cancellations"
	"veinte/models/modelstest"
)

func TestWhatARequestNeeds(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	tests := []struct {
		fact   string
		change func(*cancellations.CancelRequest)
		want   *models.Error
	}{
		{"a reason", func(r *cancellations.CancelRequest) { r.Reason = "" }, models.Invalid("reason", "reason.required")},
		{"a reason of the list", func(r *cancellations.CancelRequest) { r.Reason = "because" }, models.Invalid("reason", "reason.unknown")},
		{
			"a note with another reason", func(r *cancellations.CancelRequest) { r.Reason, r.Note = "other", " \n " },
			models.Invalid("note", "note.required"),
		},
		{
			"a note of 500 characters at most", func(r *cancellations.CancelRequest) { r.Note = strings.Repeat("ñ", 501) },
			models.Invalid("note", "field.tooLong"),
		},
		{"a click", func(r *cancellations.CancelRequest) { r.Click = "" }, models.Invalid("click", "error.badRequest")},
		{
			"a click of 64 bytes at most", func(r *cancellations.CancelRequest) { r.Click = strings.Repeat("c", 65) },
			models.Invalid("click", "error.badRequest"),
		},
		{"a sale that there is", func(r *cancellations.CancelRequest) { r.SaleID = 1 << 40 }, models.ErrNotFound},
		{"storable text", func(r *cancellations.CancelRequest) { r.Note = "a\x00b" }, models.Invalid("note", "field.invalidText")},
		{"valid UTF-8", func(r *cancellations.CancelRequest) { r.Note = "a\xffb" }, models.Invalid("note", "field.invalidText")},
		{"a storable reason", func(r *cancellations.CancelRequest) { r.Reason = "a\x00b" }, models.Invalid("reason", "reason.unknown")},
		{"a storable click", func(r *cancellations.CancelRequest) { r.Click = "a\xff" }, models.Invalid("click", "error.badRequest")},
		{"500 letters with accents will do", func(r *cancellations.CancelRequest) { r.Note = strings.Repeat("ñ", 500) }, nil},
		{"lines in a note will do", func(r *cancellations.CancelRequest) { r.Note = "uno\r\n\tdos" }, nil},
	}
	for _, tt := range tests {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			o := office.Branch(t)
			r := o.CancelRequest(o.Sale(125000))
			tt.change(&r)
			_, err := o.Cancellations.Request(t.Context(), o.Manager, r)
			var got *models.Error
			if errors.As(err, &got); err != nil && got == nil {
				t.Errorf("Request() = %v, want a refusal", err)
			}
			if (got == nil) != (tt.want == nil) || got != nil && *got != *tt.want {
				t.Errorf("Request() = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestASaleInEveryStateIsRequestableOrNot(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	saleState := &models.Error{Kind: models.KindConflict, Code: "error.saleState"}
	tests := map[models.State]struct{ manager, supervisor error }{
		models.Requested:   {models.ErrCancellationOpen, models.ErrCancellationOpen},
		models.Withdrawn:   {nil, nil},
		models.Expired:     {saleState, saleState},
		models.Sending:     {models.ErrCancellationOpen, models.ErrCancellationOpen},
		models.Accepted:    {models.ErrCancellationOpen, models.ErrCancellationOpen},
		models.Rejected:    {nil, nil},
		models.Unknown:     {models.ErrCancellationOpen, models.ErrCancellationOpen},
		models.Confirmed:   {saleState, saleState},
		models.NotCanceled: {&models.Error{Kind: models.KindForbidden, Code: "error.needsSupervisor"}, nil},
	}
	for _, state := range modelstest.EveryState {
		t.Run(string(state), func(t *testing.T) {
			t.Parallel()
			o := office.Branch(t)
			sale, _ := o.StateOf(state)
			if _, err := o.Cancellations.Request(t.Context(), o.Manager, o.CancelRequest(sale)); !errors.Is(err, tests[state].manager) {
				t.Errorf("Request(%s sale) by a manager = %v, want %v", state, err, tests[state].manager)
			}
			sale, _ = office.Branch(t).StateOf(state)
			if _, err := o.Cancellations.Request(t.Context(), o.Supervisor, o.CancelRequest(sale)); !errors.Is(err, tests[state].supervisor) {
				t.Errorf("Request(%s sale) by a supervisor = %v, want %v", state, err, tests[state].supervisor)
			}
			o.CheckInvariants(t)
		})
	}
}

func TestARetiredTerminalTakesNoRequest(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale := o.Sale(5000)
	if err := o.Terminals.RetireTerminal(t.Context(), o.Admin, o.Terminal.ID, 1); err != nil {
		t.Fatalf("RetireTerminal() = %v", err)
	}
	want := &models.Error{Kind: models.KindConflict, Code: "terminal.retired"}
	if _, err := o.Cancellations.Request(t.Context(), o.Manager, o.CancelRequest(sale)); !modelstest.IsError(err, want) {
		t.Errorf("Request() = %v, want %v", err, want)
	}
}

func TestTheSameClickIsTheSameCaseWhateverBecameOfIt(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	for _, state := range modelstest.EveryState {
		t.Run(string(state), func(t *testing.T) {
			t.Parallel()
			o := office.Branch(t)
			sale, c := o.StateOf(state)
			o.Queue.Take(t)
			o.Clock.Set(sale.CutoffAt.Add(time.Hour)) // too late for any other
			again, err := o.Cancellations.Request(t.Context(), o.Manager, cancellations.CancelRequest{
				SaleID: sale.ID, Reason: c.Reason,
				Click: c.Click,
			})
			if err != nil || again.ID != c.ID || again.State != state {
				t.Errorf("Request() with the click of a %s case = %+v, %v, want that case", state, again, err)
			}
			if got := o.Queue.Take(t); len(got) != 0 {
				t.Errorf("the same click enqueued %+v", got)
			}
			o.CheckInvariants(t)
		})
	}
}

func TestAClickIsForOneSaleAndOnePerson(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	r := o.CancelRequest(o.Sale(100))
	first, err := o.Cancellations.Request(t.Context(), o.Manager, r)
	if err != nil {
		t.Fatalf("Request() = %v", err)
	}
	other := r
	other.SaleID = o.Sale(200).ID
	if _, err := o.Cancellations.Request(t.Context(), o.Manager, other); !modelstest.IsError(err,
		models.Invalid("click", "error.badRequest")) {
		t.Errorf("Request() with the click of another sale = %v, want error.badRequest", err)
	}
	colleague := modelstest.Person(models.Manager, o.Store)
	if c, err := o.Cancellations.Request(t.Context(), colleague, other); err != nil || c.ID == first.ID {
		t.Errorf("Request() with a colleague's click = %+v, %v, want a case of their own", c, err)
	}
	if _, err := o.Cancellations.Request(t.Context(), colleague, r); !modelstest.IsError(err, models.Invalid("click", "error.badRequest")) {
		t.Errorf("Request() with that click on the first sale = %v, want error.badRequest", err)
	}
}

func TestARefusedRequestIsInTheTrail(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale := o.Sale(5000)
	stranger := modelstest.Person(models.Manager, modelstest.Store(t, o.DB, o.Clock.Now(), "OTHER"))
	_, _ = o.Cancellations.Request(t.Context(), stranger, o.CancelRequest(sale))
	o.Clock.Set(sale.CutoffAt)
	_, _ = o.Cancellations.Request(t.Context(), o.Manager, o.CancelRequest(sale))
	page, err := o.Audit.Audit(t.Context(), o.Supervisor, audit.Filter{Action: models.ActionCancelRefused})
	if err != nil {
		t.Fatalf("Audit() = %v", err)
	}
	var got [][3]string
	for _, e := range page.Entries {
		got = append(got, [3]string{string(e.Outcome), e.Reason, e.OrderID})
	}
	// The entries of an actor from another store must not name the sale to them.
	want := [][3]string{{"failure", "error.tooLate", sale.OrderID}, {"denied", "error.notFound", ""}}
	modelstest.Equal(t, "refusals, newest first", got, want)
}
