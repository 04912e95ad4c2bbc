package e2e

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// key is one on a keyboard. It is pressed as a browser sees it: one event that
// a page can prevent, text included.
type key struct {
	name, code, text string
	number           int64
}

var (
	tab    = key{"Tab", "Tab", "", 9}
	enter  = key{"Enter", "Enter", "\r", 13}
	escape = key{"Escape", "Escape", "", 27}
	space  = key{" ", "Space", " ", 32}
	slash  = key{"/", "Slash", "/", 191}
)

// hit presses keys, one after the other, on a page that has loaded.
func (p *page) hit(keys ...key) {
	p.t.Helper()
	p.whole()
	for _, k := range keys {
		for _, typ := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeKeyDown, input.DispatchKeyEventTypeKeyUp} {
			event := input.DispatchKeyEventParams{Type: typ, Key: k.name, Code: k.code, WindowsVirtualKeyCode: k.number}
			if typ == input.DispatchKeyEventTypeKeyDown {
				event.Text = k.text
			}
			call(p, func(ctx context.Context) error {
				_, err := chromedp.Call(ctx, input.DispatchKeyEvent, event)
				return err
			})
		}
	}
}

// write types words into what has the focus.
func (p *page) write(words string) {
	p.t.Helper()
	call(p, func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, input.InsertText, input.InsertTextParams{Text: words})
		return err
	})
}

// tabTo presses Tab until something has the focus, as somebody without a mouse.
func (p *page) tabTo(selector string) {
	p.t.Helper()
	var way []string
	for range 500 { // a list has as many steps as sales
		p.hit(tab)
		if eval[bool](p, fmt.Sprintf("document.activeElement.matches(%q)", selector)) {
			if !eval[bool](p, `(() => { const s = getComputedStyle(document.activeElement);
				return s.outlineStyle !== "none" || s.boxShadow !== "none" })()`) {
				p.t.Errorf("%s has the focus and does not show it", selector)
			}
			return
		}
		way = append(way, p.focused())
	}
	p.t.Fatalf("Tab did not come to %s in %d steps: %q", selector, len(way), way)
}
