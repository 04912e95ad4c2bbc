// Package exchange is the pages of what comes from other systems and goes to
// them: imports, reports of a provider, results, endpoints and the API.
package exchange
