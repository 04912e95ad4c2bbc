package cancellations_test

import (
	"bytes"
	"errors"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"sync/atomic"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/cancellations"
	"veinte/models/database"
	"veinte/models/modelstest"
	"veinte/models/wiring"
)

// cut is how a connection is ended at its next COMMIT.
type cut int32

const (
	nowhere    cut = iota
	beforeIt       // the COMMIT never arrives
	afterItRan     // it is carried out, and the response is lost
	forGood        // the same, and no connection passes any more
)

// cutter is a proxy between a process and PostgreSQL that can cut connections at
// COMMIT.
type cutter struct {
	next atomic.Int32
	shut atomic.Bool
	to   string // the server's socket
}

// behindCutter returns the office as a process sees it that connects through a
// cutter.
func behindCutter(t *testing.T, o *modelstest.Office) (*wiring.Services, *cutter) {
	t.Helper()
	host := regexp.MustCompile(`host=(\S+) port=(\S+)`)
	parts := host.FindStringSubmatch(o.URL)
	if parts == nil {
		t.Fatalf("address %q: want host= and port=", o.URL)
	}
	dir, err := os.MkdirTemp("", "cut") // short, as a socket's name must be
	if err != nil {
		t.Fatalf("make directory: %v", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	c := &cutter{to: filepath.Join(parts[1], ".s.PGSQL."+parts[2])}
	listener, err := net.Listen("unix", filepath.Join(dir, ".s.PGSQL."+parts[2]))
	if err != nil {
		t.Fatalf("listen: %v", err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go c.serve(client)
		}
	}()
	config := o.Config
	config.DB = modelstest.Open(t, host.ReplaceAllString(o.URL, "host="+dir+" port="+parts[2]))
	return wiring.New(config), c
}

func (c *cutter) at(where cut) { c.next.Store(int32(where)) }

func (c *cutter) serve(client net.Conn) {
	defer client.Close()
	if c.shut.Load() {
		return
	}
	server, err := net.Dial("unix", c.to)
	if err != nil {
		return
	}
	defer server.Close()
	var swallow atomic.Bool
	go func() {
		defer client.Close()
		buf := make([]byte, 1<<16)
		for {
			n, err := server.Read(buf)
			if err != nil || swallow.Load() && bytes.Contains(buf[:n], []byte("COMMIT\x00")) {
				return
			}
			if _, err := client.Write(buf[:n]); err != nil {
				return
			}
		}
	}()
	buf := make([]byte, 1<<16)
	for {
		n, err := client.Read(buf)
		if err != nil {
			return
		}
		if bytes.Contains(buf[:n], []byte("commit\x00")) {
			switch cut(c.next.Swap(int32(nowhere))) {
			case beforeIt:
				return
			case forGood:
				c.shut.Store(true)
				swallow.Store(true)
			case afterItRan:
				swallow.Store(true)
			}
		}
		if _, err := server.Write(buf[:n]); err != nil {
			return
		}
	}
}

func TestARequestWhoseCommitIsInDoubt(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	cases, cutter := behindCutter(t, o)

	sale := o.Sale(5000)
	cutter.at(afterItRan)
	c, err := cases.Cancellations.Request(t.Context(), o.Manager, o.CancelRequest(sale))
	if err != nil || c == nil || c.State != models.Requested {
		t.Errorf("Request() whose commit was carried out = %+v, %v, want the case", c, err)
	}

	other := o.Sale(6000)
	cutter.at(beforeIt)
	c, err = cases.Cancellations.Request(t.Context(), o.Manager, o.CancelRequest(other))
	if !isNotCommitted(err) || c != nil {
		t.Errorf("Request() whose commit never arrived = %+v, %v, want %v and no refusal", c, err, database.ErrNotCommitted)
	}
	if got := len(o.SaleDetail(other.ID).Cancellations); got != 0 {
		t.Errorf("cases of the other sale = %d, want 0", got)
	}
	o.CheckInvariants(t)
}

func TestADispatchWhoseCommitIsInDoubtReadsBeforeItSends(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	cases, cutter := behindCutter(t, o)
	c := o.Request(o.Sale(5000))
	cutter.at(afterItRan)
	if _, err := cases.Cancellations.Dispatch(t.Context(), c.ID); err != nil {
		t.Errorf("Dispatch() whose attempt was committed = %v, want nil", err)
	}
	if got := o.Cancellation(c.ID).State; got != models.Accepted || len(o.API.Orders()) != 1 {
		t.Errorf("case is %s, %d orders left; want accepted, one", got, len(o.API.Orders()))
	}
	other := o.Request(o.SaleAt(o.NewTerminal(o.Store), 6000))
	cutter.at(beforeIt)
	if _, err := cases.Cancellations.Dispatch(t.Context(), other.ID); !isNotCommitted(err) ||
		o.Cancellation(other.ID).State != models.Requested {
		t.Errorf("Dispatch() = %v, case then %s; want %v, requested", err, o.Cancellation(other.ID).State, database.ErrNotCommitted)
	}
	if got := len(o.API.Orders()); got != 1 {
		t.Errorf("%d orders left, want none without its attempt", got)
	}
	o.CheckInvariants(t)
}

func TestActsOfPeopleWhoseCommitIsInDoubt(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	cases, cutter := behindCutter(t, o)
	resolution := cancellations.Resolution{Outcome: models.Confirmed, Folio: "F-1"}
	for _, act := range []struct {
		name string
		from models.State
		to   models.State
		do   func(b *modelstest.Office, id int64) error
	}{
		{"withdraw", models.Requested, models.Withdrawn, func(b *modelstest.Office, id int64) error {
			_, err := cases.Cancellations.Withdraw(t.Context(), b.Manager, id)
			return err
		}},
		{"resolve", models.Unknown, models.Confirmed, func(b *modelstest.Office, id int64) error {
			return cases.Cancellations.Resolve(t.Context(), b.Supervisor, id, resolution)
		}},
	} {
		for where, want := range map[cut]models.State{beforeIt: act.from, afterItRan: act.to} {
			b := o.Branch(t)
			_, c := b.StateOf(act.from)
			cutter.at(where)
			err := act.do(b, c.ID)
			got := b.Cancellation(c.ID).State
			if got != want || (err == nil) != (where == afterItRan) || err != nil && !isNotCommitted(err) {
				t.Errorf("%s cut %d = %v, case then %s; want %s", act.name, where, err, got, want)
			}
		}
	}
	o.CheckInvariants(t)
}

func TestACommitThatNobodyCanReadAgainIsInDoubt(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	cases, cutter := behindCutter(t, o)
	sale := o.Sale(5000)
	cutter.at(forGood)
	if c, err := cases.Cancellations.Request(t.Context(), o.Manager, o.CancelRequest(sale)); !isInDoubt(err) || c != nil {
		t.Errorf("Request() = %+v, %v, want %v", c, err, database.ErrCommitInDoubt)
	}
	if got := len(o.SaleDetail(sale.ID).Cancellations); got != 1 {
		t.Errorf("cases = %d, want the one whose commit was carried out", got)
	}
}

func TestAnOutcomeWhoseCommitIsInDoubtIsKeptOnce(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	cases, cutter := behindCutter(t, o)
	for _, where := range []cut{beforeIt, afterItRan} {
		for _, reply := range []models.Reply{modelstest.Acknowledged, modelstest.NotDialed, modelstest.TimedOut} {
			c := o.Request(o.SaleAt(o.NewTerminal(o.Store), 5000))
			o.API.Then(reply)
			o.API.Arrived = func(models.Order) { cutter.at(where) }
			if _, err := cases.Cancellations.Dispatch(t.Context(), c.ID); err != nil {
				t.Errorf("Dispatch() = %v, want nil after another try", err)
			}
			want := map[models.Meaning]models.State{
				models.MeaningAccepted: models.Accepted, models.MeaningNotSent: models.Requested, models.MeaningUnknown: models.Unknown,
			}[reply.Meaning]
			if got := o.Cancellation(c.ID); got.State != want || got.Version != 3 || got.AttemptList[0].Meaning != reply.Meaning {
				t.Errorf("cut %d: case is %s, version %d, attempt %s; want %s, 3, %s", where, got.State, got.Version, got.AttemptList[0].Meaning,
					want, reply.Meaning)
			}
		}
	}
	o.CheckInvariants(t)
}

func TestAResultWhoseCommitIsInDoubtMayComeAgain(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	cases, cutter := behindCutter(t, o)
	sale, c := o.StateOf(models.Accepted)
	p := modelstest.CancelPost(sale, modelstest.CurrentKey(o, c))
	cutter.at(beforeIt)
	if err := cases.Results.Receive(t.Context(), p); !isInDoubt(err) {
		t.Errorf("Receive() = %v, want %v", err, database.ErrCommitInDoubt)
	}
	cutter.at(afterItRan)
	if err := cases.Results.Receive(t.Context(), p); err != nil {
		t.Errorf("Receive() whose commit was carried out = %v, want nil", err)
	}
	if err := cases.Results.Receive(t.Context(), p); err != nil {
		t.Errorf("Receive() again = %v, want nil", err)
	}
	o.Clock.Advance(time.Minute)
	modelstest.Sweep(t, o)
	if got := o.Cancellation(c.ID); got.State != models.Confirmed || got.Version != 4 || got.Conflict != "" {
		t.Errorf("case is %s, version %d, conflict %q; want confirmed once", got.State, got.Version, got.Conflict)
	}
	o.CheckInvariants(t)
}

// isInDoubt reports whether err means that a commit may have happened, and is not
// also an error that would be reported as a refusal.
func isInDoubt(err error) bool {
	var refused *models.Error
	return errors.Is(err, database.ErrCommitInDoubt) && !errors.As(err, &refused)
}

// isNotCommitted reports whether err means that a commit did not happen, and is not
// also an error that would be reported as a refusal.
func isNotCommitted(err error) bool {
	var refused *models.Error
	return errors.Is(err, database.ErrNotCommitted) && !errors.As(err, &refused)
}
