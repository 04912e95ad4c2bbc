package web

import (
	"bytes"
	"context"
	"encoding/json"
	"html"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/wiring"
)

// The provider's own report resolves what the network left in doubt: one sale was
// canceled and we got no result, another was not, a third was canceled on the
// terminal itself. The report comes from the service's records, not from ours.
func TestTheProvidersReportEndsTheDoubts(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	_, err := wiring.Over(s.db).Accounts.CreateUser(t.Context(),
		models.System("test", ""),
		accounts.Input{Email: "diego@shop.example", Name: "Diego", Role: models.Administrator, AllStores: true, Password: "una clave de taller"})
	must(t, err)
	p := s.serve("QUIET_TIME=1s", "INQUIRY_PATH=")
	ana, sofia, diego := s.signIn(p, "ana@shop.example"), s.signIn(p, "sofia@shop.example"), s.signIn(p, "diego@shop.example")
	lostOrder, lost := s.sell(0, "cutBody")
	idleOrder, idle := s.sell(1, "html")
	handOrder, hand := s.sell(2, "")
	plainOrder, plain := s.sell(2, "")
	// From here on no terminal can reach us.
	s.control(http.MethodPut, "/control/config", `{"responseURL":"http://127.0.0.1:1/nobody"}`)
	ana.cancel(lost, true)
	ana.cancel(idle, true)
	s.control(http.MethodPost, "/control/cancellations-on-terminal", `{"orderId":"`+handOrder+`"}`)
	s.becomes(lost, 20*time.Second, "unknown")
	s.becomes(idle, 20*time.Second, "unknown")
	eventually(t, 20*time.Second, "the terminal has canceled "+lostOrder, func() bool { return s.truth(lostOrder) })
	eventually(t, 20*time.Second, "the quiet time is over", func() bool {
		var over bool
		must(t, s.db.Pool().QueryRow(context.Background(),
			"SELECT max(last_push_at) + interval '2 seconds' < now() FROM cancellations").Scan(&over))
		return over
	})

	zone, err := time.LoadLocation(noonZone())
	must(t, err)
	now := time.Now().In(zone)
	day, until := now.Format(time.DateOnly), now.Format(time.TimeOnly)
	report := s.report(day)
	page := diego.upload("/settings/reconciliation/new", "/settings/reconciliation/preview", report,
		"zone", noonZone(), "amounts", "point", "dates", "dmy")
	form := formValues(page)
	form.Set("name", "Proveedor de ejemplo")
	if code, text := diego.post("/settings/reconciliation/new", "/settings/reconciliation", form); code != http.StatusOK {
		t.Fatalf("save the profile: %d\n%s", code, text)
	}
	page = sofia.upload("/reconciliations/new", "/reconciliations", report, "profile", "1", "day", day, "until", until)
	seen := regexp.MustCompile(`name="seen" value="([0-9a-f]{64})"`).FindStringSubmatch(page)
	if seen == nil || !strings.Contains(page, `data-testid="to-settle" data-count="3"`) {
		t.Fatalf("the report would not resolve 3:\n%s", page)
	}
	for id, want := range map[int64]string{lost: "unknown", idle: "unknown", hand: "cancelable", plain: "cancelable"} {
		if got := s.state(id); got != want {
			t.Errorf("before anybody confirmed, sale %d is %s, want %s", id, got, want)
		}
	}
	if code, text := sofia.post("/reconciliations/1", "/reconciliations/1/settlement", url.Values{"seen": {seen[1]}}); code != http.StatusOK {
		t.Fatalf("confirm: %d\n%s", code, text)
	}
	for order, sale := range map[string]struct {
		id        int64
		otherwise string // what it is when the terminal has not canceled it
	}{lostOrder: {lost, ""}, idleOrder: {idle, "notCanceled"}, handOrder: {hand, ""}, plainOrder: {plain, "cancelable"}} {
		want := sale.otherwise
		if s.truth(order) {
			want = "confirmed"
		}
		if got := s.state(sale.id); got != want {
			t.Errorf("sale %s is %s, the terminal says %s", order, got, want)
		}
	}
}

// truth asks the service's terminals whether a sale is canceled.
func (s *shop) truth(order string) bool {
	s.t.Helper()
	resp, err := http.Get(s.box.url + "/control/sales")
	must(s.t, err)
	defer resp.Body.Close()
	var sales []struct {
		OrderID    string
		CanceledAt *time.Time
	}
	must(s.t, json.NewDecoder(resp.Body).Decode(&sales))
	for _, one := range sales {
		if one.OrderID == order {
			return one.CanceledAt != nil
		}
	}
	s.t.Fatalf("the service does not know %s", order)
	return false
}

// report downloads the provider's report of a day.
func (s *shop) report(day string) string {
	s.t.Helper()
	resp, err := http.Get(s.box.url + "/control/report?date=" + day + "&zone=" + url.QueryEscape(noonZone()))
	must(s.t, err)
	code, text := read(s.t, resp)
	if code != http.StatusOK {
		s.t.Fatalf("report of %s: %d %s", day, code, text)
	}
	return text
}

// upload fills in the form with a file on a page and returns the page after it.
func (b *browser) upload(page, path, file string, pairs ...string) string {
	b.t.Helper()
	code, text := b.tryUpload(page, path, file, pairs...)
	if code != http.StatusOK {
		b.t.Fatalf("POST %s: %d\n%s", path, code, text)
	}
	return text
}

func (b *browser) tryUpload(page, path, file string, pairs ...string) (int, string) {
	b.t.Helper()
	_, text := b.get(page)
	token := csrfField.FindStringSubmatch(text)
	if token == nil {
		b.t.Fatalf("%s has no form:\n%s", page, text)
	}
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	must(b.t, w.WriteField("csrf", token[1]))
	for i := 0; i+1 < len(pairs); i += 2 {
		must(b.t, w.WriteField(pairs[i], pairs[i+1]))
	}
	part, err := w.CreateFormFile("file", "reporte.csv")
	must(b.t, err)
	_, err = io.WriteString(part, file)
	must(b.t, err)
	must(b.t, w.Close())
	resp, err := b.http.Post(b.url+path, w.FormDataContentType(), &body)
	must(b.t, err)
	return read(b.t, resp)
}

var (
	inputTag    = regexp.MustCompile(`<input[^>]*\sname="([^"]+)"[^>]*>`)
	valueOf     = regexp.MustCompile(`\svalue="([^"]*)"`)
	selectTag   = regexp.MustCompile(`(?s)<select[^>]*\sname="([^"]+)".*?</select>`)
	selectedTag = regexp.MustCompile(`<option value="([^"]*)" selected`)
)

// formValues reads what the fields of a page hold.
func formValues(page string) url.Values {
	form := url.Values{}
	for _, m := range inputTag.FindAllStringSubmatch(page, -1) {
		if v := valueOf.FindStringSubmatch(m[0]); v != nil &&
			(!regexp.MustCompile(`type="(radio|checkbox)"`).MatchString(m[0]) || regexp.MustCompile(`\schecked`).MatchString(m[0])) {
			form.Set(m[1], html.UnescapeString(v[1]))
		}
	}
	for _, m := range selectTag.FindAllStringSubmatch(page, -1) {
		if v := selectedTag.FindStringSubmatch(m[0]); v != nil {
			form.Set(m[1], html.UnescapeString(v[1]))
		}
	}
	return form
}
