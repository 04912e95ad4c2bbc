package cancellations_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/wiring"
)

func TestRequestOpensACase(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale := o.Sale(125000)
	o.Queue.Take(t)
	r := o.CancelRequest(sale)
	r.OmitReceipt, r.Note = true, "  doble cargo  "
	c, err := o.Cancellations.Request(t.Context(), o.Manager, r)
	if err != nil {
		t.Fatalf("Request() = %v", err)
	}
	if c.State != models.Requested || c.Version != 1 || !c.OmitReceipt || c.Note != "doble cargo" || *c.RequestedBy != o.Manager.UserID {
		t.Errorf("Request() = %+v, want a requested case of version 1 by the manager, without receipt, note trimmed", c)
	}
	if got := o.FindSale(sale.OrderID).State; got != models.SaleRequested {
		t.Errorf("sale state = %s, want requested", got)
	}
	want := []models.Task{
		{Kind: models.TaskDispatch, SubjectID: c.ID},
		{Kind: models.TaskExpire, SubjectID: c.ID, After: 8*time.Hour - 5*time.Second},
	}
	modelstest.Equal(t, "tasks", o.Queue.Take(t), want)
	o.CheckInvariants(t)
}

func TestDispatchByWhatTheReplyProves(t *testing.T) {
	t.Parallel()
	notSent, unknown := models.MeaningNotSent, models.MeaningUnknown
	tests := []struct {
		fact    string
		meaning models.Meaning
		detail  models.Detail
		want    models.State
		again   bool // a dispatch task waits
	}{
		{"dial failed: back to requested", notSent, models.DetailDialFailed, models.Requested, true},
		{"TLS failed: back to requested", notSent, models.DetailTLSFailed, models.Requested, true},
		{"no token: back to requested", notSent, models.DetailTokenUnavailable, models.Requested, true},
		{"too late before the first byte: expired", notSent, models.DetailTooLate, models.Expired, true},
		{"an order that cannot be written: withdrawn", notSent, models.DetailInvalidOrder, models.Withdrawn, true},
		{"code 00: accepted", models.MeaningAccepted, models.DetailAccepted, models.Accepted, false},
		{"code 19: rejected", models.MeaningRefused, models.DetailTerminalNotFound, models.Rejected, false},
		{"invalid token twice: rejected", models.MeaningRefused, models.DetailInvalidToken, models.Rejected, false},
		{"timeout after writing: unknown", unknown, models.DetailTimeout, models.Unknown, false},
		{"connection lost: unknown", unknown, models.DetailConnectionLost, models.Unknown, false},
		{"cut answer: unknown", unknown, models.DetailTruncatedReply, models.Unknown, false},
		{"HTML: unknown", unknown, models.DetailNotJSON, models.Unknown, false},
		{"more than 64 KB: unknown", unknown, models.DetailTooLarge, models.Unknown, false},
		{"a redirect: unknown", unknown, models.DetailRedirect, models.Unknown, false},
		{"a 5xx: unknown", unknown, models.DetailServerError, models.Unknown, false},
		{"a 401 that proves nothing: unknown", unknown, models.DetailAccessRefused, models.Unknown, false},
		{"an unknown code: unknown", unknown, models.DetailUnknownCode, models.Unknown, false},
		{"stopped while sending: unknown", unknown, models.DetailInterrupted, models.Unknown, false},
		{"a meaning that nobody knows: unknown", "", "", models.Unknown, false},
	}
	o := modelstest.NewOffice(t)
	for _, tt := range tests {
		t.Run(tt.fact, func(t *testing.T) { // one after the other: they share a terminal's queue
			sale := o.SaleAt(o.NewTerminal(o.Store), 5000)
			c := o.Request(sale)
			o.Queue.Take(t)
			o.API.Then(models.Reply{Meaning: tt.meaning, Detail: tt.detail, HTTPStatus: 200, Code: "x", Message: "y"})
			o.Dispatch(c.ID)
			got := o.Cancellation(c.ID)
			if got.State != tt.want || got.Detail != tt.detail {
				t.Errorf("after %s/%s: case is %s (%s), want %s", tt.meaning, tt.detail, got.State, got.Detail, tt.want)
			}
			if n := len(modelstest.Tasks(o.Queue.Take(t), models.TaskDispatch, c.ID)); (n > 0) != tt.again {
				t.Errorf("dispatch tasks = %d, want some: %t", n, tt.again)
			}
			a := got.AttemptList[0]
			if tt.meaning != "" && (a.Meaning != tt.meaning || a.Detail != tt.detail || a.HTTPStatus != 200 || a.FinishedAt == nil) {
				t.Errorf("attempt keeps %s/%s %d, want %s/%s 200", a.Meaning, a.Detail, a.HTTPStatus, tt.meaning, tt.detail)
			}
			if (a.FirstByteAt == nil) != (tt.meaning == notSent) {
				t.Errorf("first byte at %v after %s", a.FirstByteAt, tt.meaning)
			}
		})
	}
	o.CheckInvariants(t)
}

