package e2e

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// guides are those of /help.
var guides = []string{manager, supervisor, administrator, auditor}

// maxPicture is how large a picture may be: guides are read on phones.
const maxPicture = 60_000

// beforeTheRush is when the pictures of the guides are taken, but for those of
// the evening.
const beforeTheRush = "2026-11-20T19:20:00-06:00"

// pictured is what a picture of a guide shows: a thing on a page.
type pictured struct {
	place
	selector string
}

// picturedByDay and picturedByNight are the guides' pictures, by name.
func picturedByDay(t testing.TB, s *server, sales map[string]string) map[string]pictured {
	t.Helper()
	story := func(state string) string { return "/sales/" + sales[state] }
	spare := s.newTerminal(t, romaNorte)
	second := s.saleID(t, s.box.sell(t, spare.serial, "480.00", map[string]any{"last4": "1881"}))
	ticked := func(id string) string { return fmt.Sprintf("[name=sale][value^=%q]", id) }
	return map[string]pictured{
		"row":       {place{role: manager, path: "/sales"}, "#sale-" + sales["cancelable"]},
		"cutoff":    {place{role: manager, path: "/sales"}, id("cutoff")},
		"sheet":     {place{role: manager, path: story("cancelable") + "/cancellation/new"}, "#sheet"},
		"accepted":  {place{role: manager, path: story("accepted")}, ".truth"},
		"confirmed": {place{role: manager, path: story("confirmed")}, ".truth"},
		"unknown":   {place{role: manager, path: story("unknown")}, ".truth"},
		"review":    {place{role: supervisor, path: "/review?kind=conflict"}, id("review-item")},
		"settle":    {place{role: supervisor, path: story("unknown")}, "section:has(> " + id("resolution-form") + ")"},
		"several": {place{role: supervisor, path: "/sales?state=cancelable", then: func(p *page) {
			p.press(ticked(sales["cancelable"]))
			p.press(ticked(second))
			p.see("[form=several]:checked")
		}}, "#several"},
		"entry":   {place{role: supervisor, path: "/audit?action=cancellation.requested"}, id("audit-entry")},
		"exports": {place{role: supervisor, path: "/audit/exports"}, ".formats"},
		"verdict": {place{role: supervisor, path: "/audit/verification", then: func(p *page) {
			if p.count(id("verdict")) == 0 {
				p.press(id("verify-form") + " button[type=submit]")
			}
			p.see(id("verdict"))
		}}, ".card:has(" + id("verdict") + ")"},
		"terminal": {place{role: administrator, path: "/terminals/new"}, "form[action='/terminals']"},
		"health":   {place{role: administrator, path: "/terminals/health"}, ".tabs"},
		"user":     {place{role: administrator, path: "/users/new"}, "form[action='/users']"},
		"rules": {place{role: administrator, path: "/settings/rules", then: func(p *page) {
			p.fill("#f-note", "10 s")
			p.press("details:has(#f-margin) summary")
			p.fill("#f-margin", "10")
			p.press(id("rules-form") + " button[type=submit]")
			p.see(id("rules-apply"))
		}}, ".narrow"},
		"connection": {place{role: administrator, path: "/settings/connection", then: func(p *page) {
			if p.count(id("probe-step")) == 0 { // the first language's: it may not be asked for again so soon
				p.press(id("connection-test") + " button[type=submit]")
				p.see(id("flash"))
			}
			p.see(id("probe-step"))
		}}, "[aria-labelledby=test-title]"},
	}
}

func picturedByNight(sales map[string]string) map[string]pictured {
	return map[string]pictured{"refund": {place{role: manager, path: "/sales/" + sales["cancelable"]}, ".refund"}}
}

// shownPicture is a picture as a guide shows it.
type shownPicture struct {
	Name, Alt       string
	Width, Height   float64
	NaturalW, Bytes float64
}

// The guides' pictures are of this product: each is served, has the size in its
// page, and its subject still exists in about that size. With HELP_PICTURES=dir they
// are taken anew (make help-pictures).
func TestHelpPictures(t *testing.T) {
	t.Parallel()
	s := ownServer(t, beforeTheRush)
	var sales map[string]string
	named := map[string]bool{}
	for _, lang := range []string{"es-MX", "en"} {
		sales = s.everyState(t) // new ones: in three minutes some of them change by themselves
		maps.Copy(named, s.checkPictures(t, lang, picturedByDay(t, s, sales)))
	}
	s.stop(t)
	late := startIn(t, s.dir, "2026-11-20T20:30:00-06:00")
	for _, lang := range []string{"es-MX", "en"} {
		maps.Copy(named, late.checkPictures(t, lang, picturedByNight(sales)))
	}
	for name := range late.shownPictures(t, "es-MX") {
		if !named[name] {
			t.Errorf("nobody looks whether the picture %s is still true", name)
		}
	}
}

