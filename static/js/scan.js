// The camera reads a ticket's code into the search, where the browser knows codes by
// itself. find.js loads this with the first press. The camera is let go when a code was
// read, when the dialog closes and when the page is no longer seen; no picture leaves
// the page.
(() => {
  "use strict";
  const OFTEN = 150; // milliseconds between two looks
  const SIDE = 1280; // of the picture, where the camera has so many
  const field = document.getElementById("f-q");
  let camera, dialog;

  function stop() {
    for (const track of camera?.getTracks() ?? []) track.stop();
    camera = null;
    dialog?.close();
  }

  function build(button) {
    document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: inFiles["scan.css"] }));
    dialog = document.createElement("dialog");
    dialog.className = "scan-dialog";
    dialog.setAttribute("aria-label", button.getAttribute("aria-label"));
    const video = Object.assign(document.createElement("video"), { muted: true, playsInline: true });
    const says = document.createElement("p");
    says.setAttribute("role", "status");
    const close = Object.assign(document.createElement("button"), { type: "button", className: "button", textContent: inWords["scan.close"] });
    close.addEventListener("click", stop);
    dialog.append(video, says, close);
    dialog.addEventListener("close", stop);
    document.body.append(dialog);
  }

  // take searches for what the code says: as typed, and sent like Enter.
  function take(text) {
    stop();
    field.value = text.trim().slice(0, field.maxLength);
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.form.requestSubmit();
  }

  async function look(detector, video) {
    if (!camera) return;
    const codes = await detector.detect(video).catch(() => []);
    if (!camera) return;
    if (codes.length > 0 && codes[0].rawValue.trim()) take(codes[0].rawValue);
    else setTimeout(look, OFTEN, detector, video);
  }

  async function scan(button) {
    if (!dialog) build(button);
    const [video, says] = dialog.children;
    says.textContent = inWords["scan.hint"];
    dialog.showModal();
    try {
      camera = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment", width: { ideal: SIDE } } });
      if (!dialog.open) return stop(); // closed while the browser asked
      video.srcObject = camera;
      await video.play();
    } catch {
      says.textContent = inWords["scan.denied"];
      return;
    }
    look(new BarcodeDetector(), video);
  }

  document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && stop());
  window.veinte = Object.assign(window.veinte || {}, { scan });
})();
