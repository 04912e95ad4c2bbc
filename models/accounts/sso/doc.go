// Package sso stores what the single sign-on needs: which groups of the provider give
// which role, who somebody is there, the sign-ins that are under way, and which session
// came of which of the provider's. It makes no people and no sessions; models/accounts
// does. It does not know how the provider is asked.
package sso
