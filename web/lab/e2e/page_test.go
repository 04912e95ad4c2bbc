package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// patience ends what would wait for ever. No test measures by it: a busy machine may
// take as long as it needs.
const patience = 3 * time.Minute

// screen is what a person looks at.
type screen struct {
	width, height int64
	phone         bool
}

var (
	desk  = screen{1280, 900, false}
	phone = screen{390, 844, true}
)

// page is one tab of one person's browser.
type page struct {
	t      testing.TB
	server *server
	ctx    context.Context
	screen screen
	watch  *watch
	plain  bool // without scripts
}

// open makes a browser of its own for a user who is not signed in.
func (s *server) open(t testing.TB, sc screen) *page {
	t.Helper()
	return s.tab(t, chrome.ctx, sc, chromedp.WithNewBrowserContext(), chromedp.WithNewWindow(true))
}

// openAs makes a browser of its own for a signed-in user.
func (s *server) openAs(t testing.TB, role string, sc screen) *page {
	t.Helper()
	p := s.open(t, sc)
	p.setCookie(sessionCookie, s.as(t, role).session())
	return p
}

// tab makes a tab: of a new browser context, or beside the one of parent.
func (s *server) tab(t testing.TB, parent context.Context, sc screen, options ...chromedp.ContextOption) *page {
	t.Helper()
	ctx, cancel := chromedp.NewContext(parent, options...)
	t.Cleanup(cancel)
	s.tabs.add(cancel)
	p := &page{t: t, server: s, ctx: ctx, screen: sc}
	p.do(chromedp.Steps()) // makes the tab; what follows may have deadlines
	p.watch = startWatch(p)
	p.resize(sc)
	p.onEveryPage(keepRowHooks)
	// Tabs of several tests are open at once; each must believe it is looked at.
	call(p, func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
		return err
	})
	return p
}

// resize gives the tab a screen of another size.
func (p *page) resize(sc screen) {
	p.t.Helper()
	var options []chromedp.EmulateViewportOption
	if sc.phone {
		options = append(options, chromedp.EmulateMobile, chromedp.EmulateTouch)
	}
	p.do(chromedp.EmulateViewport(sc.width, sc.height, options...))
}

// another opens a second tab of the same person.
func (p *page) another() *page {
	p.t.Helper()
	return p.server.tab(p.t, p.ctx, p.screen, chromedp.WithNewWindow(true))
}

// call runs something on the tab.
func call(p *page, f func(ctx context.Context) error) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := f(ctx); err != nil {
		p.t.Fatalf("%v\n%s", err, p.describe())
	}
}

// do runs actions in order.
func (p *page) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if chromedp.FromContext(p.ctx).Target == nil {
		// The tab lives as long as the context of its first action.
		if err := chromedp.Do(p.ctx, steps...); err != nil {
			p.t.Fatal(err)
		}
		return
	}
	call(p, func(ctx context.Context) error { return chromedp.Do(ctx, steps...) })
}

func (p *page) setCookie(name, value string) {
	p.t.Helper()
	call(p, func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, network.SetCookie, network.SetCookieParams{Name: name, Value: value, URL: p.server.url})
		return err
	})
}

// goTo opens a page of the server and waits until it has loaded. The browser may
// also report the load of the previous page.
func (p *page) goTo(path string) {
	p.t.Helper()
	p.do(chromedp.Navigate(p.server.url + path))
	p.whole()
}

// whole waits until the page has loaded, and with it its scripts: before that it
// cannot take a key or a click.
func (p *page) whole() {
	p.t.Helper()
	p.until("a whole page", "true")
}

// reload loads the page again. The browser may also report an earlier load.
func (p *page) reload() {
	p.t.Helper()
	p.do(step("window.beforeReload = true"), chromedp.Reload())
	p.until("the page anew", "!window.beforeReload")
}

// eval is what an expression is on the page.
func eval[T any](p *page, expression string) T {
	p.t.Helper()
	return await(p, "a value of "+expression, expression, func(T) bool { return true })
}

// until waits for a condition on a page that has loaded.
func (p *page) until(what, condition string) {
	p.t.Helper()
	await(p, what, "document.readyState === 'complete' && !!("+condition+")", func(holds bool) bool { return holds })
}

// await waits until an expression is as it is wanted, and returns it. A page that is
// just being replaced is asked again.
func await[T any](p *page, what, expression string, wanted func(T) bool) T {
	p.t.Helper()
	if p.plain {
		expression = "(" + rowHooks + "(), (" + expression + "))"
	}
	deadline := time.Now().Add(patience)
	for {
		ctx, cancel := context.WithDeadline(p.ctx, deadline)
		value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
		cancel()
		if err == nil && wanted(value) {
			return value
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("after %s the page does not show %s (%v)\n%s", patience, what, err, p.describe())
		}
		select {
		case <-p.t.Context().Done():
			p.t.Fatal(p.t.Context().Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// at waits until the tab has come to a path of the server and loaded.
func (p *page) at(path string) {
	p.t.Helper()
	p.until("path "+path, fmt.Sprintf("location.pathname === %q", path))
}

// describe returns where a failed test was.
func (p *page) describe() string {
	ctx, cancel := context.WithTimeout(p.ctx, 2*time.Second)
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string](
		`location.href + "\n" +
			(document.querySelector("dialog[open]") || document.querySelector("main") || document.body).innerText.slice(0, 1500)`))
	if err != nil {
		return fmt.Sprintf("(the page cannot be read: %v)", err)
	}
	return "the page is " + strings.ReplaceAll(text, "\n\n", "\n")
}
