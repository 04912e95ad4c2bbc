// Package apikeys manages the API keys of programs, with their scopes and secrets,
// and stores the responses to requests that may be repeated. It does not know HTTP.
package apikeys
