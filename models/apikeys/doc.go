// Package apikeys keeps the keys of programs, with their scopes and secrets,
// and what was answered to a repeated request. It knows nothing of HTTP.
package apikeys
