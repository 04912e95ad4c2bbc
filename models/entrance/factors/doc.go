// Package factors is the second step of a sign-in: authenticator apps (TOTP, RFC 6238),
// recovery codes, and the rule that says of whom they are asked. It knows no sessions;
// accounts calls it in its own transactions.
package factors