// checkPictures compares, or takes anew, pictures in a language.
func (s *server) checkPictures(t *testing.T, lang string, of map[string]pictured) map[string]bool {
	t.Helper()
	shown, dir, looked := s.shownPictures(t, lang), os.Getenv("HELP_PICTURES"), map[string]bool{}
	byRole := map[string]*page{}
	// One sale's page first: its state is another in three minutes.
	names := slices.Sorted(maps.Keys(of))
	slices.SortStableFunc(names, func(a, b string) int {
		return strings.Count(of[b].path, "/sales/") - strings.Count(of[a].path, "/sales/")
	})
	for _, name := range names {
		what := of[name]
		p := byRole[what.role]
		if p == nil {
			p = s.openAs(t, what.role, phone)
			p.setCookie("veinte_language", lang)
			p.prefer("light")
			byRole[what.role] = p
		}
		p.visit(what.place)
		p.see(what.selector)
		looked[name] = true
		if dir != "" {
			p.takePicture(filepath.Join(dir, lang, name+".webp"), what.selector)
			continue
		}
		got, ok := shown[name]
		if !ok {
			t.Errorf("no guide in %s shows the picture %s", lang, name)
			continue
		}
		size := p.box(what.selector)
		if math.Abs(size.W-got.Width) > 8 || math.Abs(size.H-got.Height) > max(40, size.H*0.15) {
			t.Errorf("%s in %s is %.0f × %.0f px by now, its picture %.0f × %.0f: look at it, then make help-pictures", name, lang, size.W, size.H,
				got.Width, got.Height)
		}
	}
	return looked
}

// shownPictures are the pictures of every guide in a language, all loaded.
func (s *server) shownPictures(t *testing.T, lang string) map[string]shownPicture {
	t.Helper()
	shown := map[string]shownPicture{}
	for _, guide := range guides {
		p := s.openAs(t, guide, phone)
		p.setCookie("veinte_language", lang)
		p.goTo("/help/" + guide)
		p.see(id("guide"))
		p.do(chromedp.Evaluate[chromedp.Void](`document.querySelectorAll("img").forEach(i => { i.loading = "eager" })`))
		p.until("every picture", `[...document.querySelectorAll("img")].every(i => i.complete && i.naturalWidth > 0)`)
		for _, pic := range eval[[]shownPicture](p, `[...document.querySelectorAll("img[data-picture]")].map(i => ({
				Name: i.dataset.picture, Alt: i.alt, Width: +i.getAttribute("width"), Height: +i.getAttribute("height"), NaturalW: i.naturalWidth,
				Bytes: performance.getEntriesByName(i.src)[0]?.encodedBodySize ?? 0}))`) {
			if os.Getenv("HELP_PICTURES") != "" {
				continue // they are about to be others
			}
			if pic.Alt == "" || pic.NaturalW != 2*pic.Width || pic.Bytes >= maxPicture {
				t.Errorf("picture in %s = %+v, want words, twice the pixels and less than 60 kB", lang, pic)
			}
			shown[pic.Name] = pic
		}
	}
	return shown
}

// box is where a thing is on the page, in CSS pixels.
type box struct{ X, Y, W, H float64 }

func (p *page) box(selector string) box {
	p.t.Helper()
	// Entries of long lists have no size of their own before they are drawn.
	p.until(selector+" drawn", fmt.Sprintf(`(() => { const e = document.querySelector(%q);
		e.scrollIntoView({block: "nearest", behavior: "instant"});
		return [...e.querySelectorAll("*")].some((c) => c.checkVisibility({contentVisibilityAuto: true})) })()`, selector))
	return eval[box](p, fmt.Sprintf(`(() => { const r = document.querySelector(%q).getBoundingClientRect();
		return {X: r.x + scrollX, Y: r.y + scrollY, W: r.width, H: r.height} })()`, selector))
}

// takePicture writes a picture of a thing on the page, at twice its size.
func (p *page) takePicture(file, selector string) {
	p.t.Helper()
	tall := p.screen
	tall.height = eval[int64](p, "Math.max(document.documentElement.scrollHeight, innerHeight)")
	p.resize(tall)
	defer p.resize(p.screen)
	at := p.box(selector)
	var data []byte
	call(p, func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
			Width: tall.width, Height: tall.height, DeviceScaleFactor: 2, Mobile: tall.phone,
		})
		if err == nil {
			_, err = chromedp.Call(ctx, emulation.SetScrollbarsHidden, emulation.SetScrollbarsHiddenParams{Hidden: true})
		}
		for quality := int64(80); err == nil && quality >= 35 && (data == nil || len(data) >= maxPicture); quality -= 15 {
			var shot cdppage.CaptureScreenshotResult
			shot, err = chromedp.Call(ctx, cdppage.CaptureScreenshot, cdppage.CaptureScreenshotParams{
				Format: cdppage.CaptureScreenshotFormatWebp, Quality: &quality,
				Clip: &cdppage.Viewport{X: math.Floor(at.X), Y: math.Floor(at.Y), Width: math.Ceil(at.W), Height: math.Ceil(at.H), Scale: 1},
			})
			data = shot.Data
		}
		return err
	})
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		p.t.Fatal(err)
	}
}
