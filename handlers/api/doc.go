// Package api answers programs: HTTP API v1 with its keys, scopes, limits and
// RFC 9457 problems, and the OpenAPI document that describes it. It judges the
// shape of what comes; what it means is judged by models. It knows no HTML, no
// session and no cookie.
package api
