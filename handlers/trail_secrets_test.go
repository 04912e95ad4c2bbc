package handlers_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"veinte/models"
	"veinte/models/modelstest"
)

// whence is where a house's visitors come from: through a proxy of ours, from an
// address of their own, with a browser.
type whence struct{ address, browser string }

// comeFrom has every visitor from now on come from there.
func (h *house) comeFrom(w whence) { h.whence = &w }

// dress puts where the visitor comes from into the request.
func (h *house) dress(req *http.Request) {
	if h.whence != nil {
		req.Header.Set("X-Forwarded-For", h.whence.address)
		req.Header.Set("User-Agent", h.whence.browser)
	}
}

// shownSecrets are what pages show once: keys of the API, and what webhooks are
// signed with.
var shownSecrets = regexp.MustCompile(`vk_live_[A-Za-z0-9_-]{20,}|whsec_[A-Za-z0-9+/=_-]{20,}|/results/[0-9]{10}/[A-Za-z0-9_-]{32}|` +
	`/password/[A-Z2-7]{26}`)

// overhear keeps the secrets of a request and of its answer: who holds the house's
// trail against them knows them all.
func (h *house) overhear(jar map[string]string, sent, shown string) {
	h.heardMu.Lock()
	defer h.heardMu.Unlock()
	if h.heard == nil {
		h.heard = map[string]string{}
	}
	for _, cookie := range []string{"veinte_session", "veinte_visit"} {
		if jar[cookie] != "" {
			h.heard[jar[cookie]] = "the cookie " + cookie
		}
	}
	form, _ := url.ParseQuery(sent)
	for _, field := range []string{"password", "again", "csrf"} {
		if value := form.Get(field); len(value) >= 8 {
			h.heard[value] = "what was sent as " + field
		}
	}
	if _, key, ok := strings.Cut(form.Get("url"), "?"); ok && len(key) >= 8 {
		h.heard[key] = "what follows the question mark of an address"
	}
	for _, s := range shownSecrets.FindAllString(shown, -1) {
		h.heard[s] = "what a page shows once"
	}
}

// secrets are all that the house has heard, and those that never were on a page.
func (h *house) secrets() map[string]string {
	h.heardMu.Lock()
	defer h.heardMu.Unlock()
	secrets := map[string]string{
		modelstest.Password: "a password", secret: "the secret of the results endpoint",
		modelstest.SecretBoxKey: "the key that encrypts secrets", masterKey: "the master key of the terminals' addresses",
	}
	for s, what := range h.heard {
		secrets[s] = what
	}
	for _, o := range h.API.Orders() {
		secrets[o.Key.Reveal()], secrets[o.Key.Hash()] = "an attempt id", "an attempt id's hash"
	}
	return secrets
}

// judgeWhence fails when what people and strangers did on pages does not say
// where from, by which browser and under which number.
func (h *house) judgeWhence(people ...int64) {
	h.tb.Helper()
	where := `(actor_id = ANY($1) OR actor_role = '` + string(models.Anonymous) + `')`
	if n := h.count(`SELECT count(DISTINCT action) FROM audit_entries WHERE `+where, people); n < 60 {
		h.tb.Errorf("people did %d acts, want sixty at least", n)
	}
	wrong := h.text(`SELECT coalesce(string_agg(concat_ws(' ', id, action, actor_name, host(nullif(address, '')::inet), user_agent,
		request_id), E'\n'), '') FROM audit_entries
		WHERE `+where+` AND NOT (address = $2 AND user_agent = $3 AND request_id ~ '^[a-z2-7]{16}$' AND on_behalf_of = '')
		  AND action NOT IN ('sales.imported')`, people, h.whence.address, h.whence.browser)
	if wrong != "" {
		h.tb.Errorf("entries that do not say where from:\n%s", wrong)
	}
}
