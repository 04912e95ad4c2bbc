package results_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/client"
	"veinte/handlers/results"
	"veinte/models"
)

// keeper receives posts, or cannot.
type keeper struct {
	mu    sync.Mutex
	posts []models.Post
	err   error
}

func (k *keeper) Receive(_ context.Context, p models.Post) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.posts = append(k.posts, p)
	return k.err
}

func endpoint(secret string, k *keeper) *fiber.App {
	app := fiber.New(fiber.Config{Immutable: true, BodyLimit: 1 << 20})
	return mount(app, results.Config{Secret: secret, Receiver: k})
}

// mount adds the endpoint's two addresses, behind proxies of ours.
func mount(app *fiber.App, c results.Config, proxies ...netip.Prefix) *fiber.App {
	if c.Clock == nil {
		c.Clock = at(testDay)
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	app.Use(func(c *fiber.Ctx) error { client.Begin(c, proxies); return c.Next() })
	e := results.New(c)
	app.Post("/results/:secret", e.Handle)
	app.Post("/results/:serial/:token", e.Handle)
	return app
}

func post(tb testing.TB, app *fiber.App, path, body string, headers ...string) (status int, answer string) {
	tb.Helper()
	req := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := app.Test(req, -1)
	if err != nil {
		tb.Fatal(err)
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err != nil {
		tb.Fatal(err)
	}
	return res.StatusCode, string(got)
}

const heard = `{"code":"00","message":"Recibido"}`

// TestAlwaysHeard: whatever a terminal posts is stored and answered the same.
func TestAlwaysHeard(t *testing.T) {
	t.Parallel()
	sale := string(sample(t, "04_sale_result_approved"))
	for _, tt := range []struct {
		fact, body, kind string
		want             models.ResultKind
	}{
		{"a sale", sale, "application/json", models.ResultSale},
		{"a sale that says it is text", sale, "text/plain; charset=utf-8", models.ResultSale},
		{"a sale that says it is a form", sale, "application/x-www-form-urlencoded", models.ResultSale},
		{"a sale that says nothing", sale, "", models.ResultSale},
		{"an abandoned operation", string(sample(t, "10_user_cancelled_on_terminal")), "application/json", models.ResultAbandoned},
		{"the registration test", string(sample(t, "11_registration_test_post")), "application/json", models.ResultOther},
		{"an array", "[" + sale + "]", "application/json", models.ResultUnreadable},
		{"no JSON", "hello", "application/json", models.ResultUnreadable},
		{"nothing", "", "application/json", models.ResultUnreadable},
		{"NUL", "{\x00}", "application/json", models.ResultUnreadable},
		{"64 KB of spaces and a sale", strings.Repeat(" ", 64<<10-len(sale)) + sale, "application/json", models.ResultSale},
		{"a byte more", strings.Repeat(" ", 64<<10-len(sale)+1) + sale, "application/json", models.ResultUnreadable},
		{"almost a megabyte", strings.Repeat("x", 1<<20-1), "application/json", models.ResultUnreadable},
		{"a depth bomb", strings.Repeat(`{"a":`, 10000), "application/json", models.ResultUnreadable},
	} {
		k := &keeper{}
		status, answer := post(t, endpoint("s3cret", k), "/results/s3cret", tt.body, "Content-Type", tt.kind)
		if status != http.StatusOK || answer != heard {
			t.Errorf("%s is answered %d %s, want 200 %s", tt.fact, status, answer, heard)
		}
		if len(k.posts) != 1 || k.posts[0].Kind != tt.want || k.posts[0].Address == "" {
			t.Errorf("%s is stored as %+v, want one %s with its address", tt.fact, k.posts, tt.want)
		}
	}
	k := &keeper{}
	if status, answer := post(t, endpoint("s3cret", k), "/results/s3cret", "\x1f\x8b", "Content-Encoding", "gzip"); status != 200 ||
		answer != heard || len(k.posts) != 1 {
		t.Errorf("a compressed post is answered %d %s", status, answer)
	}
}

// TestSecret: without it there is no such page.
func TestSecret(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		fact, secret, path string
		status             int
	}{
		{"right", "s3cret", "/results/s3cret", 200},
		{"with a slash after it", "s3cret", "/results/s3cret/", 200},
		{"wrong", "s3cret", "/results/wrong", 404},
		{"its beginning", "s3cret", "/results/s3cre", 404},
		{"more than it", "s3cret", "/results/s3cret1", 404},
		{"in capitals", "s3cret", "/results/S3CRET", 404},
		{"none", "s3cret", "/results/", 404},
		{"none is configured", "", "/results/", 404},
		{"none is configured, one is tried", "", "/results/x", 404},
		{"in the query", "s3cret", "/results/x?secret=s3cret", 404},
	} {
		k := &keeper{}
		status, answer := post(t, endpoint(tt.secret, k), tt.path, `{"transType":"V"}`)
		if status != tt.status {
			t.Errorf("%s = %d %s, want %d", tt.fact, status, answer, tt.status)
		}
		if got, want := len(k.posts), map[bool]int{true: 1}[tt.status == 200]; got != want {
			t.Errorf("%s: %d posts stored, want %d", tt.fact, got, want)
		}
	}
}

// TestNotStored: what is not stored is not acknowledged, so that the terminal
// tries again.
func TestNotStored(t *testing.T) {
	t.Parallel()
	k := &keeper{err: errors.New("no database")}
	status, answer := post(t, endpoint("s3cret", k), "/results/s3cret", string(sample(t, "04_sale_result_approved")))
	if status != http.StatusServiceUnavailable || !strings.Contains(answer, `"code":"99"`) || strings.Contains(answer, "database") {
		t.Errorf("answered %d %s, want 503 with code 99 and no reasons", status, answer)
	}
}

// signer knows one signature, of one body.
type signer struct {
	id, timestamp, signature, body string
	err                            error
}

func (s signer) Signed(_ context.Context, id, timestamp, signature string, body []byte) (bool, error) {
	return s == signer{id, timestamp, signature, string(body), s.err}, s.err
}

// TestForwardedPostsAreMarked: what we sent on ourselves is known by our signature. The
// header alone, which anybody can send, says so and proves nothing.
func TestForwardedPostsAreMarked(t *testing.T) {
	t.Parallel()
	k := &keeper{}
	sale := string(sample(t, "04_sale_result_approved"))
	ours := signer{id: "msg_1", timestamp: "1763660000", signature: "v1,abc", body: sale}
	app := mount(fiber.New(fiber.Config{Immutable: true}), results.Config{Secret: "secret", Receiver: k, Deliveries: ours})
	signed := []string{"Webhook-Id", "msg_1", "Webhook-Timestamp", "1763660000", "Webhook-Signature", "v1,abc"}
	claim := []string{"X-Veinte-Delivery", "12"}
	for _, tt := range []struct {
		fact       string
		body       string
		headers    []string
		ours, says bool
	}{
		{"a terminal's", sale, nil, false, false},
		{"with the header alone", sale, claim, false, true},
		{"with the header twice", sale, append(claim, claim...), false, true},
		{"with our signature of something else", sale + " ", append(claim, signed...), false, true},
		{"with our signature", sale, append(claim, signed...), true, false},
		{"with the signature alone", sale, signed, false, false},
	} {
		post(t, app, "/results/secret", tt.body, tt.headers...)
		if got := k.posts[len(k.posts)-1]; got.Forwarded != tt.ours || got.SaysForwarded != tt.says {
			t.Errorf("a post %s is forwarded %t, says so %t; want %t, %t", tt.fact, got.Forwarded, got.SaysForwarded, tt.ours, tt.says)
		}
	}

	nobody := mount(fiber.New(), results.Config{Secret: "secret", Receiver: k})
	post(t, nobody, "/results/secret", sale, append(claim, signed...)...)
	if got := k.posts[len(k.posts)-1]; got.Forwarded || !got.SaysForwarded {
		t.Errorf("without endpoints a post is %+v, want that it only says so", got)
	}

	// A post whose signature cannot be looked up is not lost: the terminal sends it again.
	before := len(k.posts)
	ours.err = errors.New("no database")
	app = mount(fiber.New(), results.Config{Secret: "secret", Receiver: k, Deliveries: ours})
	if status, answer := post(t, app, "/results/secret", sale, append(claim, signed...)...); status != 503 ||
		!strings.Contains(answer, `"99"`) || len(k.posts) != before {
		t.Errorf("answered %d %s with %d posts stored, want 503 and none", status, answer, len(k.posts)-before)
	}
}
