package e2e

import (
	"fmt"
	"testing"
)

// TestTheCameraReadsATicket: what the browser reads with it is searched and the camera let
// go; without permission, or without a browser that knows codes, nothing is in the way.
func TestTheCameraReadsATicket(t *testing.T) {
	t.Parallel()
	place := shared.newTerminal(t, romaNorte)
	order := shared.box.sell(t, place.serial, "318.40", nil)
	const button = "[data-scan]"
	off := shared.openAs(t, manager, phone)
	off.onEveryPage(`delete window.BarcodeDetector`)
	off.goTo("/sales")
	off.until("no way to the camera", "!"+has(button))

	p := shared.openAs(t, manager, phone)
	p.onEveryPage(fmt.Sprintf(`
		window.BarcodeDetector = class {
			static async getSupportedFormats() { return ["code_128"] }
			async detect(video) { return video.videoWidth > 0 && (window.looks = (window.looks || 0) + 1) > 2 ? [{rawValue: " %s\n"}] : [] }
		};
		const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
		navigator.mediaDevices.getUserMedia = async (what) => {
			if (window.denied) throw new DOMException("", "NotAllowedError");
			const stream = await ask(what);
			for (const track of stream.getTracks()) {
				const stop = track.stop.bind(track);
				track.stop = () => (stop(), sessionStorage.setItem("stopped", track.readyState));
			}
			return stream;
		}`, order))
	p.goTo("/sales")
	p.do(step("window.denied = true"))
	p.press(button)
	p.wantSays(".scan-dialog [role=status]", "No hay permiso para usar la cámara")
	report(t, "the dialog of the camera", p.axe())
	p.press(".scan-dialog button")
	p.do(step("window.denied = false"))
	p.press(button)
	p.see(sale(order))
	p.until("that sale alone, and no camera", `document.querySelectorAll("[data-testid=sale]:not([hidden])").length === 1 &&
		!document.querySelector(".scan-dialog[open]")`)
	if was := eval[string](p, `sessionStorage.getItem("stopped") ?? "on"`); was != "ended" {
		t.Errorf("after the code was read the camera is %s, want it ended", was)
	}
}

// TestTheIconSaysHowMuchWaits: as much as the navigation, and nothing to nobody.
func TestTheIconSaysHowMuchWaits(t *testing.T) {
	t.Parallel()
	p := shared.open(t, phone) // with a session of its own, which it ends
	p.signInByForm(shared.logins[supervisor])
	p.at("/today")
	p.onEveryPage(`navigator.setAppBadge = async (n) => { window.badge = n };
		navigator.clearAppBadge = async () => { window.badge = 0 }`)
	p.goTo("/today")
	p.until("the number of the navigation", `window.badge === (parseInt(document.querySelector(".nav .badge")?.textContent) || 0)`)
	p.endSession()
	p.at("/login")
	p.until("no number", "window.badge === 0")
}
