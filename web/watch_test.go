package web

import (
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
)

func metricsOf(t *testing.T, admin string) string {
	t.Helper()
	resp, err := http.Get("http://" + admin + "/metrics")
	must(t, err)
	_, text := read(t, resp)
	return text
}

// What happens is measured by names that Prometheus' conventions allow, and each request and
// each move of a cancellation is a line in the log, without a secret.
func TestWhatHappensIsMeasured(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	admin := freeAddr(t)
	p := s.serve("ADMIN_ADDR="+admin, "TRUSTED_PROXIES=127.0.0.1")
	ana := s.signIn(p, "ana@shop.example")
	_, id := s.sell(0, "")
	ana.cancel(id, true)
	s.becomes(id, 10*time.Second, "confirmed")
	ana.get("/sales?q=4242424242424242")
	resp, err := http.PostForm(p.url+"/login", nil)
	must(t, err)
	resp.Body.Close()
	req, err := http.NewRequest(http.MethodGet, p.url+"/nobodys", http.NoBody)
	must(t, err)
	req.Header.Set("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	req.Header.Set("X-Request-Id", "of-our-own-proxy")
	resp, err = http.DefaultClient.Do(req)
	must(t, err)
	resp.Body.Close()
	if got := resp.Header.Get("X-Request-Id"); got != "of-our-own-proxy" {
		t.Errorf("X-Request-Id = %q, want the proxy's", got)
	}
	if got := resp.Header.Get("traceparent"); !regexp.MustCompile(`^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$`).MatchString(got) ||
		strings.Contains(got, "b7ad6b7169203331") {
		t.Errorf("traceparent = %q, want the same trace with a part of our own", got)
	}

	var text string
	for _, want := range []string{
		`veinte_http_request_duration_seconds_count{code="303",method="POST",route="/sales/:id/cancellation"} 1`,
		`veinte_http_request_duration_seconds_count{code="404",method="GET",route="other"} 1`,
		`veinte_service_request_duration_seconds_count{meaning="accepted",operation="cancel"} 1`,
		`veinte_cancellation_first_byte_seconds_count 1`,
		`veinte_cancellation_settled_seconds_count{state="confirmed"} 1`,
		`veinte_cancellation_moves_total{state="sending"} 1`,
		`veinte_results_total{kind="sale",status="applied"} 1`,
		`veinte_results_total{kind="cancellation",status="applied"} 1`,
		`veinte_sign_ins_total{outcome="begun"} 1`,
		`veinte_sign_ins_total{outcome="refused"} 1`,
		`veinte_job_duration_seconds_count{kind="dispatch",outcome="done"} 1`,
		`veinte_database_pool_max_connections{share="acts"} 12`,
		`veinte_build_info{goversion="go`,
	} {
		eventually(t, 10*time.Second, "the metrics have "+want, func() bool {
			text = metricsOf(t, admin)
			return strings.Contains(text, "\n"+want)
		})
	}
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	must(t, err)
	for _, problem := range problems {
		t.Errorf("%s: %s", problem.Metric, problem.Text)
	}

	log := p.log()
	var moves int
	must(t, s.db.Pool().QueryRow(context.Background(), `SELECT count(*) FROM audit_entries WHERE action = 'cancellation.moved'`).Scan(&moves))
	if got := strings.Count(log, `msg="cancellation moved"`); got != moves || moves == 0 {
		t.Errorf("%d moves are in the log, and %d in the trail", got, moves)
	}
	for _, want := range []string{
		"msg=request method=POST route=/sales/:id/cancellation status=303", "route=/results/:secret status=200",
		"request=of-our-own-proxy trace=0af7651916cd43dd8448eb211c80319c",
	} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %q:\n%s", want, log)
		}
	}
	for _, secret := range []string{"results-secret-0123456789", "4242", "una clave", "ana@shop", "token=token"} {
		if strings.Contains(log, secret) {
			t.Errorf("the log has %q", secret)
		}
	}
}

// What is the same for all processes is measured by one of them.
func TestOneProcessMeasuresTheWhole(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	first, second := freeAddr(t), freeAddr(t)
	s.serve("ADMIN_ADDR=" + first)
	s.serve("ADMIN_ADDR=" + second)
	eventually(t, 30*time.Second, "one of them measures the whole", func() bool {
		n := 0
		for _, admin := range []string{first, second} {
			if strings.Contains(metricsOf(t, admin), "\nveinte_cases{") {
				n++
			}
		}
		return n == 1
	})
}

// Who is no proxy of ours gives no request its id.
func TestStrangersNameNoRequest(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	p := s.serve()
	req, err := http.NewRequest(http.MethodGet, p.url+"/login", http.NoBody)
	must(t, err)
	req.Header.Set("X-Request-Id", "of-a-stranger")
	resp, err := http.DefaultClient.Do(req)
	must(t, err)
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	must(t, err)
	if got := resp.Header.Get("X-Request-Id"); got == "of-a-stranger" || len(got) != 16 {
		t.Errorf("X-Request-Id = %q, want one of our own", got)
	}
}
