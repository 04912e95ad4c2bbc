package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/chromedp/chromedp"
)

// browser is one Chromium for the whole package; each test has a profile of its
// own in it.
type browser struct {
	ctx    context.Context
	cancel context.CancelFunc
	stop   context.CancelFunc
}

const noBrowser = `no Chromium found: install it (Debian: apt install chromium; ` +
	`macOS: brew install --cask chromium) or name one in CHROME_BIN`

// findChrome is the browser that CHROME_BIN names, else the first of the usual
// ones: the one without windows does the same for half the processor's time.
func findChrome() (string, error) {
	if named := os.Getenv("CHROME_BIN"); named != "" {
		path, err := exec.LookPath(named)
		if err != nil {
			return "", fmt.Errorf("CHROME_BIN: %w", err)
		}
		return path, nil
	}
	for _, name := range []string{
		"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome",
		"/Applications/Chromium.app/Contents/MacOS/Chromium",
		"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
	} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New(noBrowser)
}

// startBrowser starts it without anything it might want from the network.
func startBrowser(profile string) (*browser, error) {
	path, err := findChrome()
	if err != nil {
		return nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path),
		chromedp.UserDataDir(profile),
		chromedp.DisableGPU,
		// Besides what chromedp turns off: the pages of the browser's own frame, which
		// it keeps ready for each window, and which cost more than those of a test.
		chromedp.Flag("disable-features", "Translate,BlinkGenPropertyTrees,PreloadTopChromeWebUI"),
		chromedp.Flag("disable-quic", true),
		// A camera with a moving picture of Chromium's own, that may be used.
		chromedp.Flag("use-fake-device-for-media-stream", true), chromedp.Flag("use-fake-ui-for-media-stream", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("accept-lang", "es-MX"),   // of somebody in Mexico
		chromedp.Flag("hide-scrollbars", false), // a scrollbar takes room, as on a desk
	)
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	allocated, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocated)
	if err := chromedp.Do(ctx); err != nil {
		cancel()
		stop()
		return nil, fmt.Errorf("start %s: %w", path, err)
	}
	return &browser{ctx, cancel, stop}, nil
}

// close ends the browser and waits for it.
func (b *browser) close() error {
	err := chromedp.Cancel(b.ctx)
	b.cancel()
	b.stop()
	if err != nil {
		return fmt.Errorf("close browser: %w", err)
	}
	return nil
}
