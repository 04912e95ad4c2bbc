// Passkeys. A form that is sent asks the browser for one first, and takes along what it
// signed; so does the button beside a field that asks who is there. Without this script a
// form goes as it is, and the server says what to use instead.
(() => {
  "use strict";
  const forms = document.querySelectorAll("form[data-passkey]");
  const usable = !!window.PublicKeyCredential && !!navigator.credentials;

  const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const each = (list) => (list || []).map((key) => ({ ...key, id: bytes(key.id) }));

  async function asked(from) {
    const answer = await fetch(from, { headers: { Accept: "application/json" } });
    const options = await answer.json();
    if (!answer.ok) throw new Error(options.problem);
    options.challenge = bytes(options.challenge);
    options.allowCredentials = options.allowCredentials && each(options.allowCredentials);
    options.excludeCredentials = options.excludeCredentials && each(options.excludeCredentials);
    if (options.user) options.user.id = bytes(options.user.id);
    return options;
  }

  // What the server reads: as PublicKeyCredential.toJSON writes it where a browser has that.
  function written(key) {
    const response = { clientDataJSON: text(key.response.clientDataJSON) };
    for (const part of ["attestationObject", "authenticatorData", "signature", "userHandle"]) {
      if (key.response[part]) response[part] = text(key.response[part]);
    }
    return JSON.stringify({ id: key.id, rawId: text(key.rawId), type: key.type, response, clientExtensionResults: {} });
  }

  function say(form, words) {
    const place = form.querySelector("[data-passkey-says]");
    place.querySelector("span").textContent = words;
    place.hidden = !words;
  }

  // Browsers do not say whether somebody canceled or waited too long: the clock does.
  function words(form, e, took, limit) {
    if (e.name === "NotAllowedError") return took >= limit ? form.dataset.late : form.dataset.canceled;
    if (e.name === "InvalidStateError") return form.dataset.there;
    if (e.name === "SecurityError") return form.dataset.elsewhere;
    if (e.name === "NotSupportedError" || e.name === "ConstraintError") return form.dataset.unsupported;
    return e.name === "Error" && e.message ? e.message : form.dataset.failed;
  }

  let waiting; // of the list below the field, which ends when a button is pressed

  async function ask(form, more) {
    const publicKey = await asked(form.dataset.options);
    const how = { publicKey, ...more };
    return form.dataset.passkey === "create" ? navigator.credentials.create(how) : navigator.credentials.get(how);
  }

  function send(form, key) {
    form.elements.passkey.value = written(key);
    form.submit();
  }

  // press has a button's passkey used by f, and says at its place what went wrong.
  async function press(place, button, f) {
    if (!usable) return say(place, place.dataset.unsupported);
    waiting?.abort();
    button.disabled = true;
    say(place, "");
    const begun = performance.now();
    try {
      await f();
    } catch (problem) {
      button.disabled = false;
      say(place, words(place, problem, performance.now() - begun, 290000));
      button.focus();
    }
  }

  for (const form of forms) {
    form.addEventListener("submit", (e) => {
      e.preventDefault();
      press(form, e.submitter || form.querySelector("button[type=submit]"), async () => send(form, await ask(form)));
    });
  }

  // A form with a proof is sent as by its own button, once it has what was signed.
  document.addEventListener("click", (e) => {
    const button = e.target.closest("[data-proof] [data-sign]");
    if (!button) return;
    const place = button.closest("[data-proof]"), form = button.form;
    press(place, button, async () => {
      const key = await navigator.credentials.get({ publicKey: await asked(place.dataset.proof) });
      form.elements.passkey.value = written(key);
      form.elements.proof.required = false;
      form.requestSubmit();
      button.disabled = false; // where something else is missing
    });
  });

  // The browser offers passkeys in the list below the address, where it can. What it signs
  // counts for five minutes, so it is asked anew before.
  const login = document.querySelector("form[data-passkey][data-autofill]");
  async function offer() {
    waiting?.abort();
    const now = (waiting = new AbortController());
    const anew = setTimeout(offer, 240000);
    try {
      send(login, await ask(login, { mediation: "conditional", signal: now.signal }));
    } catch {
      clearTimeout(now.signal.aborted ? undefined : anew); // nothing was asked of anybody: nothing is said
    }
  }
  if (login && usable) {
    window.PublicKeyCredential.isConditionalMediationAvailable?.().then((can) => can && offer());
  }
})();
