// Package oidc is the client of the provider of the single sign-on, by OpenID Connect: it
// finds the provider, leads people to it, to sign in and out, and judges what it says of them. What follows
// from that is decided in models/accounts. It knows no database and no pages.
package oidc