func TestNothingLeftIsTriedThreeTimes(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale := o.Sale(5000)
	c := o.Request(sale)
	o.API.Then(modelstest.NotDialed, modelstest.NotDialed, modelstest.NotDialed)
	for i, want := range []models.State{models.Requested, models.Requested, models.Withdrawn} {
		o.Queue.Take(t)
		o.Dispatch(c.ID)
		if got := o.Cancellation(c.ID); got.State != want || got.Attempts != i+1 || got.LastPushAt != nil {
			t.Errorf("after try %d: case is %s with %d attempts, pushed at %v; want %s", i+1, got.State, got.Attempts, got.LastPushAt, want)
		}
		again := modelstest.Tasks(o.Queue.Take(t), models.TaskDispatch, c.ID)
		if want := time.Duration(i+1) * 2 * time.Second; len(again) != 1 || again[0].After != want {
			t.Errorf("after try %d: dispatch tasks %+v, want one after %s", i+1, again, want)
		}
	}
	o.Dispatch(c.ID)
	if got := len(o.API.Orders()); got != 3 {
		t.Errorf("the service was called %d times, want 3", got)
	}
	if got := o.FindSale(sale.OrderID).State; got != models.SaleCancelable {
		t.Errorf("sale is %s, want cancelable again", got)
	}
	if again := o.Request(sale); again.ID == c.ID {
		t.Error("a second request returned the withdrawn case")
	}
	o.CheckInvariants(t)
}

func TestDispatchTwiceSendsOnce(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	for _, state := range modelstest.EveryState {
		if state == models.Requested {
			continue
		}
		t.Run(string(state), func(t *testing.T) {
			t.Parallel()
			o := office.Branch(t)
			_, c := o.StateOf(state)
			before := len(o.API.Orders())
			if wait := o.Dispatch(c.ID); wait != 0 {
				t.Errorf("Dispatch(%s case) waits %s, want 0", state, wait)
			}
			if got := len(o.API.Orders()); got != before {
				t.Errorf("Dispatch(%s case) sent %d orders, want none", state, got-before)
			}
			if got := o.Cancellation(c.ID).State; got != state {
				t.Errorf("Dispatch(%s case) left it %s", state, got)
			}
			o.CheckInvariants(t)
		})
	}
}

func TestWithdrawOnlyBeforeSending(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	alreadySent := &models.Error{Kind: models.KindConflict, Code: "error.alreadySent"}
	for _, state := range modelstest.EveryState {
		t.Run(string(state), func(t *testing.T) {
			t.Parallel()
			o := office.Branch(t)
			_, c := o.StateOf(state)
			want, wantErr := state, error(alreadySent)
			if state == models.Requested || state == models.Withdrawn {
				want, wantErr = models.Withdrawn, nil
			}
			if _, err := o.Cancellations.Withdraw(t.Context(), o.Manager, c.ID); !errors.Is(err, wantErr) {
				t.Errorf("Withdraw(%s case) = %v, want %v", state, err, wantErr)
			}
			if got := o.Cancellation(c.ID).State; got != want {
				t.Errorf("Withdraw(%s case) left it %s, want %s", state, got, want)
			}
			o.CheckInvariants(t)
		})
	}
}

func TestReceiptWishReachesTheService(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	for _, omit := range []bool{true, false} {
		sale := o.SaleAt(o.NewTerminal(o.Store), 5000)
		r := o.CancelRequest(sale)
		r.OmitReceipt = omit
		c, err := o.Cancellations.Request(t.Context(), o.Manager, r)
		if err != nil {
			t.Fatalf("Request() = %v", err)
		}
		o.Dispatch(c.ID)
		got := o.LastOrder()
		if got.OmitReceipt != omit || o.Cancellation(c.ID).OmitReceipt != omit {
			t.Errorf("OmitReceipt: asked %t, stored %t, ordered %t", omit, o.Cancellation(c.ID).OmitReceipt, got.OmitReceipt)
		}
		if got.SerialNumber != sale.SerialNumber || got.MerchantID != sale.MerchantID || got.OrderID != sale.OrderID {
			t.Errorf("order = %+v, want terminal, merchant and number of sale %+v", got, sale)
		}
		if want := sale.CutoffAt.Add(-5 * time.Second); !got.NotAfter.Equal(want) {
			t.Errorf("NotAfter = %s, want %s", got.NotAfter, want)
		}
	}
}

func TestNoTransactionIsOpenDuringTheCall(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	c := o.Request(o.Sale(5000))
	o.API.Arrived = func(models.Order) {
		var open int
		err := o.Owner.QueryRowContext(context.Background(), `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
			AND backend_type = 'client backend'`).Scan(&open)
		if err != nil || open != 0 {
			t.Errorf("transactions open during the call = %d (%v), want 0", open, err)
		}
	}
	o.Dispatch(c.ID)
}

func TestAnAcknowledgementMayMeanCanceled(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t, func(c *wiring.Config) { c.Waits.AckMeansCanceled = true })
	sale := o.Sale(5000)
	c := o.Request(sale)
	o.Dispatch(c.ID)
	if got := o.Cancellation(c.ID); got.State != models.Confirmed || got.Detail != models.DetailAckMeansCanceled {
		t.Errorf("case is %s (%s), want confirmed (ackMeansCanceled)", got.State, got.Detail)
	}
	o.CheckInvariants(t)
}
