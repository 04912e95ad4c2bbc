package e2e

import (
	"context"
	"regexp"
	"testing"
	"time"

	cdpage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// clocks replaces the page's clocks before its scripts run: the wall clock can be
// set, as a user or the network sets it, and the monotonic clock can be stopped, as
// on a sleeping machine. It counts requests, because the page requests the server's
// time, and measures them: how long an answer took is what no page can know better.
const clocks = `{
	const RealDate = Date, real = performance.now.bind(performance), ask = window.fetch;
	let set = 0, asleep = 0;
	window.Date = class extends RealDate {
		constructor(...a) { if (a.length) super(...a); else super(RealDate.now() + set); }
		static now() { return RealDate.now() + set; }
	};
	performance.now = () => real() - asleep;
	window.asked = 0;
	window.fetch = async (...a) => {
		const began = real(), answer = await ask(...a), text = answer.text.bind(answer);
		answer.text = async () => {
			const t = await text();
			setTimeout(() => { window.asked++; window.unsure = (real() - began) / 2; });
			return t;
		};
		return answer;
	};
	window.setClock = (ms) => { set += ms; };
	window.sleep = (ms) => { const end = real() + ms; while (real() < end); asleep += ms; };
}`

// maxOff is how far the page's clock may be from the server's, apart from what it
// cannot know.
const maxOff = 250 * time.Millisecond

// unsure is how many milliseconds the answer that the page goes by may have been on its
// way: its own page in one direction, another request in half of both.
const unsure = `(window.unsure ?? performance.getEntriesByType("navigation").map((e) => e.responseStart - e.requestStart)[0])`

var dataNow = regexp.MustCompile(`data-testid="cutoff"[^>]*data-now="([^"]+)"`)

// serverAhead is how far the server's clock is ahead of this machine's, from the
// quickest of several HTTP responses, and the maximum error.
func (s *server) serverAhead(t *testing.T) (ahead, off time.Duration) {
	t.Helper()
	off = time.Hour
	for range 12 {
		began := time.Now()
		_, text := s.as(t, manager).get(t, "/sales?q=none")
		took := time.Since(began)
		m := dataNow.FindStringSubmatch(text)
		if m == nil {
			t.Fatal("the list does not tell the server's now")
		}
		now, err := time.Parse(time.RFC3339Nano, m[1])
		if err != nil {
			t.Fatal(err)
		}
		if took < off {
			ahead, off = now.Sub(began.Add(took/2)), took/2
		}
	}
	return ahead, off
}

// wantServerTime checks that the page counts with the server's time, and shows it.
func (p *page) wantServerTime(t *testing.T, when string) {
	t.Helper()
	ahead, off := p.server.serverAhead(t)
	least, took := time.Hour, time.Hour
	unknown := eval[float64](p, unsure)
	for range 12 {
		began := time.Now()
		shown := eval[float64](p, "window.veinte.now()")
		if d := time.Since(began); d < took {
			took = d
			least = time.UnixMicro(int64(shown * 1000)).Sub(began.Add(d / 2).Add(ahead)).Abs()
		}
	}
	unknown = max(unknown, eval[float64](p, unsure)) // it may have asked meanwhile
	exact := off + took/2 + time.Duration(unknown*float64(time.Millisecond))
	t.Logf("%s: %s off, known to ±%s", when, least, exact)
	if least > maxOff+exact {
		t.Errorf("%s: the page is %s off the server's time (known to ±%s), want at most %s", when, least, exact, maxOff)
	}
	p.until("the countdown of that time", `(() => {
		const box = document.querySelector("[data-testid=cutoff]"),
			s = Math.floor((Date.parse(box.dataset.closes) - window.veinte.now()) / 1000);
		const two = (n) => String(n).padStart(2, "0");
		const text = s >= 3600 ? Math.floor(s / 3600) + " h " + two(Math.floor(s / 60) % 60) + " min"
			: s >= 60 ? Math.floor(s / 60) + " min " + two(s % 60) + " s" : s + " s";
		return box.querySelector("[data-left]").textContent === text })()`)
}

// Whatever happens to the machine's clocks, the countdown follows the server's to
// within a quarter of a second.
func TestCountdownHoldsTheServersTime(t *testing.T) {
	t.Parallel()
	p := shared.openAs(t, manager, desk)
	call(p, func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, cdpage.AddScriptToEvaluateOnNewDocument, cdpage.AddScriptToEvaluateOnNewDocumentParams{Source: clocks})
		return err
	})
	p.goTo("/sales?q=none")
	p.wantServerTime(t, "as it was loaded")
	for _, jump := range []struct{ name, by string }{
		{"an hour forwards", "3600e3"}, {"two hours backwards", "-7200e3"}, {"a day forwards", "86400e3"},
	} {
		p.do(chromedp.Evaluate[chromedp.Void]("window.asked = 0; setClock(" + jump.by + ")"))
		p.wantServerTime(t, "right after the clock was set by "+jump.name)
		p.until("that the page has asked the server", "window.asked > 0")
		p.wantServerTime(t, "after it was set by "+jump.name)
	}
	for _, long := range []string{"5000", "1000"} {
		p.do(chromedp.Evaluate[chromedp.Void]("window.asked = 0; sleep(" + long + ")"))
		p.until("that the page has asked the server", "window.asked > 0")
		p.wantServerTime(t, "after a sleep of "+long+" ms")
	}
}
