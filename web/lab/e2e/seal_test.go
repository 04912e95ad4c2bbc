package e2e

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"
)

// onPaper draws the page as it is printed.
func (p *page) onPaper() {
	p.t.Helper()
	call(p, func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
		return err
	})
}

// camera reads the QR code of a thing on the page, from near: a module has some pixels.
func (p *page) camera(selector string) string {
	p.t.Helper()
	at := p.rect(selector)
	var shot []byte
	call(p, func(ctx context.Context) error {
		all := true
		taken, err := chromedp.Call(ctx, cdppage.CaptureScreenshot, cdppage.CaptureScreenshotParams{
			Format: cdppage.CaptureScreenshotFormatPng, CaptureBeyondViewport: &all,
			Clip: &cdppage.Viewport{X: at.X, Y: at.Y, Width: at.W, Height: at.H, Scale: 3},
		})
		shot = taken.Data
		return err
	})
	picture, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		p.t.Fatal(err)
	}
	bits, err := gozxing.NewBinaryBitmapFromImage(picture)
	if err != nil {
		p.t.Fatal(err)
	}
	read, err := qrcode.NewQRCodeReader().Decode(bits, nil)
	if err != nil {
		p.t.Fatalf("a camera cannot read %s: %v", selector, err)
	}
	return read.GetText()
}

var publicKeys = regexp.MustCompile(`"publicKeys":\["([^"]+)"`)

// TestTheSealOnPapers: the closing of a day and the customer's notice carry a checkpoint in
// words and for a camera, which reads the same from a phone, a desk, by dark and from paper;
// with what it reads an export of later is verified.
func TestTheSealOnPapers(t *testing.T) {
	t.Parallel()
	s := ownServer(t, "2026-11-20T20:30:00-06:00")
	saleID := s.saleID(t, s.box.sell(t, s.newTerminal(t, romaNorte).serial, "85.00", nil))
	p := s.openAs(t, supervisor, desk)
	p.goTo("/closings")
	p.reloadUntil("the day's closing", has("tbody a"))
	closing := p.attribute("tbody a", "href")
	p.goTo(closing)
	p.reloadUntil("its seal", has(id("seal")))
	var read []string
	for _, paper := range []struct{ name, path string }{{"seal-closing", closing}, {"seal-slip", "/sales/" + saleID + "/slip"}} {
		for lang, words := range map[string][2]string{
			"es-MX": {"La bitácora tenía ", "Guarda este papel"}, "en": {"The trail had ", "Keep this paper"},
		} {
			p.setCookie("veinte_language", lang)
			for _, sc := range []screen{desk, phone} {
				p.screen = sc
				p.resize(sc)
				p.goTo(paper.path)
				where := fmt.Sprintf("%s in %s at %d px", paper.name, lang, sc.width)
				for _, want := range words {
					p.wantSays(id("seal"), want)
				}
				size, root := p.attribute(id("seal"), "data-size"), p.text(id("seal-root"))
				said := p.camera(id("seal-code"))
				if want := "\n" + size + "\n" + root + "\ntime "; !strings.Contains(said, want) || strings.Count(said, "\n— ") != 1 {
					t.Errorf("%s: a camera reads %q, want %q in it and a signature", where, said, want)
				}
				read = append(read, said)
				p.wantRoom(where)
				p.savePicture(paper.name, lang, "light")
				p.prefer("dark")
				if got := p.camera(id("seal-code")); got != said {
					t.Errorf("%s by dark: a camera reads %q, want %q", where, got, said)
				}
				p.savePicture(paper.name, lang, "dark")
				p.onPaper()
				if got := p.camera(id("seal-code")); got != said {
					t.Errorf("%s on paper: a camera reads %q, want %q", where, got, said)
				}
				p.savePicture(paper.name, lang, "print")
				p.prefer("light")
			}
		}
	}

	status, export := s.as(t, auditor).get(t, "/audit.jsonl")
	key := publicKeys.FindStringSubmatch(export)
	if status != http.StatusOK || key == nil {
		t.Fatalf("GET /audit.jsonl = %d: %.300s", status, export)
	}
	dir := t.TempDir()
	verify := []string{"audit", "verify", "--key", key[1], "--file", filepath.Join(dir, "export.jsonl")}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("export.jsonl", export)
	for i, text := range read {
		name := fmt.Sprintf("paper-%d.txt", i)
		write(name, text)
		verify = append(verify, "--checkpoint", filepath.Join(dir, name))
	}
	if out := program(t, verify...); !strings.Contains(out, fmt.Sprint(len(read))) {
		t.Errorf("verify with what %d papers say:\n%s", len(read), out)
	}
}
