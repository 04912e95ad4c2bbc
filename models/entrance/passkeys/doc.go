// Package passkeys registers the passkeys of people (WebAuthn) and judges what is signed
// with them: for this site, by their own key, once, in the browser that was asked. It
// knows no sessions; accounts calls it in its own transactions.
package passkeys
