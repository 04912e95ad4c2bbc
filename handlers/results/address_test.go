package results_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/results"
	"veinte/models"
	"veinte/models/addresses"
	"veinte/models/modelstest"
)

const (
	newMaster = "bmV3LW1hc3Rlci1rZXktb2YtdGhlLXRlc3RzLTAwMDE="
	oldMaster = "b2xkLW1hc3Rlci1rZXktb2YtdGhlLXRlc3RzLTAwMDA="
	// poster is the terminal of the samples.
	poster = "1234567890"
)

func keysOf(tb testing.TB, lines ...string) *addresses.Keys {
	tb.Helper()
	k, err := addresses.New(strings.Join(lines, "\n"))
	if err != nil {
		tb.Fatal(err)
	}
	return k
}

// said is a sale's post that names a terminal; "" names none.
func said(terminal string) string {
	return fmt.Sprintf(`{"transType":"A","responseCode":"00","orderId":"O-1","amount":"10.00","terminalId":%q}`, terminal)
}

// TestOwnAddress: the address says who speaks, and for whom.
func TestOwnAddress(t *testing.T) {
	t.Parallel()
	both := keysOf(t, newMaster, oldMaster)
	own, older := both.Path(poster), keysOf(t, oldMaster).Path(poster)
	token := own[len("/results/"+poster+"/"):]
	escaped := own[:len(own)-1] + fmt.Sprintf("%%%X", own[len(own)-1])
	for _, tt := range []struct {
		fact, path, body string
		keys             *addresses.Keys
		status           int
		serial, at       string
		own              bool
		counted          string
	}{
		{"its own", own, said(poster), both, 200, poster, poster, true, "own"},
		{"its own, with a slash after it", own + "/", said(poster), both, 200, poster, poster, true, "own"},
		{"its own, of the older master", older, said(poster), both, 200, poster, poster, true, "olderKey"},
		{"its own, and the post names nobody", own, said(""), both, 200, poster, poster, true, "own"},
		{"its own, and the post cannot be read", own, "hello", both, 200, poster, poster, true, "own"},
		{"its own, and the post names another", own, said("1234567891"), both, 200, "1234567891", poster, false, "otherTerminal"},
		{
			"its own, and the post names what is no terminal", own, `{"transType":"V","terminalId":["1234567890"]}`, both,
			200, "?", poster, false, "otherTerminal",
		},
		{"the shared one", "/results/s3cret", said(poster), both, 200, poster, "", false, "shared"},
		{"the shared one, and the post says it is not", "/results/s3cret", said(poster), nil, 200, poster, "", false, "shared"},
		{"of a master that is gone", older, said(poster), keysOf(t, newMaster), 404, "", "", false, "wrongSecret"},
		{"a letter of it percent-encoded", escaped, said(poster), both, 404, "", "", false, "wrongSecret"},
		{"in capitals", strings.Replace(own, token, strings.ToUpper(token), 1), said(poster), both, 404, "", "", false, "wrongSecret"},
		{"a character less", own[:len(own)-1], said(poster), both, 404, "", "", false, "wrongSecret"},
		{"a character more", own + "A", said(poster), both, 404, "", "", false, "wrongSecret"},
		{"padded", own + "=", said(poster), both, 404, "", "", false, "wrongSecret"},
		{"a space after it", own + "%20", said(poster), both, 404, "", "", false, "wrongSecret"},
		{"the serial number alone", "/results/" + poster, said(poster), both, 404, "", "", false, "wrongSecret"},
		{"without masters", own, said(poster), nil, 404, "", "", false, "wrongSecret"},
		{"another terminal's", strings.Replace(own, poster, "1234567891", 1), said("1234567891"), both, 404, "", "", false, "wrongSecret"},
		{"the shared secret as a token", "/results/" + poster + "/s3cret", said(poster), both, 404, "", "", false, "wrongSecret"},
		{"a token as the shared secret", "/results/" + own[len("/results/"+poster+"/"):], said(poster), both, 404, "", "", false, "wrongSecret"},
	} {
		k := &keeper{}
		var log bytes.Buffer
		e := results.New(results.Config{
			Secret: "s3cret", Keys: tt.keys, Receiver: k, Clock: models.ShiftedClock(0), Log: slog.New(slog.NewTextHandler(&log, nil)),
		})
		app := fiber.New(fiber.Config{Immutable: true})
		app.Post("/results/:secret", e.Handle)
		app.Post("/results/:serial/:token", e.Handle)
		status, answer := post(t, app, tt.path, tt.body)
		if status != tt.status || status == 200 && answer != heard {
			t.Errorf("%s = %d %s, want %d", tt.fact, status, answer, tt.status)
		}
		if got := e.Counts()[tt.counted]; got != 1 {
			t.Errorf("%s: counts = %v, want one %s", tt.fact, e.Counts(), tt.counted)
		}
		if strings.Contains(log.String()+answer, token) || strings.Contains(log.String(), "s3cret") {
			t.Errorf("%s: the log or the answer holds the secret: %s %s", tt.fact, log.String(), answer)
		}
		if tt.status != 200 {
			if len(k.posts) != 0 {
				t.Errorf("%s is stored: %+v", tt.fact, k.posts)
			}
			continue
		}
		if len(k.posts) != 1 {
			t.Fatalf("%s: %d posts", tt.fact, len(k.posts))
		}
		p := k.posts[0]
		if p.SerialNumber != tt.serial || p.AddressSerial != tt.at || p.OwnAddress != tt.own || (p.AddressKey != "") != (tt.at != "") {
			t.Errorf("%s: serial %q at %q (own %t, key %q), want %q at %q (own %t)", tt.fact, p.SerialNumber, p.AddressSerial, p.OwnAddress,
				p.AddressKey, tt.serial, tt.at, tt.own)
		}
	}
}

