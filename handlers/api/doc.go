// Package api serves programs: HTTP API v1 with its keys, scopes, limits and RFC
// 9457 problems, and the OpenAPI document that describes it. It checks the shape of
// a request; models checks its meaning. It uses no HTML, session or cookie.
package api
