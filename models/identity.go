package models

import "time"

// Identity is who somebody is, as the provider of the single sign-on says. Issuer and
// Subject together name one account there for good; an address may be given to somebody
// else.
type Identity struct {
	Issuer, Subject string
	SessionID       string // of the provider, by which it ends the session; "" when it names none
	Email           string
	EmailVerified   bool
	Name            string
	Groups          []string
}

// ProviderLogout is what a provider says when somebody's session there is over: of the
// session, or of the person where it names none.
type ProviderLogout struct {
	Issuer, Subject, SessionID string
	TokenID                    string // it is said once
	Expiry                     time.Time
}

// SSORequest is what belongs to one sign-in at the provider, and to no other.
type SSORequest struct{ State, Nonce, Verifier string }
