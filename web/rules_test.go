package web

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/wiring"
)

var seenField = regexp.MustCompile(`name="seen" value="([^"]+)"`)

// TestRulesHoldInEveryProcess: an administrator makes the cut-off earlier at one
// server. Another, which still has the old one in memory, accepts nothing more, and
// its pages are updated.
func TestRulesHoldInEveryProcess(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	first, second := s.serve(), s.serve()
	_, err := wiring.Over(s.db).Accounts.CreateUser(context.Background(),
		models.System("test", ""),
		accounts.Input{Email: "diego@shop.example", Name: "Diego", Role: models.Administrator, Password: "una clave de taller"})
	must(t, err)
	_, sale := s.sell(0, "")
	ana, diego := s.signIn(second, "ana@shop.example"), s.signIn(first, "diego@shop.example")
	if code, text := ana.get("/sales"); code != http.StatusOK || !strings.Contains(text, "T20:00:00") {
		t.Fatalf("before: %d, want a cut-off of 20:00\n%s", code, text)
	}

	_, form := diego.get("/settings/rules")
	seen := seenField.FindStringSubmatch(form)
	if seen == nil {
		t.Fatalf("the rules have no form:\n%s", form)
	}
	cutoff := time.Now().In(window(t).Calendar.Zone()).Add(6 * time.Minute).Format("15:04")
	code, text := diego.post("/settings/rules", "/settings/rules/versions", url.Values{
		"seen": {seen[1]}, "click": {"1"}, "cutoff": {cutoff}, "margin": {"600"}, "answer": {"2"}, "result": {"180"}, "quiet": {"180"},
		"printReceipt": {"on"},
	})
	if code != http.StatusOK || !strings.Contains(text, cutoff) {
		t.Fatalf("change the rules: %d\n%s", code, text)
	}
	path := "/sales/" + strconv.FormatInt(sale, 10) + "/cancellation"
	if code, text := ana.post("/sales", path, url.Values{"reason": {"customerRequest"}, "click": {"2"}}); code != http.StatusConflict {
		t.Errorf("a cancellation at the other server = %d, want %d\n%s", code, http.StatusConflict, text)
	}
	eventually(t, 10*time.Second, "the other server's pages count down to "+cutoff, func() bool {
		_, text := ana.get("/sales")
		return strings.Contains(text, "T"+cutoff+":00")
	})
	if got := s.state(sale); got != "cancelable" {
		t.Errorf("the sale is %s, want it untouched", got)
	}
}