// TestSharedEnds: the last day is a day of Mexico City.
func TestSharedEnds(t *testing.T) {
	t.Parallel()
	ends := (models.SharedAddress{Until: "2027-01-31"}).Ends()
	for _, tt := range []struct {
		fact, now, path string
		ends            time.Time
		status          int
		counted         string
	}{
		{"the last second of the last day", "2027-02-01T05:59:59Z", "/results/s3cret", ends, 200, "shared"},
		{"midnight in Mexico City", "2027-02-01T06:00:00Z", "/results/s3cret", ends, 404, "sharedEnded"},
		{"a wrong secret after it", "2027-02-01T06:00:00Z", "/results/wrong", ends, 404, "wrongSecret"},
		{"an own address after it", "2027-02-01T06:00:00Z", keysOf(t, newMaster).Path(poster), ends, 200, "own"},
		{"years later without a last day", "2037-02-01T06:00:00Z", "/results/s3cret", time.Time{}, 200, "shared"},
	} {
		k := &keeper{}
		e := results.New(results.Config{
			Secret: "s3cret", Keys: keysOf(t, newMaster), SharedEnds: tt.ends, Receiver: k,
			Clock: modelstest.NewClock(modelstest.At(t, tt.now)), Log: slog.New(slog.DiscardHandler),
		})
		app := fiber.New()
		app.Post("/results/:secret", e.Handle)
		app.Post("/results/:serial/:token", e.Handle)
		if status, answer := post(t, app, tt.path, said(poster)); status != tt.status || e.Counts()[tt.counted] != 1 {
			t.Errorf("%s = %d %s (%v), want %d and one %s", tt.fact, status, answer, e.Counts(), tt.status, tt.counted)
		}
	}
}

// TestNetworks: from elsewhere there is no such page, whatever the sender writes
// about itself.
func TestNetworks(t *testing.T) {
	t.Parallel()
	shop, proxy := netip.MustParsePrefix("10.20.0.0/16"), netip.MustParsePrefix("0.0.0.0/32") // of app.Test
	inner, six := netip.MustParsePrefix("172.16.0.0/12"), netip.MustParsePrefix("2001:db8:20::/48")
	for _, tt := range []struct {
		fact      string
		networks  []netip.Prefix
		proxies   []netip.Prefix
		forwarded string
		status    int
	}{
		{"no networks", nil, nil, "", 200},
		{"the connection's address is one", []netip.Prefix{proxy}, nil, "", 200},
		{"the connection's address is none", []netip.Prefix{shop}, nil, "", 404},
		{"a header that nobody vouches for", []netip.Prefix{shop}, nil, "10.20.1.1", 404},
		{"behind a proxy", []netip.Prefix{shop}, []netip.Prefix{proxy}, "10.20.1.1", 200},
		{"behind a proxy, mapped", []netip.Prefix{shop}, []netip.Prefix{proxy}, "::ffff:10.20.1.1", 200},
		{"behind a proxy, from elsewhere", []netip.Prefix{shop}, []netip.Prefix{proxy}, "192.0.2.1", 404},
		{"behind a proxy, with a header of its own", []netip.Prefix{shop}, []netip.Prefix{proxy}, "10.20.1.1, 192.0.2.1", 404},
		{"behind a proxy that says nothing", []netip.Prefix{shop}, []netip.Prefix{proxy}, "", 404},
		{"behind a proxy that says nonsense", []netip.Prefix{shop}, []netip.Prefix{proxy}, "shop", 404},
		{"behind a proxy that names the port", []netip.Prefix{shop}, []netip.Prefix{proxy}, "10.20.1.1:51724", 200},
		{"behind two proxies", []netip.Prefix{shop}, []netip.Prefix{proxy, inner}, "10.20.1.1, 172.16.0.9", 200},
		{"behind two proxies, from elsewhere", []netip.Prefix{shop}, []netip.Prefix{proxy, inner}, "10.20.1.1, 192.0.2.1, 172.16.0.9", 404},
		{"IPv6", []netip.Prefix{six}, []netip.Prefix{proxy}, "2001:db8:20:7::1", 200},
		{"IPv6 from elsewhere", []netip.Prefix{six}, []netip.Prefix{proxy}, "2001:db8:21::1", 404},
		{"IPv6 with its port", []netip.Prefix{six}, []netip.Prefix{proxy}, "[2001:db8:20::1]:443", 200},
		{"IPv6 with a zone", []netip.Prefix{six}, []netip.Prefix{proxy}, "2001:db8:20::1%eth0", 200},
		{"IPv4 where only IPv6 may", []netip.Prefix{six}, []netip.Prefix{proxy}, "10.20.1.1", 404},
	} {
		k := &keeper{}
		app := mount(fiber.New(), results.Config{Secret: "s3cret", Networks: tt.networks, Receiver: k}, tt.proxies...)
		status, answer := post(t, app, "/results/s3cret", said(poster), "X-Forwarded-For", tt.forwarded)
		if status != tt.status {
			t.Errorf("%s = %d %s, want %d", tt.fact, status, answer, tt.status)
		}
	}
}
