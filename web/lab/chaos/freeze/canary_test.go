package freeze

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"veinte/web/lab"
	"veinte/web/lab/chaos"
)

// holding is a way to the service on which cancellations wait until they are let go, as
// if their process had sent them then.
type holding struct {
	service string
	goOn    chan struct{}
}

func (h *holding) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return
	}
	if strings.HasSuffix(req.URL.Path, "/cancel") {
		<-h.goOn
	}
	// The caller may have given up; the request goes on all the same.
	ctx := context.WithoutCancel(req.Context())
	onward, err := http.NewRequestWithContext(ctx, req.Method, h.service+req.URL.Path, bytes.NewReader(body))
	if err != nil {
		return
	}
	onward.Header = req.Header.Clone()
	answer, err := http.DefaultClient.Do(onward)
	if err != nil {
		return
	}
	defer answer.Body.Close()
	w.WriteHeader(answer.StatusCode)
	_, _ = io.Copy(w, answer.Body)
}

// canary is the run of a product that sends late and does not say so.
type canary struct{ judged judged }

func (c *canary) run(ctx context.Context, setup lab.Setup) (_ *lab.Report, err error) {
	r := &run{report: lab.NewReport("freeze, canary", setup)}
	r.Lab, err = lab.Start(ctx, lab.Options{Setup: setup, Settings: settings})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	h := &holding{service: r.Box.URL, goOn: make(chan struct{})}
	between := httptest.NewServer(h)
	defer between.Close()
	s, err := r.Serve(ctx, "CANCEL_BASE_URL="+between.URL)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(r.PostResultsTo(ctx, s), r.SignIn(ctx, s)); err != nil {
		return nil, err
	}
	sale, err := r.Sell(ctx, lab.Sale{})
	if err != nil {
		return nil, err
	}
	if a := r.Managers[0].Click(ctx, s, sale.ID, "click", false); !a.OK() {
		return nil, a.Problem()
	}
	err = lab.Eventually(ctx, patience, "others have ended the case", func(ctx context.Context) (bool, error) {
		cases, err := r.Cancellations(ctx)
		if err != nil || len(cases) == 0 {
			return false, err
		}
		return r.ended(ctx, map[int64]bool{cases[0].ID: true})
	})
	if err != nil {
		return nil, err
	}
	pause(ctx, slack) // far enough from the deadline
	close(h.goOn)
	err = lab.Eventually(ctx, patience, "the judge sees the late request", func(ctx context.Context) (bool, error) {
		c.judged, err = r.judge(ctx, 1)
		return c.judged.arrived > 0, err
	})
	if err != nil {
		return nil, err
	}
	r.report.Add("violations that the judge found", fmt.Sprint(len(c.judged.broken)), "at least 1")
	return r.report.Done(), nil
}

// TestTheJudgeSeesALateRequest has a service get a cancellation long after its deadline,
// when the case is called still charged, from a process that says nothing of it. The
// judge must not accept that.
func TestTheJudgeSeesALateRequest(t *testing.T) {
	t.Parallel()
	var c canary
	began := time.Now()
	chaos.Try(t, c.run)
	if len(c.judged.broken) == 0 {
		t.Errorf("after %s: %d late requests, and the judge found nothing wrong", time.Since(began), c.judged.arrived)
	}
	t.Logf("found: %q", c.judged.broken)
}
