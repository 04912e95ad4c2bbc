package e2e

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// watch collects what must not happen on any page: errors in the console,
// violations of the content security policy, requests to anywhere else.
type watch struct {
	mu      sync.Mutex
	bad     []string
	allowed []string
}

// startWatch watches a tab until its test ends, and fails the test then.
func startWatch(p *page) *watch {
	p.t.Helper()
	w := &watch{}
	if err := chromedp.Listen(p.ctx, func(event any) { w.hear(p.server.url, event) }); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		for _, bad := range w.take() {
			p.t.Errorf("on a page: %s", bad)
		}
	})
	return w
}

// hear runs in the loop that reads the tab's messages.
func (w *watch) hear(origin string, event any) {
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning ||
			e.Type == runtime.ConsoleAPICalledTypeAssert {
			w.add(fmt.Sprintf("console.%s: %s", e.Type, arguments(e.Args)))
		}
	case *runtime.EventExceptionThrown:
		w.add(fmt.Sprintf("exception: %s %s", e.ExceptionDetails.Text, describeObject(e.ExceptionDetails.Exception)))
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Source == log.EntrySourceSecurity {
			w.add(fmt.Sprintf("%s %s: %s %s", e.Entry.Source, e.Entry.Level, e.Entry.Text, e.Entry.URL))
		}
	case *network.EventRequestWillBeSent:
		url := e.Request.URL
		// The browser's own controls draw icons from data: addresses; a page
		// that tried would violate its security policy, which is watched too.
		if !strings.HasPrefix(url+"/", origin+"/") && !strings.HasPrefix(url, "data:") && url != "about:blank" {
			w.add("request outside the origin: " + url)
		}
	}
}

func arguments(args []*runtime.RemoteObject) string {
	var words []string
	for _, a := range args {
		words = append(words, describeObject(a))
	}
	return strings.Join(words, " ")
}

func describeObject(o *runtime.RemoteObject) string {
	if o == nil {
		return ""
	}
	return o.Description + string(o.Value)
}

func (w *watch) add(bad string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.bad = append(w.bad, bad)
}

// allow names what a test provokes, such as the status of an error page.
func (w *watch) allow(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.allowed = append(w.allowed, text)
}

// take returns what was seen and not allowed, and forgets it.
func (w *watch) take() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	bad := slices.DeleteFunc(w.bad, func(b string) bool {
		return slices.ContainsFunc(w.allowed, func(a string) bool { return strings.Contains(b, a) })
	})
	w.bad = nil
	return bad
}
