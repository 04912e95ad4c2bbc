package handlers_test

import (
	"fmt"
	"net/netip"
	"net/url"
	"testing"

	"veinte/handlers"
	"veinte/models"
)

// behindProxy trusts the proxy through which these tests come.
func behindProxy(c *handlers.Config) { c.Proxies = []netip.Prefix{netip.MustParsePrefix("0.0.0.0/32")} }

// guess tries a wrong password, with what the sender writes about its own address
// before what our proxy adds.
func (v *visitor) guess(email string, n int, written, added string) *answer {
	v.h.tb.Helper()
	return v.post("/login", url.Values{"email": {email}, "password": {fmt.Sprintf("una clave equivocada %d", n)}},
		"X-Forwarded-For", written+", "+added)
}

// TestAWrittenAddressIsNotBelieved: whoever writes another address into each request is
// still one sender, in the limits and in the trail.
func TestAWrittenAddressIsNotBelieved(t *testing.T) {
	t.Parallel()
	h := newHouse(t, behindProxy)
	h.signUp("nora@veinte.test", models.Manager)
	v, judged := h.visitor(), 0
	for n := range 60 {
		if v.guess("nora@veinte.test", n, fmt.Sprintf("198.51.100.%d", n+1), "203.0.113.7").status == 422 {
			judged++
		}
	}
	if judged > 10 {
		t.Errorf("%d of 60 guesses with written addresses were judged, want ten at most", judged)
	}
	if n := h.count(`SELECT count(*) FROM audit_entries WHERE address LIKE '198.51.%'`); n != 0 {
		t.Errorf("%d entries name an address that the sender wrote", n)
	}
	if n := h.count(`SELECT count(*) FROM audit_entries WHERE address = '203.0.113.7'`); n == 0 {
		t.Error("no entry names the address that our proxy added")
	}
	// The shop whose address was written is not shut out.
	h.visitor().post("/login", url.Values{"email": {"otra@veinte.test"}, "password": {"x"}}, "X-Forwarded-For", "198.51.100.1").want(422)
}

// TestAHouseholdIsOneSender: a sender has 2^64 addresses of IPv6.
func TestAHouseholdIsOneSender(t *testing.T) {
	t.Parallel()
	h := newHouse(t, behindProxy)
	h.exec(`INSERT INTO login_failures (email, address, at)
		SELECT 'u' || n || '@x', $1, $2 FROM generate_series(1, 49) n`, "2001:db8::/64", h.Clock.Now())
	h.visitor().guess("n@veinte.test", 0, "", "2001:db8::1").want(422)
	h.visitor().guess("k@veinte.test", 0, "", "2001:db8:0:0:ffff::2").want(429)
	h.visitor().guess("m@veinte.test", 0, "", "2001:db8:0:1::1").want(422)
	if n := h.count(`SELECT count(*) FROM audit_entries WHERE address IN ('2001:db8::1', '2001:db8::ffff:0:0:2')`); n != 2 {
		t.Errorf("%d entries name the whole address, want 2", n)
	}
}

// TestAnInsecureServerSaysSo: on every page of an administrator, and to nobody else.
func TestAnInsecureServerSaysSo(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(c *handlers.Config) { c.Insecure = true })
	administrator := h.administrator()
	for _, path := range []string{"/stores", "/settings/rules", "/users", "/help/administrator", "/nowhere"} {
		administrator.get(path).says("Este servidor se usa sin https")
	}
	for _, v := range []*visitor{h.manager(), h.supervisor(), h.visitor()} {
		v.get("/login").hides("sin https")
		v.get("/sales").hides("sin https")
	}
	newHouse(t).administrator().get("/stores").hides("sin https")
}
